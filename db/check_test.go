package db_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

type schemaColumn struct {
	table, name, kind string
	needed            bool // it has no default, and may not be NULL
}

// schemaColumns returns the columns of all tables of d.
func schemaColumns(t *testing.T, d *db.DB) []schemaColumn {
	t.Helper()
	query := `SELECT m.name, c.name, c.type, c."notnull" AND c.dflt_value IS NULL AND NOT (c.type = 'INTEGER' AND (SELECT SUM(k.pk) FROM pragma_table_info(m.name) k) = c.pk) FROM sqlite_master m
		JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'river_%' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE 'status_search%'`
	if d.Dialect() == db.Postgres {
		query = `SELECT c.table_name, c.column_name, c.data_type, c.is_nullable = 'NO' AND c.column_default IS NULL AND c.is_identity = 'NO'
			FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
			WHERE c.table_schema = ANY (current_schemas(false)) AND t.table_type = 'BASE TABLE' AND c.table_name NOT LIKE 'river_%'`
	}
	rows, err := d.Writer().QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var out []schemaColumn
	for rows.Next() {
		var c schemaColumn
		if err := rows.Scan(&c.table, &c.name, &c.kind, &c.needed); err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	if err := rows.Err(); err != nil || len(out) < 300 {
		t.Fatal(len(out), err)
	}
	return out
}

// ofOneDialect are the tables that only one database has.
var ofOneDialect = []string{"event_head", "status_tally_changes", "account_tally_changes", "account_facet_changes", "gram_places"}

// TestEveryTableIsChecked fails for a new table, or a new column with a
// reference, that is in neither References nor Unreferenced.
func TestEveryTableIsChecked(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		listed, there := map[string]bool{}, map[string]bool{}
		for name := range db.Unreferenced() {
			listed[name] = true
		}
		for _, r := range d.References() {
			listed[r.Table], listed[r.Table+"."+r.Column] = true, true
		}
		for _, c := range schemaColumns(t, d) {
			if c.table == "schema_migrations" {
				continue
			}
			there[c.table], there[c.table+"."+c.name] = true, true
			if !listed[c.table] {
				t.Errorf("%s: say in db/references.go what its rows lead to, or why they lead nowhere", c.table)
				listed[c.table] = true
			}
			if strings.HasSuffix(c.name, "_id") && !listed[c.table+"."+c.name] {
				t.Errorf("%s.%s: say in db/references.go what it leads to", c.table, c.name)
			}
		}
		for name := range listed {
			if table, _, _ := strings.Cut(name, "."); !there[name] && !slices.Contains(ofOneDialect, table) {
				t.Errorf("%s is listed and not in the schema", name)
			}
		}
	})
}

// findings returns the findings of a check, as table.column.
func findings(t *testing.T, d *db.DB, o db.CheckOptions) (names []string, all []db.Finding) {
	t.Helper()
	err := d.Check(t.Context(), o, func(f db.Finding) error {
		names, all = append(names, f.Check), append(all, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names, all
}

// maker inserts rows of any table, with the rows that they refer to.
type maker struct {
	t       *testing.T
	d       *db.DB
	columns map[string][]schemaColumn
	made    map[string]any // the id of a row, by table
	n       int
}

func (m *maker) value(c schemaColumn) any {
	m.n++
	switch kind := strings.ToUpper(c.kind); {
	case strings.Contains(kind, "BOOL"):
		return false
	case strings.Contains(kind, "INT"):
		return m.n
	case kind == "BYTEA", kind == "BLOB":
		return []byte{}
	case kind == "TSVECTOR":
		return ""
	default:
		return fmt.Sprintf("x%d", m.n)
	}
}

// id makes a row of table once and returns its id.
func (m *maker) id(table string) any {
	if id, ok := m.made[table]; ok {
		return id
	}
	if table == "accounts" {
		m.made[table] = dbtest.Account(m.t, m.d, "ann").ID
		return m.made[table]
	}
	m.n++
	m.made[table] = fmt.Sprintf("id%d", m.n)
	for _, c := range m.columns[table] {
		if c.name == "id" && strings.Contains(strings.ToUpper(c.kind), "INT") {
			m.made[table] = m.n
		}
	}
	m.insert(table, map[string]any{"id": m.made[table]})
	return m.made[table]
}

// insert inserts a row with these values, and valid ones in all other columns.
func (m *maker) insert(table string, with map[string]any) {
	m.t.Helper()
	for _, r := range m.d.References() {
		if _, given := with[r.Column]; r.Table != table || given {
			continue
		}
		if i := slices.IndexFunc(m.columns[table], func(c schemaColumn) bool { return c.name == r.Column }); i >= 0 && m.columns[table][i].needed {
			with[r.Column] = m.id(r.To[0])
		}
	}
	var names, marks []string
	var args []any
	for _, c := range m.columns[table] {
		v, given := with[c.name]
		switch {
		case given:
		case c.name == "visibility":
			v = db.Direct
		case c.needed:
			v = m.value(c)
		default:
			continue
		}
		names, marks, args = append(names, c.name), append(marks, "?"), append(args, v)
	}
	if err := dbtest.Exec(m.t, m.d, "INSERT INTO "+table+" ("+strings.Join(names, ", ")+") VALUES ("+strings.Join(marks, ", ")+")", args...); err != nil {
		m.t.Fatal(table, err)
	}
}

// TestOrphansOfEveryTableAreFoundAndRepaired inserts a row with a missing
// reference for every column of References.
func TestOrphansOfEveryTableAreFoundAndRepaired(t *testing.T) {
	dbtest.Alone(t)
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		m := &maker{t: t, d: d, columns: map[string][]schemaColumn{}, made: map[string]any{}, n: 1000}
		for _, c := range schemaColumns(t, d) {
			m.columns[c.table] = append(m.columns[c.table], c)
		}
		rows := db.CheckOptions{Areas: []string{db.CheckRows}}
		for _, r := range d.References() {
			var gone any = "gone"
			for _, c := range m.columns[r.Table] {
				if c.name == r.Column && strings.Contains(strings.ToUpper(c.kind), "INT") {
					gone = 4711
				}
			}
			m.insert(r.Table, map[string]any{r.Column: gone})
			want := []string{r.Table + "." + r.Column}
			if got, all := findings(t, d, rows); !slices.Equal(got, want) {
				t.Fatalf("%+v, want %s", all, want)
			}
			if got, all := findings(t, d, db.CheckOptions{Areas: rows.Areas, Repair: true}); !slices.Equal(got, want) || !all[0].Repaired {
				t.Fatalf("%+v, want %s repaired", all, want)
			}
			if _, all := findings(t, d, rows); len(all) > 0 {
				t.Fatalf("after the repair of %s: %+v", want, all)
			}
		}
	})
}

// TestCheckReadsTablesInChunks: every statement of a check has a limit, except
// those on the few rows of tallies.
func TestCheckReadsTablesInChunks(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		if err := d.CreateUser(t.Context(), &db.User{AccountID: dbtest.Account(t, d, "ann").ID}); err != nil {
			t.Fatal(err)
		}
		plans := dbtest.Plans(t, d, func(ctx context.Context) {
			if err := d.Check(ctx, db.CheckOptions{}, func(f db.Finding) error { return fmt.Errorf("%+v", f) }); err != nil {
				t.Error(err)
			}
		})
		for query := range plans {
			if !strings.Contains(query, "LIMIT") && !strings.Contains(query, "_tallies") {
				t.Errorf("without a limit: %s", query)
			}
		}
	})
}
