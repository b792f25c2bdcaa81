package dbtest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"svc/db"
)

// Plans runs fn and returns how the database carries out each statement that
// it sent: the statement, and its plan line by line. PostgreSQL is told to
// sort and to read whole tables only where no index spares it, since tests
// have too few rows for that to be a choice.
func Plans(t testing.TB, d *db.DB, fn func(ctx context.Context)) map[string][]string {
	t.Helper()
	ctx, list := db.RecordStatements(t.Context())
	fn(ctx)
	out := make(map[string][]string, len(*list))
	for _, sql := range *list {
		if strings.HasPrefix(sql, "SET ") {
			continue
		}
		plan, err := explain(t.Context(), d, sql)
		if err != nil {
			t.Fatalf("%v: %s", err, sql)
		}
		out[sql] = plan
	}
	return out
}

func explain(ctx context.Context, d *db.DB, query string) ([]string, error) {
	tx, err := d.Writer().BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }()
	sqlite := d.Dialect() == db.SQLite
	prefix := "EXPLAIN QUERY PLAN "
	if !sqlite {
		prefix = "EXPLAIN (COSTS OFF) "
		if _, err := tx.ExecContext(ctx, "SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off"); err != nil {
			return nil, err
		}
	}
	rows, err := tx.QueryContext(ctx, prefix+query)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []string
	for rows.Next() {
		var line string
		var id, parent, unused int
		if sqlite {
			err = rows.Scan(&id, &parent, &unused, &line)
		} else {
			err = rows.Scan(&line)
		}
		if err != nil {
			return nil, fmt.Errorf("plan: %w", err)
		}
		out = append(out, strings.TrimSpace(line))
	}
	return out, rows.Err()
}

// Wasteful returns those lines of a plan that read a whole table, or sort: not
// an incremental sort, which puts no more than the rows of one key in order, or the
// merging of what is in order.
func Wasteful(plan []string) []string {
	var out []string
	for i, line := range plan {
		switch {
		case strings.Contains(line, "Incremental Sort"), i > 0 && strings.Contains(plan[i-1], "Incremental Sort"):
		case i > 0 && strings.Contains(plan[i-1], "Merge Append"):
		case strings.HasPrefix(line, "SCAN x VIRTUAL TABLE"): // the hashtags in the row of a status
		case strings.HasPrefix(line, "SCAN ") && !strings.Contains(line, " USING ") && !strings.HasSuffix(line, "CONSTANT ROWS") && !isHandful(strings.Fields(line)[1]),
			strings.Contains(line, "TEMP B-TREE"),
			strings.Contains(line, "Seq Scan") && !isHandful(after(line, "Seq Scan on ")),
			strings.Contains(line, "Sort"):
			out = append(out, line)
		}
	}
	return out
}

// after returns the word behind what in line.
func after(line, what string) string {
	_, rest, _ := strings.Cut(line, what)
	word, _, _ := strings.Cut(rest, " ")
	return word
}

// isHandful reports whether a name in a SQLite plan is not a table that grows:
// a page that was selected by an inner statement, a list of values, a tally.
func isHandful(name string) bool {
	switch name {
	case "p", "pg", "one", "few", "CONSTANT", "(subquery-1)", "account_tallies", "account_tally_changes", "report_tallies", "app_tallies", "status_tallies", "status_tally_changes":
		return true
	}
	return false
}
