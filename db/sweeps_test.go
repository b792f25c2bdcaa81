package db_test

import (
	"context"
	"fmt"
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

// TestSweepsAreBounded: a sweep removes at most limit rows of a table, by an index,
// reports that there are more, and keeps rows that are not old.
func TestSweepsAreBounded(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const old, limit = 5, 2
		now := d.Now()
		later := now.UnixMicro() + 1e12
		for _, table := range []struct {
			name, columns, values string
			sweep                 func(ctx context.Context, d *db.DB) (bool, error)
		}{
			{"mutes", "account_id, target_id, created_at, expires_at", "'a', 'b%d', 0, %d", func(ctx context.Context, d *db.DB) (bool, error) { return d.SweepExpired(ctx, now, limit) }},
			{"thread_mutes", "account_id, conversation_id, created_at, expires_at", "'a', %d, 0, %d", func(ctx context.Context, d *db.DB) (bool, error) { return d.SweepExpired(ctx, now, limit) }},
			{"idempotency_keys", "key, created_at", "'k%d', %d", func(ctx context.Context, d *db.DB) (bool, error) { return d.SweepExpired(ctx, now, limit) }},
			{"mail_tokens", "token_hash, account_id, purpose, created_at, expires_at", "'t%d', 'a', 'x', 0, %d", func(ctx context.Context, d *db.DB) (bool, error) { return d.SweepSignups(ctx, limit) }},
			{"captchas", "token, expires_at", "'c%d', %d", func(ctx context.Context, d *db.DB) (bool, error) { return d.SweepSignups(ctx, limit) }},
			{"mail_counts", "mailbox, kind, n, since", "'m%d', 'x', 1, %d", func(ctx context.Context, d *db.DB) (bool, error) { return d.SweepSignups(ctx, limit) }},
			{"card_failures", "link, failed_at", "'l%d', %d", func(ctx context.Context, d *db.DB) (bool, error) { return d.SweepCards(ctx, limit) }},
		} {
			insert := func(n int, at int64) {
				if err := dbtest.Exec(t, d, "INSERT INTO "+table.name+" ("+table.columns+") VALUES ("+fmt.Sprintf(table.values, n, at)+")"); err != nil {
					t.Fatal(err)
				}
			}
			for i := range old {
				insert(i, 1)
			}
			insert(old, later)
			for left := old - limit; left > 0; left -= limit {
				if more, err := table.sweep(t.Context(), d); err != nil || !more {
					t.Fatalf("%s: more %v, %v, want more", table.name, more, err)
				}
				if n := count(t, d, table.name); n != left+1 {
					t.Errorf("%s: %d rows, want %d", table.name, n, left+1)
				}
			}
			plans := dbtest.Plans(t, d, func(ctx context.Context) {
				if more, err := table.sweep(ctx, d); err != nil || more {
					t.Errorf("%s: more %v, %v at the end", table.name, more, err)
				}
			})
			for sql, plan := range plans {
				if bad := dbtest.Wasteful(plan); len(bad) > 0 {
					t.Errorf("%s: %v in the plan of %s", table.name, bad, sql)
				}
			}
			if n := count(t, d, table.name); n != 1 {
				t.Errorf("%s: %d rows at the end, want the one that is not old", table.name, n)
			}
		}
	})
}

func count(t *testing.T, d *db.DB, table string) (n int) {
	t.Helper()
	if err := d.Writer().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM "+table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
