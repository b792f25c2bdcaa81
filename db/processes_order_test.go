package db_test

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

// runsOnce runs second during first, as dbtest.Between, each in a transaction. A second
// attempt of one means a deadlock.
func runsOnce(t *testing.T, d *db.DB, part string, first, second func(ctx context.Context, tx *db.DB) error) {
	t.Helper()
	var attempts atomic.Int64
	run := func(do func(ctx context.Context, tx *db.DB) error) func(context.Context) error {
		return func(ctx context.Context) error {
			return d.Tx(ctx, func(tx *db.DB) error {
				attempts.Add(1)
				return do(ctx, tx)
			})
		}
	}
	must(t, errors.Join(dbtest.Between(t, d, part, run(first), run(second))))
	if n := attempts.Load(); n != 2 {
		t.Errorf("%d attempts", n)
	}
}

// TestClaimsAreReleasedInOrder runs each release beside a transaction that releases
// the claims of two rows one after the other, in the order of their keys. The rows lie
// in the opposite order in the table.
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
				func(ctx context.Context, tx *db.DB, n int64) error {
					return tx.ReleaseInboxItems(ctx, holder, []int64{n})
				},
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
					first := func(ctx context.Context, tx *db.DB) error { return errors.Join(one(ctx, tx, 1), one(ctx, tx, 2)) }
					runsOnce(t, d, "UPDATE ", first, all)
				})
			})
		}
	}
}

// TestTheRestOfAStatusIsRemovedInOrder removes the bookmarks of a deleted status beside
// a transaction that removes the same, one after the other.
func TestTheRestOfAStatusIsRemovedInOrder(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for n := 8; n > 0; n-- {
			must(t, dbtest.Exec(t, d, "INSERT INTO bookmarks (id, account_id, status_id, created_at) VALUES (?, ?, 'gone', 1)", n, strconv.Itoa(n)))
		}
		one := func(ctx context.Context, tx *db.DB) (err error) {
			for n := range 8 {
				err = errors.Join(err, tx.DeleteBookmark(ctx, strconv.Itoa(n+1), "gone"))
			}
			return err
		}
		runsOnce(t, d, "DELETE FROM bookmarks", one, func(ctx context.Context, tx *db.DB) error {
			_, err := tx.DeleteRest(ctx, "gone", 0, 10)
			return err
		})
	})
}

// TestDeliveriesAreWokenInOrder retries a host beside a transaction that puts its
// deliveries off, one after the other. The last is due first.
func TestDeliveriesAreWokenInOrder(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		must(t, dbtest.Exec(t, d, "INSERT INTO instances (host, created_at) VALUES ('x', 1)"))
		for n := range 8 {
			must(t, dbtest.Exec(t, d, "INSERT INTO deliveries (id, activity_id, inbox, host, priority, next_at, created_at) VALUES (?, ?, 'x', 'x', 1, ?, 1)", n, n, 10-n))
		}
		later := func(ctx context.Context, tx *db.DB) (err error) {
			for n := range int64(8) {
				err = errors.Join(err, tx.StoreDeliveryResults(ctx, "", db.DeliveryResults{Retries: []db.DeliveryRetry{{ID: n, NextAt: tx.Now()}}}))
			}
			return err
		}
		runsOnce(t, d, "UPDATE deliveries", later, func(ctx context.Context, tx *db.DB) error {
			_, err := tx.RetryHost(ctx, "x")
			return err
		})
	})
}
