package social_test

import (
	"context"
	"flag"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/jobs"
)

var fans = flag.Int("fans", 2000, "the followers, follows and favourites of BenchmarkMuchInChunks")

// BenchmarkMuchInChunks deletes a favourite status, and hides, shows and erases an
// account, each with as many rows of others as -fans says, and reports the longest
// statement of each and the time of all.
func BenchmarkMuchInChunks(b *testing.B) {
	many := func(b *testing.B, dsn string) {
		w := newWorld(b, dbtest.Open(b, dsn))
		ann, s := w.popular(*fans)
		mod := w.person("mod")
		mod.IsModerator = true
		for _, step := range []struct {
			name string
			do   do
		}{
			{"delete", func(ctx context.Context) error {
				if err := w.DeleteStatus(ctx, ann, s.ID); err != nil {
					return err
				}
				return w.DeleteRest(ctx, jobs.DeleteRest{StatusID: s.ID})
			}},
			{"hide", func(ctx context.Context) error {
				if err := w.Deactivate(ctx, ann, ann); err != nil {
					return err
				}
				return w.Settle(ctx, jobs.Settle{AccountID: ann.ID})
			}},
			{"show", func(ctx context.Context) error {
				if err := w.Activate(ctx, mod, ann); err != nil {
					return err
				}
				return w.Settle(ctx, jobs.Settle{AccountID: ann.ID})
			}},
			{"erase", func(ctx context.Context) error {
				if _, err := w.DeleteAccount(ctx, ann, ann); err != nil {
					return err
				}
				for done := false; !done; {
					var err error
					if done, err = w.EraseAccount(ctx, jobs.EraseAccount{AccountID: ann.ID}); err != nil {
						return err
					}
				}
				return nil
			}},
		} {
			longest, n, began := time.Duration(0), 0, time.Now()
			last := began
			ctx := db.WatchStatements(b.Context(), func(string) {
				longest, last = max(longest, time.Since(last)), time.Now()
				n++
			})
			w.must(step.do(ctx))
			b.ReportMetric(float64(longest.Microseconds())/1000, step.name+"-longest-ms")
			b.ReportMetric(time.Since(began).Seconds(), step.name+"-s")
			b.ReportMetric(float64(n), step.name+"-statements")
		}
	}
	b.Run("sqlite", func(b *testing.B) { many(b, dbtest.Ready(b)) })
	if dsn := dbtest.Postgres(b); dsn != "" {
		b.Run("postgres", func(b *testing.B) { many(b, dsn) })
	}
}
