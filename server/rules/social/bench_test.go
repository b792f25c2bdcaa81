package social_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/rules/social"
)

// BenchmarkPostStatus posts as 20 accounts that all follow each other, from 16
// goroutines, as the load harness does.
func BenchmarkPostStatus(b *testing.B) {
	run := func(b *testing.B, d *db.DB) {
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
		var n atomic.Int64
		b.SetParallelism(8)
		b.ReportAllocs()
		b.ResetTimer()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				i := n.Add(1)
				if _, err := w.PostStatus(b.Context(), people[i%20], social.NewStatus{
					Text: fmt.Sprintf("a measured post, number %d, river stone lantern copper winter signal", i), ContentType: "text/plain",
				}); err != nil {
					b.Error(err)
				}
			}
		})
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "posts/s")
	}
	b.Run("sqlite", func(b *testing.B) {
		run(b, dbtest.New(b))
	})
	b.Run("postgres", func(b *testing.B) {
		if dsn := dbtest.Postgres(b); dsn != "" {
			run(b, dbtest.Open(b, dsn))
		}
	})
}
