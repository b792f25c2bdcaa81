package social_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/rules/social"
)

// BenchmarkPostStatus posts as 20 accounts that all follow each other, from one
// goroutine and from 16, as the load harness does.
func BenchmarkPostStatus(b *testing.B) {
	run := func(b *testing.B, d *db.DB, goroutines int) {
		w := newWorld(b, d)
		var people []*db.Account
		for i := range 20 {
			people = append(people, w.person(fmt.Sprintf("bench%d", i)))
		}
		for _, p := range people {
			for _, q := range people {
				if p != q {
					w.follow(p, q)
				}
			}
		}
		var (
			n       atomic.Int64
			posting sync.WaitGroup
		)
		b.ReportAllocs()
		b.ResetTimer()
		for range goroutines {
			posting.Go(func() {
				for i := n.Add(1); i <= int64(b.N); i = n.Add(1) {
					if _, err := w.PostStatus(b.Context(), people[i%20], social.NewStatus{
						Text: fmt.Sprintf("a measured post, number %d, river stone lantern copper winter signal", i), ContentType: "text/plain",
					}); err != nil {
						b.Error(err)
					}
				}
			})
		}
		posting.Wait()
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "posts/s")
	}
	for _, goroutines := range []int{1, 16} {
		b.Run(fmt.Sprintf("sqlite/%d", goroutines), func(b *testing.B) {
			run(b, dbtest.New(b), goroutines)
		})
		b.Run(fmt.Sprintf("postgres/%d", goroutines), func(b *testing.B) {
			if dsn := dbtest.Postgres(b); dsn != "" {
				run(b, dbtest.Open(b, dsn), goroutines)
			}
		})
	}
}
