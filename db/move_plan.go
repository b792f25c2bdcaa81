package db

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// valueKind says how the values of a column are read, compared and written.
type valueKind int

const (
	textValue valueKind = iota
	intValue
	boolValue
	realValue
	bytesValue
	jsonValue  // an object; text in SQLite
	listValue  // a JSON array in SQLite, an array of texts in PostgreSQL
	jsonsValue // likewise, of objects
	bitsValue  // a number in SQLite
	enumValue  // a text in SQLite
	timeValue  // of the job queue: text in SQLite; svc's own times are numbers
)

// kinds are the kinds of columns by their type in SQLite and in PostgreSQL. A migration
// that uses another pair has to say here how it is translated.
var kinds = map[[2]string]valueKind{
	{"text", "text"}:                          textValue,
	{"integer", "bigint"}:                     intValue,
	{"bigint", "bigint"}:                      intValue,
	{"integer", "smallint"}:                   intValue,
	{"integer", "integer"}:                    intValue,
	{"boolean", "boolean"}:                    boolValue,
	{"real", "double precision"}:              realValue,
	{"blob", "bytea"}:                         bytesValue,
	{"blob", "jsonb"}:                         jsonValue,
	{"blob", "text[]"}:                        listValue,
	{"blob", "character varying(255)[]"}:      listValue,
	{"blob", "jsonb[]"}:                       jsonsValue,
	{"integer", "bit(8)"}:                     bitsValue,
	{"text", "river_job_state"}:               enumValue,
	{"timestamp", "timestamp with time zone"}: timeValue,
}

// unmoved are the tables that are not copied, and why.
var unmoved = map[string]string{
	"schema_migrations":     "written by the migrations of the target",
	"river_migration":       "written by the migrations of the target",
	"gram_places":           "numbers, written by the migrations of the target",
	"event_head":            "the number of the last event, which is set at the end",
	"status_tally_changes":  "added up in the source before",
	"account_tally_changes": "added up in the source before",
	"account_facet_changes": "added up in the source before",
	"status_docs":           "the search index, which is built anew",
	"status_search":         "the search index, which is built anew",
	"status_search_data":    "the search index, which is built anew",
	"status_search_idx":     "the search index, which is built anew",
	"status_search_docsize": "the search index, which is built anew",
	"status_search_config":  "the search index, which is built anew",
	moveTable:               "of the move itself",
}

// seeded are the tables that have rows in a database which was only migrated.
var seeded = []string{"meta", "event_head", "gram_places", "schema_migrations", "river_migration", "status_search_data", "status_search_config", moveTable}

// numberOfEvent is the only column that one database alone has: PostgreSQL stores events
// under a number of their own until they get the one that readers see.
const numberOfEvent = "events.id"

// catalogColumn is a column as the catalog of a database has it.
type catalogColumn struct {
	Table     string
	Name      string
	Type      string
	Key       int // its place in the primary key, from 1
	Generated bool
}

// catalog returns the columns of all tables, in the order of tables and names.
func (d *DB) catalog(ctx context.Context) (map[string][]catalogColumn, error) {
	query := `SELECT m.name AS "table", c.name, lower(c.type) AS type, c.pk AS key, c.hidden IN (2, 3) AS generated
		FROM sqlite_master m JOIN pragma_table_xinfo(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND c.hidden <> 1 ORDER BY m.name, c.name`
	if d.Dialect() == Postgres {
		query = `SELECT c.relname AS "table", a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
			COALESCE((SELECT array_position(i.indkey::smallint[], a.attnum) + 1 FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary), 0) AS key, a.attgenerated <> '' AS generated
			FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
			WHERE c.relkind IN ('r', 'p') AND c.relnamespace = to_regnamespace(current_schema()) AND a.attnum > 0 AND NOT a.attisdropped
			ORDER BY c.relname COLLATE "C", a.attname COLLATE "C"`
	}
	rows, err := list[catalogColumn](ctx, d.writing(), "catalog", query)
	out := map[string][]catalogColumn{}
	for _, c := range rows {
		out[c.Table] = append(out[c.Table], c)
	}
	return out, err
}

// movedColumn is a column that is copied.
type movedColumn struct {
	name string
	kind valueKind
}

// movedTable is a table that is copied, in the order of a key of the source.
type movedTable struct {
	name    string
	columns []movedColumn
	key     []int // places in columns
}

// planMove compares two catalogs, and returns what is to be copied from the first to the
// second. It fails on everything that it does not know how to copy.
func planMove(sqlite, postgres map[string][]catalogColumn) ([]movedTable, error) {
	var faults []string
	names := map[string]bool{}
	for _, side := range []map[string][]catalogColumn{sqlite, postgres} {
		for name := range side {
			if _, ok := unmoved[name]; !ok {
				names[name] = true
			}
		}
	}
	var out []movedTable
	for name := range names {
		here, there := sqlite[name], postgres[name]
		if here == nil || there == nil {
			faults = append(faults, "table "+name+" is in one of the databases only")
			continue
		}
		t, wrong := planTable(name, here, there)
		faults = append(faults, wrong...)
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b movedTable) int { return cmp.Compare(a.name, b.name) })
	if len(faults) > 0 {
		slices.Sort(faults)
		return nil, fmt.Errorf("a move does not know how to copy this database: %s", strings.Join(faults, "; "))
	}
	return out, nil
}

// planTable pairs the columns of one table.
func planTable(name string, sqlite, postgres []catalogColumn) (t movedTable, faults []string) {
	t.name = name
	other := map[string]catalogColumn{}
	for _, c := range postgres {
		other[c.Name] = c
	}
	keys := map[int]int{}
	for _, c := range sqlite {
		p, ok := other[c.Name]
		delete(other, c.Name)
		kind, known := kinds[[2]string{c.Type, p.Type}]
		switch {
		case !ok:
			faults = append(faults, "column "+name+"."+c.Name+" is in SQLite only")
		case c.Generated != p.Generated:
			faults = append(faults, "column "+name+"."+c.Name+" is generated in one of the databases only")
		case c.Generated:
		case !known:
			faults = append(faults, fmt.Sprintf("column %s.%s is %s in SQLite and %s in PostgreSQL", name, c.Name, c.Type, p.Type))
		default:
			if c.Key > 0 {
				keys[c.Key] = len(t.columns)
			}
			t.columns = append(t.columns, movedColumn{c.Name, kind})
		}
	}
	for column := range other {
		if name+"."+column != numberOfEvent {
			faults = append(faults, "column "+name+"."+column+" is in PostgreSQL only")
		}
	}
	for i := 1; i <= len(keys); i++ {
		t.key = append(t.key, keys[i])
	}
	if len(keys) == 0 && len(faults) == 0 {
		faults = append(faults, "table "+name+" has no primary key in SQLite")
	}
	return t, faults
}

// parentsFirst sorts tables so that each comes after those that its rows refer to by a foreign
// key.
func parentsFirst(tables []movedTable, parents map[string][]string) []movedTable {
	depth := map[string]int{}
	var of func(name string, from int) int
	of = func(name string, from int) int {
		if known, ok := depth[name]; ok || from > len(tables) {
			return known
		}
		n := 0
		for _, p := range parents[name] {
			if p != name {
				n = max(n, of(p, from+1)+1)
			}
		}
		depth[name] = n
		return n
	}
	out := slices.Clone(tables)
	slices.SortStableFunc(out, func(a, b movedTable) int { return cmp.Compare(of(a.name, 0), of(b.name, 0)) })
	return out
}

// foreignKeys returns the tables that each table refers to, of a SQLite database.
func (d *DB) foreignKeys(ctx context.Context) (map[string][]string, error) {
	type link struct{ Child, Parent string }
	rows, err := list[link](ctx, d.writing(), "foreign keys", `SELECT m.name AS child, f."table" AS parent
		FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table'`)
	out := map[string][]string{}
	for _, l := range rows {
		out[l.Child] = append(out[l.Child], l.Parent)
	}
	return out, err
}
