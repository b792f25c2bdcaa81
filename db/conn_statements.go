package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// selection is a statement built from pieces, with their arguments in order.
type selection struct {
	sql    strings.Builder
	args   []any
	expect int  // how many rows there will be, where that is known
	now    Time // rows that expire before it are left out
	viewer *Viewer
	keyed  bool    // the last column is a StatusRef's Key
	many   bool    // for several viewers, in the table vw
	facts  *judged // rows are judged by facts; nil if SQL does
}

func (q *selection) add(sql string, args ...any) {
	if q.many {
		sql, args = ofEachViewer(sql, args)
	}
	q.sql.WriteString(sql)
	q.args = append(q.args, args...)
}

// rows runs q.
func (d *DB) rows(ctx context.Context, q *selection) (*sql.Rows, error) {
	return d.query(ctx, q.sql.String(), q.args...)
}

// query runs a statement that returns rows. It bypasses gorm: building a
// statement there costs as much as running a small one.
func (d *DB) query(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	text, args = bind(text, args, d.pool.dialect)
	begin := time.Now()
	rows, err := d.orm.Statement.ConnPool.QueryContext(ctx, text, args...)
	d.orm.Logger.Trace(ctx, begin, func() (string, int64) {
		if ctx.Value(watcherKey{}) == nil {
			return text, -1
		}
		return d.orm.Explain(text, args...), -1
	}, err)
	return rows, err
}

// isList reports whether an argument is a list in parentheses.
func isList(arg any) bool {
	switch arg.(type) {
	case nil, []byte, driver.Valuer:
		return false
	}
	return reflect.TypeOf(arg).Kind() == reflect.Slice
}

// bind writes placeholders in the form of the dialect, and expands lists.
func bind(text string, args []any, dialect Dialect) (string, []any) {
	if dialect == SQLite && !slices.ContainsFunc(args, isList) {
		return text, args
	}
	var (
		out  strings.Builder
		flat = make([]any, 0, len(args)+8)
		next int
	)
	out.Grow(len(text) + 64)
	put := func(v any) {
		flat = append(flat, v)
		if dialect == SQLite {
			out.WriteByte('?')
			return
		}
		out.WriteByte('$')
		out.WriteString(strconv.Itoa(len(flat)))
	}
	for {
		i := strings.IndexByte(text, '?')
		if i < 0 {
			out.WriteString(text)
			return out.String(), flat
		}
		out.WriteString(text[:i])
		text = text[i+1:]
		arg := args[next]
		next++
		if !isList(arg) {
			put(arg)
			continue
		}
		list := reflect.ValueOf(arg)
		out.WriteByte('(')
		for j := range list.Len() {
			if j > 0 {
				out.WriteByte(',')
			}
			put(list.Index(j).Interface())
		}
		if list.Len() == 0 {
			out.WriteString("NULL")
		}
		out.WriteByte(')')
	}
}

// mostly wraps a condition that most rows fulfil. PostgreSQL cannot see the
// values: it takes the wrapped condition to hold for half of the rows, but a
// plain one to be rare, and would then read everything and sort the few,
// instead of reading a page in order.
func mostly(condition string) string { return "CASE WHEN " + condition + " THEN TRUE ELSE FALSE END" }

// existsOnce ends an EXISTS in the condition of each row of a page. PostgreSQL
// plans for all rows below the page and would rather read the viewer's whole
// history once. It does not look into a subquery with a LIMIT.
const existsOnce = ` LIMIT 1 OFFSET 0`

// manyAtOnce bounds the values in one statement, as databases do.
const manyAtOnce = 5000

// inChunks reads by values, at most manyAtOnce in a statement.
func inChunks[K, T any](values []K, read func([]K) ([]T, error)) ([]T, error) {
	var out []T
	for chunk := range slices.Chunk(values, manyAtOnce) {
		rows, err := read(chunk)
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
	}
	return out, nil
}

// limit writes the numbers into the text: with placeholders PostgreSQL plans
// for a tenth of the table.
func limit(size, offset int64) string {
	s := " LIMIT " + strconv.FormatInt(size, 10)
	if offset > 0 {
		s += " OFFSET " + strconv.FormatInt(offset, 10)
	}
	return s
}

// limitOf is limit without an offset.
func limitOf(n int) string { return limit(int64(n), 0) }

// lower returns words in lower case.
func lower(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = strings.ToLower(w)
	}
	return out
}

var likeEscaper = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// containing returns the LIKE pattern, with ESCAPE '\', for a lower-case column
// that contains s.
func containing(s string) string { return "%" + likeEscaper.Replace(strings.ToLower(s)) + "%" }

// rowsOf renders n rows of placeholders for VALUES.
func rowsOf(n, width int) string {
	row := "(?" + strings.Repeat(", ?", width-1) + ")"
	return row + strings.Repeat(", "+row, n-1)
}
