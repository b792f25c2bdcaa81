package db_test

import (
	"context"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// TestPruningAndDigestsReadByIndexes: these tables may have millions of rows.
func TestPruningAndDigestsReadByIndexes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		now := time.Now()
		for name, ask := range map[string]func(ctx context.Context) error{
			"what to prune": func(ctx context.Context) error { return err1(d.Prunable(ctx, "", db.FlakeAt(now), 20)) },
			"who is new":    func(ctx context.Context) error { return err1(d.NewAccounts(ctx, now.Add(-time.Hour), 20)) },
			"who is gone":   func(ctx context.Context) error { return err1(d.Deleted(ctx, "x")) },
			"addresses": func(ctx context.Context) error {
				return err1(d.TakenEmails(ctx, []string{"a@example.org", "b@example.org"}))
			},
		} {
			plans := dbtest.Plans(t, d, func(ctx context.Context) {
				if err := ask(ctx); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
			if len(plans) == 0 {
				t.Errorf("%s sent no statement", name)
			}
			for sql, plan := range plans {
				if waste := dbtest.Wasteful(plan); len(waste) > 0 {
					t.Errorf("%s: %q\n%q\n%s", name, waste, plan, sql)
				}
			}
		}
	})
}
