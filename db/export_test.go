package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"testing/fstest"
	"time"
)

// AddMigrations has d know more migrations than the program: texts by file name.
func (d *DB) AddMigrations(more map[string]string) error {
	all := fstest.MapFS{}
	dir := "migrations/" + string(d.pool.dialect)
	entries, err := fs.ReadDir(migrations, dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		text, err := fs.ReadFile(migrations, dir+"/"+e.Name())
		if err != nil {
			return err
		}
		all[dir+"/"+e.Name()] = &fstest.MapFile{Data: text}
	}
	for name, text := range more {
		all[dir+"/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	d.pool.migrations = all
	return nil
}

// A PlannedColumn is a column that a move copies.
type PlannedColumn struct {
	Table, Name string
	Kind        string // text, int, bool, real, bytes, json, list, jsons, bits, enum or time
	Key         bool
}

var kindNames = map[valueKind]string{
	textValue: "text", intValue: "int", boolValue: "bool", realValue: "real", bytesValue: "bytes", jsonValue: "json",
	listValue: "list", jsonsValue: "jsons", bitsValue: "bits", enumValue: "enum", timeValue: "time",
}

func plannedMove(ctx context.Context, sqlite, postgres *DB) ([]movedTable, error) {
	here, err := sqlite.catalog(ctx)
	if err != nil {
		return nil, err
	}
	there, err := postgres.catalog(ctx)
	if err != nil {
		return nil, err
	}
	parents, err := sqlite.foreignKeys(ctx)
	if err != nil {
		return nil, err
	}
	tables, err := planMove(here, there)
	return parentsFirst(tables, parents), err
}

// PlannedMove returns what a move between two databases copies, in its order.
func PlannedMove(ctx context.Context, sqlite, postgres *DB) (out []PlannedColumn, err error) {
	tables, err := plannedMove(ctx, sqlite, postgres)
	for _, t := range tables {
		for i, c := range t.columns {
			out = append(out, PlannedColumn{t.name, c.name, kindNames[c.kind], slices.Contains(t.key, i)})
		}
	}
	return out, err
}

// MovedRows returns the rows of all tables that a move copies, in the form in which it
// compares them, in the order of the table's key in SQLite.
func (d *DB) MovedRows(ctx context.Context, sqlite, postgres *DB) (map[string][]string, error) {
	tables, err := plannedMove(ctx, sqlite, postgres)
	if err != nil {
		return nil, err
	}
	out := map[string][]string{}
	for i := range tables {
		t := &tables[i]
		var at []string
		for more := true; more; more = at != nil {
			if _, at, err = d.movedRows(ctx, t, at, func(row []any) error {
				line := ""
				for i, c := range t.columns {
					v, err := c.canonical(row[i])
					if err != nil {
						return err
					}
					line += fmt.Sprintf("%s=%T %q ", c.name, v, fmt.Sprint(v))
				}
				out[t.name] = append(out[t.name], line)
				return nil
			}); err != nil {
				return nil, err
			}
		}
		slices.Sort(out[t.name])
	}
	return out, nil
}

// Values are the values of the first row of a query.
func Values(ctx context.Context, d *DB, query string) ([]any, error) {
	rows, err := d.query(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil || !rows.Next() {
		return nil, errors.Join(err, rows.Err())
	}
	out := make([]any, len(columns))
	for i := range out {
		out[i] = new(any)
	}
	return out, rows.Scan(out...)
}

// ShareFor has commits be shared by all who come within a time.
func (d *DB) ShareFor(longest time.Duration) { d.pool.sharing.longest = longest }
