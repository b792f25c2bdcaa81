package db_test

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
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
				t.Errorf("%s.%s names an account: say in db/references.go what becomes of it", c.table, c.column)
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

// TestErasingIsInOrder erases rows beside a transaction that changes them one after
// the other, in the order of their keys. The rows lie in the opposite order in the
// table.
func TestErasingIsInOrder(t *testing.T) {
	const muting, seeing = "mutes", "notifications"
	for _, e := range db.Erasures() {
		if !slices.Contains([]string{muting + ".target_id", seeing + ".from_id"}, e.Table+"."+e.Column) {
			continue
		}
		t.Run(e.Table, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				ann := dbtest.Account(t, d, "ann")
				var others []string
				for n := range 8 {
					others = append(others, dbtest.Account(t, d, "other"+strconv.Itoa(n)).ID)
				}
				insert := "INSERT INTO mutes (target_id, account_id, created_at) VALUES (?, ?, 1)"
				if e.Table == seeing {
					insert = "INSERT INTO notifications (from_id, account_id, id, type, created_at) VALUES (?, ?, ?, 'mention', 1)"
				}
				for i, other := range slices.Backward(others) {
					args := []any{ann.ID, other, i}
					must(t, dbtest.Exec(t, d, insert, args[:strings.Count(insert, "?")]...))
				}
				change := func(ctx context.Context, tx *db.DB) (err error) {
					for i, other := range others {
						if e.Table == seeing {
							err = errors.Join(err, tx.SeeNotification(ctx, other, int64(i)))
						} else {
							err = errors.Join(err, tx.PutMute(ctx, &db.Mute{AccountID: other, TargetID: ann.ID}))
						}
					}
					return err
				}
				runsOnce(t, d, e.Table, change, func(ctx context.Context, tx *db.DB) error {
					more, err := tx.Erase(ctx, e, ann.ID, 10)
					if more {
						t.Error("there is more than all")
					}
					return err
				})
			})
		})
	}
}

// TestErasingGoesOnWhereAnotherErased: of more rows than one step removes, some are
// removed by another transaction meanwhile. The step takes others for them, and so does
// not count as the last.
func TestErasingGoesOnWhereAnotherErased(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ann, bob := dbtest.Account(t, d, "ann"), dbtest.Account(t, d, "bob")
		for id := range 5 {
			must(t, dbtest.Exec(t, d, "INSERT INTO notifications (id, from_id, account_id, type, emoji, created_at) VALUES (?, ?, ?, 'mention', ?, 1)", id, ann.ID, bob.ID, strings.Repeat("x", id)))
		}
		i := slices.IndexFunc(db.Erasures(), func(e db.Reference) bool { return e.Table == "notifications" && e.Column == "from_id" })
		dismiss := func(ctx context.Context) error {
			return d.Tx(ctx, func(tx *db.DB) error {
				_, err := tx.DeleteNotifications(ctx, bob.ID, 0)
				return err
			})
		}
		must(t, errors.Join(dbtest.Between(t, d, "DELETE FROM notifications", dismiss, func(ctx context.Context) error {
			for more := true; more; {
				err := d.Tx(ctx, func(tx *db.DB) (err error) {
					more, err = tx.Erase(ctx, db.Erasures()[i], ann.ID, 2)
					return err
				})
				if err != nil {
					return err
				}
			}
			return nil
		})))
		var left int
		must(t, d.Writer().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM notifications").Scan(&left))
		if left != 0 {
			t.Errorf("%d notifications are left", left)
		}
	})
}
