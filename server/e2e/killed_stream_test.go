package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
)

// eitherOf is a client that reaches the first of some processes that answers, as a
// balancer would.
func eitherOf(t *testing.T, token string, all ...*process) *client.Client {
	t.Helper()
	return good(client.New(base, client.WithRetries(0), client.WithToken(token), client.WithHTTPClient(eitherHTTP(all...))))(t)
}

func eitherHTTP(all ...*process) *http.Client {
	return &http.Client{Transport: &http.Transport{
		ResponseHeaderTimeout: 35 * time.Second,
		DialContext: func(ctx context.Context, network, address string) (conn net.Conn, err error) {
			for _, p := range all {
				if conn, err = p.dial(ctx, network, address); err == nil {
					return conn, nil
				}
			}
			return nil, err
		},
	}}
}

// heard counts the statuses that a listener got.
type heard struct {
	mu    sync.Mutex
	times map[string]int
}

func (h *heard) add(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.times == nil {
		h.times = map[string]int{}
	}
	h.times[id]++
}

func (h *heard) all() map[string]int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return maps.Clone(h.times)
}

// resume listens by Server-Sent Events, and goes on after the last event.
func (h *heard) resume(ctx context.Context, t *testing.T, c *client.Client, connected chan<- bool) {
	for e, err := range c.Streams.Follow(ctx, api.StreamQuery{Stream: "user"}, "", func(up bool) {
		select {
		case connected <- up:
		default:
		}
	}) {
		var status api.Status
		switch {
		case ctx.Err() != nil:
		case err != nil || e.Name == "gap":
			t.Errorf("heard %q, %v", e.Name, err)
		case e.Name == "update":
			if err := json.Unmarshal([]byte(e.Payload), &status); err != nil {
				t.Error(err)
			}
			h.add(status.ID)
		}
	}
}

// reread listens on a socket. Whenever it has a new one, it reads what it missed since
// the newest status that it had when the socket before was opened: a status may
// become visible after one with a higher id. It drops what it has.
func (h *heard) reread(ctx context.Context, t *testing.T, c *client.Client, hc *http.Client, token string, connected chan<- bool) {
	newest, since := "", ""
	once := func(id string) {
		if h.all()[id] == 0 {
			h.add(id)
		}
		newest = max(newest, id)
	}
	for first := true; ctx.Err() == nil; first = false {
		conn, _, err := websocket.Dial(ctx, base+"/api/v1/streaming?stream=user", &websocket.DialOptions{
			HTTPClient: hc, HTTPHeader: http.Header{"Authorization": {"Bearer " + token}},
		})
		if err != nil {
			time.Sleep(10 * time.Millisecond)
			continue
		}
		conn.SetReadLimit(1 << 20)
		if first {
			connected <- true
		}
		opened, whole := newest, true
		for status, err := range c.Timelines.Home(api.TimelineQuery{PageQuery: api.PageQuery{SinceID: since}}).All(ctx) {
			if err != nil {
				_ = conn.CloseNow() // the process was killed meanwhile: once more
				whole = false
				break
			}
			once(status.ID)
		}
		var e struct{ Event, Payload string }
		for {
			_, text, err := conn.Read(ctx)
			if err != nil {
				break
			}
			var status api.Status
			if err := json.Unmarshal(text, &e); err != nil {
				t.Error(err)
			} else if e.Event == "update" {
				if err := json.Unmarshal([]byte(e.Payload), &status); err != nil {
					t.Error(err)
				}
				once(status.ID)
			}
		}
		_ = conn.CloseNow()
		if whole {
			since = opened
		}
	}
}

// TestListenersMissNothingOfKilledProcesses kills one process and the other in turns,
// wherever transactions and the numbering of their events are, while four connections
// post and three people listen. A listener whose process is killed connects to the
// other one. By Last-Event-ID or since_id, each has every status that is stored, once,
// and no other. SVC_TEST_KILLS is how often a process is killed.
func TestListenersMissNothingOfKilledProcesses(t *testing.T) {
	t.Parallel()
	kills := 2
	if s := os.Getenv("SVC_TEST_KILLS"); s != "" {
		kills = good(strconv.Atoi(s))(t)
	}
	dsn := onPostgres(t)
	one, two := newProcess(t, shortDir(t), dsn), newProcess(t, shortDir(t), dsn)
	one.user("alice")
	one.start()
	two.start()
	token := one.logIn("alice")
	ctx, stopListening := context.WithCancel(t.Context())
	var listeners sync.WaitGroup
	defer listeners.Wait()
	defer stopListening()
	people := map[string]*heard{"one, two": {}, "two, one": {}, "since_id": {}}
	for name, listen := range map[string]func(h *heard, connected chan<- bool){
		"one, two": func(h *heard, connected chan<- bool) { h.resume(ctx, t, eitherOf(t, token, one, two), connected) },
		"two, one": func(h *heard, connected chan<- bool) { h.resume(ctx, t, eitherOf(t, token, two, one), connected) },
		"since_id": func(h *heard, connected chan<- bool) {
			h.reread(ctx, t, eitherOf(t, token, one, two), eitherHTTP(one, two), token, connected)
		},
	} {
		connected := make(chan bool, 1)
		listeners.Go(func() { listen(people[name], connected) })
		<-connected
	}
	for n := range kills {
		killed := []*process{one, two}[n%2]
		before := map[string]int{}
		for name, h := range people {
			before[name] = len(h.all())
		}
		ctx, stop := context.WithCancel(t.Context())
		var posting sync.WaitGroup
		for i := range 4 {
			order := []*process{one, two}
			if i%2 == 1 {
				order = []*process{two, one}
			}
			posting.Go(func() {
				c := eitherOf(t, token, order...)
				for i := 0; ctx.Err() == nil; i++ {
					_, err := c.Statuses.Post(ctx, api.NewStatus{Status: fmt.Sprint(n, " ", i)})
					if err != nil && !errors.Is(err, client.ErrNetwork) && ctx.Err() == nil {
						t.Errorf("post: %v", err)
						return
					}
				}
			})
		}
		grown := func(by int) func() bool {
			return func() bool {
				for name, h := range people {
					if len(h.all()) < before[name]+by {
						return false
					}
				}
				return true
			}
		}
		eventually(t, time.Minute, "posts are heard", grown(5))
		killed.kill()
		for name, h := range people {
			before[name] = len(h.all())
		}
		eventually(t, time.Minute, "posts are heard from the other", grown(5))
		stop()
		posting.Wait()
		killed.start()
	}
	reading := two.client(token)
	last := good(reading.Statuses.Post(t.Context(), api.NewStatus{Status: "the end"}))(t)
	stored := map[string]int{}
	for status, err := range reading.Timelines.Home(api.TimelineQuery{}).All(t.Context()) {
		must(t, err)
		stored[status.ID] = 1
	}
	for name, h := range people {
		eventually(t, time.Minute, "the last is heard", func() bool { return h.all()[last.ID] > 0 })
		if diff := cmp.Diff(stored, h.all()); diff != "" {
			t.Errorf("%s: of %d stored: %s", name, len(stored), diff)
		}
	}
	t.Logf("%d kills, %d statuses", kills, len(stored))
}
