package social_test

import (
	"context"
	"flag"
	"slices"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/jobs"
	"svc/server/rules/social"
)

var fans = flag.Int("fans", 2000, "the followers, follows and favourites of BenchmarkMuchInChunks")

// idlePosts is how many posts tell how long one takes while nothing else is done.
const idlePosts = 1000

// BenchmarkMuchInChunks deletes a favourite status, and hides, shows and erases an
// account, each with as many rows of others as -fans says. It logs the longest
// statement of each step, and reports its time and that of the whole step. Meanwhile
// somebody else posts, one status after the other: 99 of 100 posts took no longer
// than reported, as before the first step.
func BenchmarkMuchInChunks(b *testing.B) {
	many := func(b *testing.B, dsn string) {
		w := newWorld(b, dbtest.Open(b, dsn))
		ann, s := w.popular(*fans)
		mod := w.person("mod")
		mod.IsModerator = true
		other := w.person("other")
		post := func() time.Duration {
			began := time.Now()
			_, err := w.PostStatus(b.Context(), other, social.NewStatus{Text: "a status of somebody else"})
			if err != nil {
				b.Error(err)
			}
			return time.Since(began)
		}
		var idle []time.Duration
		for range idlePosts {
			idle = append(idle, post())
		}
		b.ReportMetric(p99(idle), "idle-post-p99-ms")
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
			last, slowest := began, ""
			ctx := db.WatchStatements(b.Context(), func(text string) {
				if took := time.Since(last); took > longest {
					longest, slowest = took, text
				}
				last = time.Now()
				n++
			})
			over, posted := make(chan struct{}), make(chan []time.Duration)
			go func() {
				var took []time.Duration
				for {
					select {
					case <-over:
						posted <- took
						return
					default:
						took = append(took, post())
					}
				}
			}()
			err := step.do(ctx)
			close(over)
			took := <-posted
			w.must(err)
			b.ReportMetric(p99(took), step.name+"-post-p99-ms")
			b.ReportMetric(float64(len(took)), step.name+"-posts")
			b.ReportMetric(float64(longest.Microseconds())/1000, step.name+"-longest-ms")
			b.Logf("%s: the longest was %.300s", step.name, slowest)
			b.ReportMetric(time.Since(began).Seconds(), step.name+"-s")
			b.ReportMetric(float64(n), step.name+"-statements")
		}
	}
	b.Run("sqlite", func(b *testing.B) { many(b, dbtest.Ready(b)) })
	if dsn := dbtest.Postgres(b); dsn != "" {
		b.Run("postgres", func(b *testing.B) { many(b, dsn) })
	}
}

// p99 returns the time in milliseconds that 99 of 100 did not exceed, 0 for none.
func p99(took []time.Duration) float64 {
	if len(took) == 0 {
		return 0
	}
	slices.Sort(took)
	return float64(took[(len(took)*99-1)/100].Microseconds()) / 1000
}
