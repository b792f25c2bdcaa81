package e2e

import (
	"cmp"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svc/client/api"
	"svc/db/dbtest"
	"svc/server/platform/outgoing"
	"svc/server/platform/webpush/webpushtest"
)

// slowly sends requests over a connection of its own, whose answers are more than a
// socket holds, and reads a byte every now and then, or none at all, until done.
func (p *process) slowly(target string, reads bool, done <-chan struct{}) {
	conn, err := p.dial(p.t.Context(), "", "")
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	request := fmt.Sprintf("GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", target)
	if _, err := io.WriteString(conn, strings.Repeat(request, 8)); err != nil {
		return
	}
	for one := make([]byte, 1); ; {
		select {
		case <-done:
			return
		case <-time.After(200 * time.Millisecond):
		}
		if !reads {
			continue
		}
		_ = conn.SetReadDeadline(time.Now().Add(time.Second))
		if _, err := conn.Read(one); err != nil {
			if timeout, ok := err.(net.Error); !ok || !timeout.Timeout() {
				return // cut off
			}
		}
	}
}

var eventID = regexp.MustCompile(`(?m)^id: ?(\S+)`)

// TestOthersAreServedWhilePeopleAndStrangersDoTheirWorst: for SVC_TEST_ATTACK (default
// 4s), four people mention each other once a second and have five devices each at a push
// service that never answers; a hundred strangers listen to the public stream without
// reading, thirty come and go, and resume; fifty read a page a byte at a time. It logs
// the figures of docs/internals/attacks.md.
func TestOthersAreServedWhilePeopleAndStrangersDoTheirWorst(t *testing.T) {
	if testing.Short() {
		t.Skip("a load")
	}
	long, err := time.ParseDuration(cmp.Or(os.Getenv("SVC_TEST_ATTACK"), "4s"))
	must(t, err)
	dbtest.EachDSN(t, func(t *testing.T, dsn string) {
		p := newProcess(t, shortDir(t), postgresOnly(dsn))
		p.env = []string{"SVC_FEDERATION_INSECURE=true"}
		people := []string{"ann", "ben", "cat", "dan"}
		for _, name := range append(people, "alice") {
			p.user(name)
		}
		p.start()
		done := make(chan struct{})
		var asked, posted atomic.Int64
		service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			select {
			case <-r.Context().Done():
			case <-done:
			}
		}))
		defer service.Close()
		device := webpushtest.Start(t).Device
		tokens := map[string]string{}
		for _, name := range people {
			for i := range 5 {
				tokens[name] = p.logIn(name)
				yes := api.PushAlerts{Mention: true}
				_, err := p.client(tokens[name]).Push.Subscribe(t.Context(), api.NewPushSubscription{
					Subscription: api.PushTarget{Endpoint: fmt.Sprintf("%s/%s/%d", service.URL, name, i), Keys: api.PushKeys{P256dh: device.P256dh, Auth: device.Auth}},
					Data:         api.PushData{Alerts: &yes},
				})
				must(t, err)
			}
		}
		text := "@ann @ben @cat @dan " + strings.Repeat("tea ", 100)
		alice := p.logIn("alice")
		for range 40 { // what visitors read, before and during the attack
			_, err := p.client(alice).Statuses.Post(t.Context(), api.NewStatus{Status: strings.ReplaceAll(text, "@", "")})
			must(t, err)
		}
		idle50, idle99 := p.visit(t, publicTimeline, alice, min(long/4, 10*time.Second))
		before := p.peak()

		var attackers sync.WaitGroup
		again := func(pause time.Duration, do func()) {
			attackers.Go(func() {
				for {
					select {
					case <-done:
						return
					case <-time.After(pause):
						do()
					}
				}
			})
		}
		for _, name := range people {
			c := p.client(tokens[name])
			again(time.Second, func() {
				if _, err := c.Statuses.Post(t.Context(), api.NewStatus{Status: text}); err != nil {
					t.Errorf("%s posts: %v", name, err)
				}
				posted.Add(1)
			})
		}
		for range 100 {
			attackers.Go(func() { p.slowly("/api/v1/streaming/public", false, done) })
		}
		for range 50 {
			attackers.Go(func() { p.slowly("/api/v1/timelines/public?limit=40", true, done) })
		}
		var first, resumed atomic.Pointer[string] // where strangers resume: at the first event that one heard of
		for range 30 {
			again(100*time.Millisecond, func() {
				conn, err := p.dial(t.Context(), "", "")
				if err != nil {
					return
				}
				defer func() { _ = conn.Close() }()
				_ = conn.SetDeadline(time.Now().Add(300 * time.Millisecond))
				header, at := "", first.Load()
				if at != nil {
					header = "Last-Event-ID: " + *at + "\r\n"
				}
				_, _ = io.WriteString(conn, "GET /api/v1/streaming/public HTTP/1.1\r\nHost: 127.0.0.1\r\n"+header+"\r\n")
				heard, _ := io.ReadAll(io.LimitReader(conn, 8<<10))
				if m := eventID.FindSubmatch(heard); m != nil {
					if id := string(m[1]); at == nil {
						first.CompareAndSwap(nil, &id)
					} else {
						resumed.Store(&id)
					}
				}
			})
		}
		p50, p99 := p.visit(t, publicTimeline, alice, long)
		close(done)
		attackers.Wait()
		if resumed.Load() == nil {
			t.Error("no stranger was told what they missed")
		}
		if posted.Load() == 0 || asked.Load() == 0 {
			t.Errorf("%d statuses posted, the push service called %d times", posted.Load(), asked.Load())
		}
		t.Logf("%d statuses, %d calls of the push service", posted.Load(), asked.Load())
		if strings.Contains(p.stderr.String(), outgoing.ErrBusy.Error()) {
			t.Error("calls of the slow push service had others refused")
		}
		p.wasServed(t, 400, before, idle50, idle99, p50, p99)
	})
}
