package server_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/servertest"
)

// The size of the benchmark of delivery.
const (
	benchHosts     = 1000
	benchFollowers = 10_000
	benchPosts     = 5 // one after the other
	benchRate      = 10 * time.Millisecond
	benchIdle      = 5 * time.Second
)

// farHosts are servers at addresses of their own on this machine, which accept
// all activities.
type farHosts struct {
	port  string
	taken atomic.Int64
}

func newFarHosts(b *testing.B) *farHosts {
	b.Helper()
	l, err := (&net.ListenConfig{}).Listen(b.Context(), "tcp4", "0.0.0.0:0")
	if err != nil {
		b.Fatal(err)
	}
	f := &farHosts{}
	_, f.port, _ = net.SplitHostPort(l.Addr().String())
	srv := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.Method == http.MethodPost && r.Header.Get("Signature") != "" {
			f.taken.Add(1)
		}
		w.WriteHeader(http.StatusAccepted)
	})}
	go func() { _ = srv.Serve(l) }()
	b.Cleanup(func() { _ = srv.Close() })
	return f
}

func (f *farHosts) host(i int) string { return fmt.Sprintf("127.10.%d.%d:%s", i/250, i%250+1, f.port) }

// follow creates the followers of an account, spread over the hosts.
func (f *farHosts) follow(b *testing.B, d *db.DB, target *db.Account) {
	b.Helper()
	ctx := b.Context()
	for part := range slices.Chunk(slices.Collect(func(yield func(int) bool) {
		for i := range benchFollowers {
			if !yield(i) {
				return
			}
		}
	}), 1000) {
		err := d.Tx(ctx, func(tx *db.DB) error {
			for _, i := range part {
				host := f.host(i % benchHosts)
				uri := fmt.Sprintf("http://%s/users/f%d", host, i)
				a := &db.Account{URI: uri, URL: uri, Nickname: fmt.Sprintf("f%d@%s", i, host), Domain: host, ActorType: "Person",
					Inbox: uri + "/inbox", SharedInbox: "http://" + host + "/inbox", FollowersURI: uri + "/followers", KeyID: uri + "#main-key", FetchedAt: tx.Now()}
				if err := tx.CreateAccount(ctx, a); err != nil {
					return err
				}
				if err := tx.CreateFollow(ctx, &db.Follow{FollowerID: a.ID, TargetID: target.ID, ID: tx.NewID(), Reblogs: true}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// visitors request pages and post, at a rate, until stopped.
type visitors struct {
	mu    sync.Mutex
	took  []time.Duration
	stop  context.CancelFunc
	ended sync.WaitGroup
}

func visit(b *testing.B, clients []*client.Client) *visitors {
	b.Helper()
	v := &visitors{}
	ctx, stop := context.WithCancel(b.Context())
	v.stop = stop
	for i, c := range clients {
		v.ended.Go(func() {
			tick := time.NewTicker(benchRate * time.Duration(len(clients)))
			defer tick.Stop()
			for n := 0; ; n++ {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
				begin := time.Now()
				var err error
				if n%10 == i%10 {
					_, err = c.Statuses.Post(ctx, api.NewStatus{Status: fmt.Sprintf("visitor %d says %d", i, n)})
				} else {
					_, err = c.Timelines.Home(api.TimelineQuery{}).Page(ctx)
				}
				if err != nil {
					if ctx.Err() == nil {
						b.Error(err)
					}
					return
				}
				v.mu.Lock()
				v.took = append(v.took, time.Since(begin))
				v.mu.Unlock()
			}
		})
	}
	return v
}

// end returns the median and the 99th percentile of the requests' times.
func (v *visitors) end() (p50, p99 time.Duration, n int) {
	v.stop()
	v.ended.Wait()
	slices.Sort(v.took)
	if n = len(v.took); n == 0 {
		return 0, 0, 0
	}
	return v.took[n/2], v.took[n*99/100], n
}

// BenchmarkDelivery delivers statuses of one author to 10,000 followers on
// 1,000 hosts while others read and post. It measures the time until all have
// each status, and the effect on the others. Everything, the hosts too, runs on
// this machine.
func BenchmarkDelivery(b *testing.B) {
	for _, dsn := range []string{dbtest.Ready(b), dbtest.Postgres(b)} {
		if dsn == "" {
			continue
		}
		s := servertest.On(b, dsn)
		b.Run(string(s.DB.Dialect()), func(b *testing.B) {
			far := newFarHosts(b)
			star := s.User("star")
			far.follow(b, s.DB, star)
			var clients []*client.Client
			for i := range 8 {
				clients = append(clients, s.Client(fmt.Sprint("visitor", i)))
			}
			author := s.Client("star")
			for b.Loop() {
				idle := visit(b, clients)
				wait(b, benchIdle)
				p50, p99, n := idle.end()
				busy := visit(b, clients)
				begin, cpu, want := time.Now(), processorTime(), far.taken.Load()
				for i := range benchPosts {
					if _, err := author.Statuses.Post(b.Context(), api.NewStatus{Status: fmt.Sprintf("post %d of the star", i)}); err != nil {
						b.Fatal(err)
					}
					want += benchHosts
					for far.taken.Load() < want {
						wait(b, 5*time.Millisecond)
					}
				}
				took, spent := time.Since(begin), processorTime()-cpu
				busy50, busy99, m := busy.end()
				// A host that answers too late gets the activity again.
				b.ReportMetric(float64(far.taken.Load()-want), "repeats")
				b.ReportMetric(took.Seconds()/benchPosts, "s/post")
				b.ReportMetric(spent.Seconds()/took.Seconds(), "cores")
				b.ReportMetric(float64(p50.Microseconds())/1000, "idle-p50-ms")
				b.ReportMetric(float64(p99.Microseconds())/1000, "idle-p99-ms")
				b.ReportMetric(float64(busy50.Microseconds())/1000, "busy-p50-ms")
				b.ReportMetric(float64(busy99.Microseconds())/1000, "busy-p99-ms")
				b.Logf("%d and %d requests", n, m)
			}
		})
	}
}

func wait(b *testing.B, d time.Duration) {
	select {
	case <-b.Context().Done():
	case <-time.After(d):
	}
}

// processorTime is the processor time of this process.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
