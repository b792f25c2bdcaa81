package db_test

import (
	"context"
	"errors"
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

// TestClaimsAreReleasedInOrder runs each release beside a transaction that releases
// the claims of two rows one after the other, in the order of their keys. The rows lie
// in the opposite order in the table. A second attempt means a deadlock.
func TestClaimsAreReleasedInOrder(t *testing.T) {
	const holder = "gone/1"
	type write = func(ctx context.Context, tx *db.DB) error
	for name, of := range map[string]func(tx *db.DB) (insert string, one func(ctx context.Context, tx *db.DB, n int64) error, all write){
		"jobs": func(d *db.DB) (string, func(context.Context, *db.DB, int64) error, write) {
			by := `'["gone/1"]'`
			if d.Dialect() == db.Postgres {
				by = "ARRAY['gone/1']"
			}
			return `INSERT INTO river_job (id, state, attempt, max_attempts, attempted_by, args, kind, queue, priority, attempted_at)
				VALUES (?, 'running', 1, 5, ` + by + `, '{}', 'due', 'default', 1, CURRENT_TIMESTAMP)`,
				func(ctx context.Context, tx *db.DB, n int64) error { return tx.ReleaseJobs(ctx, holder, []int64{n}) },
				func(ctx context.Context, tx *db.DB) error { return tx.ReleaseJobs(ctx, holder, []int64{1, 2}) }
		},
		"hosts": func(*db.DB) (string, func(context.Context, *db.DB, int64) error, write) {
			return "INSERT INTO delivery_hosts (host, holder, waiting, due_at, priority) VALUES (CAST(CAST(? AS BIGINT) AS TEXT), 'gone/1', 1, 1, 0)",
				func(ctx context.Context, tx *db.DB, n int64) error {
					return tx.ReleaseHosts(ctx, holder, []string{string(rune('0' + n))})
				},
				func(ctx context.Context, tx *db.DB) error { return tx.ReleaseHosts(ctx, holder, []string{"1", "2"}) }
		},
		"inbox items": func(*db.DB) (string, func(context.Context, *db.DB, int64) error, write) {
			return "INSERT INTO inbox_items (id, claimed_by, signer_id, actor, host, body, next_at, received_at) VALUES (?, 'gone/1', 'x', 'x', 'x', '', 0, 0)",
				func(ctx context.Context, tx *db.DB, n int64) error { return tx.ReleaseInboxItems(ctx, holder, []int64{n}) },
				func(ctx context.Context, tx *db.DB) error { return tx.ReleaseInboxItems(ctx, holder, []int64{1, 2}) }
		},
	} {
		revive := func(ctx context.Context, tx *db.DB) error { _, err := tx.ReviveClaims(ctx, nil); return err }
		for _, revived := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				dbtest.Each(t, func(t *testing.T, d *db.DB) {
					insert, one, all := of(d)
					if revived {
						all = revive
					}
					for _, n := range []int64{2, 1} {
						must(t, dbtest.Exec(t, d, insert, n))
					}
					attempts := 0
					run := func(do write) func(context.Context) error {
						return func(ctx context.Context) error {
							return d.Tx(ctx, func(tx *db.DB) error {
								attempts++
								return do(ctx, tx)
							})
						}
					}
					first := func(ctx context.Context, tx *db.DB) error { return errors.Join(one(ctx, tx, 1), one(ctx, tx, 2)) }
					must(t, errors.Join(dbtest.Between(t, d, "UPDATE ", run(first), run(all))))
					if attempts != 2 {
						t.Errorf("%d attempts", attempts)
					}
				})
			})
		}
	}
}
