package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"svc/client"
	"svc/client/api"
	"svc/server/servertest"
	"svc/server/servertest/peer"
)

// follower is somebody on another server who follows bob, and that bob has pushes sent
// to. It refuses everything until it comes back.
type follower struct {
	b     *backups
	fan   *peer.Actor
	token string   // of bob
	posts []string // uris of posts that wait

	mu      sync.Mutex
	back    bool
	arrived []string // uris of posts
	pushes  int
}

// follow has bob post while his follower is away.
func (b *backups) follow() *follower {
	b.t.Helper()
	far := peer.Start(b.t, "127.0.0.3")
	f := &follower{b: b, fan: far.Actor("fan"), token: b.p.logIn("bob")}
	far.Answer(func(r peer.Request) peer.Page {
		f.mu.Lock()
		defer f.mu.Unlock()
		kind := r.Doc.Text("type")
		switch {
		case kind == "Accept":
		case !f.back:
			return peer.Page{Status: http.StatusServiceUnavailable}
		case kind == "Create":
			f.arrived = append(f.arrived, r.Doc.Text("object", "id"))
		case strings.HasPrefix(r.URI, "/push/"):
			f.pushes++
		}
		return peer.Page{Status: http.StatusCreated}
	})
	if got := f.fan.Send(b.at+"/inbox", f.fan.Follow(b.at+"/users/bob")); got.Status != http.StatusAccepted {
		b.t.Fatalf("a follow is answered %d %s", got.Status, got.Body)
	}
	eventually(b.t, 30*time.Second, "bob is followed from afar", func() bool { return len(f.fan.Received("Accept")) == 1 })
	bob := b.p.client(f.token)
	subscription := strings.ReplaceAll(servertest.Examples["POST /api/v1/push/subscription"].Body, "https://push.example", far.Base()+"/push")
	must(b.t, err1(bob.Do(b.t.Context(), client.Request{Method: http.MethodPost, Path: "/api/v1/push/subscription", Body: json.RawMessage(subscription)}, nil)))
	for i := range 3 {
		f.post(bob, fmt.Sprintf("while they are away %d", i))
	}
	return f
}

func (f *follower) post(bob *client.Client, text string) {
	f.b.t.Helper()
	s, err := bob.Statuses.Post(f.b.t.Context(), api.NewStatus{Status: text})
	must(f.b.t, err)
	f.posts = append(f.posts, s.URI)
}

// comeBack answers from now on, and has q, which does not run, try again at once.
func (f *follower) comeBack(q *process) {
	f.b.t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.back, f.arrived, f.pushes = true, nil, 0
	putOff(f.b.t, q, time.Now().Add(-time.Second))
}

// hearsAll wants bob's posts to arrive, those that waited and a new one, and a push of a
// new mention.
func (f *follower) hearsAll(q *process) {
	f.b.t.Helper()
	f.post(q.client(f.token), "after the restoration")
	_, err := q.client(f.b.token).Statuses.Post(f.b.t.Context(), api.NewStatus{Status: "@bob a push"})
	must(f.b.t, err)
	eventually(f.b.t, time.Minute, "pushes and posts arrive from the restored instance", func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.pushes > 0 && !slices.ContainsFunc(f.posts, func(uri string) bool { return !slices.Contains(f.arrived, uri) })
	})
}
