package db_test

import (
	"context"
	"regexp"
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

// namesAnAccount matches the columns that hold the id of an account.
var namesAnAccount = regexp.MustCompile(`(^|_)(account|owner|target|from|follower|followed|reporter|actor|author|recipient|sender|receiver|user|member|creator|inviter|moderator|by)_id$|_by$`)

// TestEveryColumnThatNamesAnAccountIsErasedOrKeptForAReason fails for a new
// column with the id of an account that is not in Erasures.
func TestEveryColumnThatNamesAnAccountIsErasedOrKeptForAReason(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		type column struct{ table, column string }
		there := map[column]bool{}
		query := `SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'river_%'`
		if d.Dialect() == db.Postgres {
			query = `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = ANY (current_schemas(false)) AND table_name NOT LIKE 'river_%'`
		}
		rows, err := d.Writer().QueryContext(ctx, query)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var c column
			if err := rows.Scan(&c.table, &c.column); err != nil {
				t.Fatal(err)
			}
			if namesAnAccount.MatchString(c.column) {
				there[c] = true
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		if len(there) < 40 {
			t.Fatalf("only %d columns were found", len(there))
		}
		listed := map[column]bool{}
		for _, e := range db.Erasures() {
			c := column{e.Table, e.Column}
			if !there[c] {
				t.Errorf("%s.%s is on the list and not in the schema", e.Table, e.Column)
			}
			listed[c] = true
		}
		for c := range there {
			if !listed[c] {
				t.Errorf("%s.%s names an account: say in db.Erasures what becomes of it", c.table, c.column)
			}
		}
	})
}

// TestErasingReadsOnlyWhatIsErased holds each step to an index: a step that
// read a whole table would block everybody.
func TestErasingReadsOnlyWhatIsErased(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		a := dbtest.Account(t, d, "ann")
		for _, e := range db.Erasures() {
			plans := dbtest.Plans(t, d, func(ctx context.Context) {
				err := d.Tx(ctx, func(tx *db.DB) error {
					more, err := tx.Erase(ctx, e, a.ID, 10)
					if more {
						t.Errorf("%s.%s: there is more of nothing", e.Table, e.Column)
					}
					return err
				})
				if err != nil {
					t.Errorf("%s.%s: %v", e.Table, e.Column, err)
				}
			})
			if e.Kept == "" && len(plans) == 0 {
				t.Errorf("%s.%s sent no statement", e.Table, e.Column)
			}
			for sql, plan := range plans {
				if waste := dbtest.Wasteful(plan); len(waste) > 0 {
					t.Errorf("%s.%s: %q\n%q\n%s", e.Table, e.Column, waste, plan, sql)
				}
			}
		}
	})
}
