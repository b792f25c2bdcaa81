package e2e

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"svc/client"
	"svc/client/api"
)

// TestAServerThatStopsServesOnWhileProbesTurnAway tells a server to stop, and
// asks it on.
func TestAServerThatStopsServesOnWhileProbesTurnAway(t *testing.T) {
	t.Parallel()
	p := newProcess(t, shortDir(t), "")
	p.env = []string{"SVC_DRAIN=5s"}
	p.user("alice")
	p.start()
	token := p.logIn("alice")
	c := p.client(token)
	p.signal(syscall.SIGTERM)
	p.stopping(t)
	for i := range 10 {
		if _, err := c.Statuses.Post(t.Context(), api.NewStatus{Status: "served on"}); err != nil {
			t.Fatalf("request %d after the probe turned away: %v", i, err)
		}
	}
	if code := p.wait(20 * time.Second); code != 0 {
		t.Errorf("exit code %d", code)
	}
	p.env = nil
	p.start()
	me, err := p.client(token).Accounts.Verify(t.Context())
	must(t, err)
	if me.StatusesCount != 10 {
		t.Errorf("%d posts are there", me.StatusesCount)
	}
}

// balancer sends requests to the processes with a successful probe, in turns.
type balancer struct {
	t     *testing.T
	to    []*process
	ready []atomic.Bool
	next  atomic.Int64
	proxy []*httputil.ReverseProxy
}

func newBalancer(t *testing.T, to ...*process) *balancer {
	b := &balancer{t: t, to: to, ready: make([]atomic.Bool, len(to))}
	for _, p := range to {
		b.proxy = append(b.proxy, &httputil.ReverseProxy{
			Rewrite: func(r *httputil.ProxyRequest) { // no address is passed on, so that no limit counts the request
				r.SetURL(&url.URL{Scheme: "http", Host: "127.0.0.1"})
			},
			Transport: &http.Transport{DialContext: p.dial},
		})
	}
	return b
}

// watch asks one process's probe until the test ends.
func (b *balancer) watch(i int, done <-chan struct{}) {
	hc := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DialContext: b.to[i].dial, DisableKeepAlives: true}}
	for {
		resp, err := hc.Get(base + "/readyz")
		b.ready[i].Store(err == nil && resp.StatusCode == http.StatusOK)
		if err == nil {
			_ = resp.Body.Close()
		}
		select {
		case <-done:
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (b *balancer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	first := int(b.next.Add(1))
	for turn := range b.to {
		if i := (first + turn) % len(b.to); b.ready[i].Load() {
			b.proxy[i].ServeHTTP(w, r)
			return
		}
	}
	w.WriteHeader(http.StatusBadGateway)
}

// TestARollingRestartRefusesNothing restarts two servers of one database, one
// after the other, behind a balancer that asks their probes, while people post.
func TestARollingRestartRefusesNothing(t *testing.T) {
	t.Parallel()
	dsn := onPostgres(t)
	a, b := newProcess(t, shortDir(t), dsn), newProcess(t, shortDir(t), dsn)
	a.env, b.env = []string{"SVC_DRAIN=4s"}, []string{"SVC_DRAIN=4s"}
	a.start()
	b.start()
	a.user("alice")
	token := a.logIn("alice")
	lb := newBalancer(t, a, b)
	done := make(chan struct{})
	var probes, people sync.WaitGroup
	for i := range lb.to {
		probes.Go(func() { lb.watch(i, done) })
	}
	eventually(t, 10*time.Second, "both are ready", func() bool { return lb.ready[0].Load() && lb.ready[1].Load() })
	front := httptest.NewServer(lb)
	defer front.Close()
	person := func() *client.Client {
		c, err := client.New(front.URL, client.WithRetries(0), client.WithToken(token))
		must(t, err)
		return c
	}
	var posted atomic.Int64
	stop := make(chan struct{})
	for range 4 {
		people.Go(func() {
			c := person()
			for {
				select {
				case <-stop:
					return
				case <-time.After(10 * time.Millisecond):
				}
				if _, err := c.Statuses.Post(t.Context(), api.NewStatus{Status: "while restarting"}); err != nil {
					t.Errorf("refused: %v", err)
					return
				}
				posted.Add(1)
			}
		})
	}
	for i, p := range lb.to {
		before := posted.Load()
		p.signal(syscall.SIGTERM)
		if code := p.wait(30 * time.Second); code != 0 {
			t.Errorf("exit code %d", code)
		}
		p.start()
		eventually(t, 10*time.Second, "it is ready again", lb.ready[i].Load)
		if posted.Load() == before {
			t.Error("nothing was posted meanwhile")
		}
	}
	close(stop)
	people.Wait()
	close(done)
	probes.Wait()
	me, err := person().Accounts.Verify(t.Context())
	must(t, err)
	if me.StatusesCount != int(posted.Load()) {
		t.Errorf("%d posts are there of %d", me.StatusesCount, posted.Load())
	}
}
