package db

import (
	"context"
	"database/sql"
	"errors"
	"reflect"
	"sync"

	"gorm.io/gorm/schema"
)

// list reads the rows of a statement. Unreadable rows are left out. No rows are
// an empty slice.
func list[T any](ctx context.Context, d *DB, what, query string, args ...any) ([]T, error) {
	return read(ctx, d, what, columnsOf[T](ctx), query, args...)
}

// one reads the first row of a statement, or returns ErrNotFound.
func one[T any](ctx context.Context, d *DB, what, query string, args ...any) (*T, error) {
	row, err := value[T](ctx, d, what, query, args...)
	if err != nil {
		return nil, err
	}
	return &row, nil
}

// value is one for a result that is used as a value, such as a count.
func value[T any](ctx context.Context, d *DB, what, query string, args ...any) (row T, err error) {
	rows, err := d.query(ctx, query, args...)
	if err != nil {
		return row, wrap(err, "%s", what)
	}
	defer func() { _ = rows.Close() }()
	if !rows.Next() {
		if err = rows.Err(); err == nil {
			return row, notFound("%s", what)
		}
		return row, wrap(err, "%s", what)
	}
	if err = columnsOf[T](ctx)(rows, &row); isUnreadable(err) {
		name, id := named(&row)
		d.LeaveOut(ctx, name, id, err)
	}
	if closed := rows.Close(); err == nil {
		err = closed // a failed write reports here whether it took effect
	}
	return row, wrap(err, "%s", what)
}

// firstOf is one for rows that were read already.
func firstOf[T any](rows []T, err error, what string) (*T, error) {
	switch {
	case err != nil:
		return nil, err
	case len(rows) == 0:
		return nil, notFound("%s", what)
	}
	return &rows[0], nil
}

// optional turns ErrNotFound of one or value into false.
func optional[T any](row T, err error) (T, bool, error) {
	if errors.Is(err, ErrNotFound) {
		return row, false, nil
	}
	return row, err == nil, err
}

// page is the capacity of a list before its second row.
const page = 20

// scanAll is list for the lists read most, since reflection costs: cells returns
// the places in a row for the columns. It is called once, for all rows.
func scanAll[T any](ctx context.Context, d *DB, what string, cells func(*T) []any, query string, args ...any) ([]T, error) {
	var into []any
	scan := func(rows *sql.Rows, row *T) error {
		if into == nil {
			into = cells(row)
		}
		return rows.Scan(into...)
	}
	return read(ctx, d, what, scan, query, args...)
}

// read is list with a scan into an empty row, which is the same variable for
// all rows and copied by value.
func read[T any](ctx context.Context, d *DB, what string, scan func(*sql.Rows, *T) error, query string, args ...any) ([]T, error) {
	rows, err := d.query(ctx, query, args...)
	if err != nil {
		return nil, wrap(err, "%s", what)
	}
	defer func() { _ = rows.Close() }()
	var (
		out = []T{}
		row T
	)
	for rows.Next() {
		row = *new(T)
		err := scan(rows, &row)
		if isUnreadable(err) {
			name, id := named(&row)
			d.LeaveOut(ctx, name, id, err)
			continue
		}
		if err != nil {
			return nil, wrap(err, "%s", what)
		}
		if len(out) == 0 {
			out = make([]T, 0, page)
		}
		out = append(out, row)
	}
	return out, wrap(rows.Err(), "%s", what)
}

// columnsOf returns a scan of rows into T: a struct by column names, as the
// mapper has them, or any other type from the only column. Columns without a
// field are ignored, and NULL leaves a field unchanged.
func columnsOf[T any](ctx context.Context) func(*sql.Rows, *T) error {
	if t := reflect.TypeFor[T](); t.Kind() != reflect.Struct || reflect.PointerTo(t).Implements(reflect.TypeFor[sql.Scanner]()) {
		return func(rows *sql.Rows, v *T) error { return rows.Scan(v) }
	}
	var (
		fields []*schema.Field
		values []any
	)
	return func(rows *sql.Rows, row *T) (err error) {
		if fields == nil {
			if fields, err = fieldsOf(rows, row); err != nil {
				return err
			}
			values = cells(fields)
		}
		if err = rows.Scan(values...); err != nil {
			// Drop the values of the row before, since readable columns name this row.
			values = cells(fields)
			err = rows.Scan(values...)
		}
		into := reflect.ValueOf(row).Elem()
		for i, f := range fields {
			if f == nil {
				continue
			}
			if failed := f.Set(ctx, into, values[i]); failed != nil && err == nil {
				err = unreadable{failed}
			}
		}
		return err
	}
}

// schemas caches the columns of each row type, for all databases.
var schemas sync.Map

// fieldsOf returns the field of row for each column, nil for those without one.
func fieldsOf(rows *sql.Rows, row any) ([]*schema.Field, error) {
	s, err := schema.Parse(row, &schemas, naming{})
	if err != nil {
		return nil, err
	}
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	fields := make([]*schema.Field, len(columns))
	for i, column := range columns {
		if f := s.LookUpField(column); f != nil && f.Readable {
			fields[i] = f
		}
	}
	return fields, nil
}

// naming derives table names from row types. A plural takes hundreds of regular
// expressions, so it is kept.
type naming struct{ schema.NamingStrategy }

var tables sync.Map

// TableName is the table of a row type.
func (n naming) TableName(row string) string {
	if table, ok := tables.Load(row); ok {
		return table.(string)
	}
	table := n.NamingStrategy.TableName(row)
	tables.Store(row, table)
	return table
}

// cells allocates the values of a row.
func cells(fields []*schema.Field) []any {
	out := make([]any, len(fields))
	for i, f := range fields {
		switch {
		case f == nil:
			out[i] = new(sql.RawBytes)
		case f.Serializer != nil:
			out[i] = f.NewValuePool.Get()
		default:
			out[i] = reflect.New(reflect.PointerTo(f.IndirectFieldType)).Interface() // NULL is nil
		}
	}
	return out
}
