package e2e

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"svc/client"
	"svc/client/api"
)

// stays is a process whose streams are counted. A stream of it may end once it is killed.
type stays struct {
	*process
	killed atomic.Int64
}

// ear is one who listens at one process, or at the first that answers.
type ear struct {
	name   string
	at     []*stays
	token  string
	stream string
	socket bool // else Server-Sent Events, which go on after the last
	last   string
}

// hearing is what all ears heard.
type hearing struct {
	opened, heard, killed, ended, gaps atomic.Int64
}

// listen listens until ctx ends, and opens the stream anew whenever it ends.
func (e *ear) listen(ctx context.Context, t *testing.T, n *hearing) {
	for ctx.Err() == nil {
		var on *stays
		before := int64(0)
		hc := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: eitherDial(e.at, func(p *stays) { on, before = p, p.killed.Load() })}}
		err := e.once(ctx, t, hc, n)
		hc.CloseIdleConnections()
		switch {
		case ctx.Err() != nil:
		case errors.Is(err, errNotOpen):
			time.Sleep(20 * time.Millisecond)
		case on.killed.Load() != before:
			n.killed.Add(1)
		default:
			n.ended.Add(1)
			t.Errorf("%s: ended: %v", e.name, err)
		}
	}
}

var errNotOpen = errors.New("no process answers")

func (e *ear) once(ctx context.Context, t *testing.T, hc *http.Client, n *hearing) error {
	header := http.Header{"Accept": {"text/event-stream"}}
	if e.token != "" {
		header.Set("Authorization", "Bearer "+e.token)
	}
	target := base + "/api/v1/streaming?stream=" + e.stream
	if e.socket {
		conn, _, err := websocket.Dial(ctx, target, &websocket.DialOptions{HTTPClient: hc, HTTPHeader: header})
		if err != nil {
			return errNotOpen
		}
		defer func() { _ = conn.CloseNow() }()
		conn.SetReadLimit(1 << 20)
		n.opened.Add(1)
		for {
			if _, _, err := conn.Read(ctx); err != nil {
				return err
			}
			n.heard.Add(1)
		}
	}
	if e.last != "" {
		header.Set("Last-Event-ID", e.last)
	}
	req := good(http.NewRequestWithContext(ctx, http.MethodGet, target, nil))(t)
	req.Header = header
	resp, err := hc.Do(req)
	if err != nil {
		return errNotOpen
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return errNotOpen
	}
	n.opened.Add(1)
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		name, text, _ := strings.Cut(lines.Text(), ": ")
		switch {
		case name == "id":
			e.last = text
		case name == "event" && text == "gap":
			n.gaps.Add(1)
			t.Errorf("%s: a gap after %s", e.name, e.last)
		case name == "event":
			n.heard.Add(1)
		}
	}
	return errors.Join(errors.New("the body ended"), lines.Err())
}

// busy does everything that streams are told of, again and again, until ctx ends.
func busy(ctx context.Context, t *testing.T, author, voter, admin *client.Client, acts *atomic.Int64) {
	did := func(err error) bool {
		acts.Add(1)
		// A killed process gives no answer, and what it did not do cannot be found.
		if err != nil && ctx.Err() == nil && !errors.Is(err, client.ErrNetwork) && client.Status(err) != http.StatusNotFound && client.Status(err) != http.StatusServiceUnavailable {
			t.Errorf("an act: %v", err)
		}
		return err == nil
	}
	hour := api.Int(3600)
	for i := 0; ctx.Err() == nil; i++ {
		visibility := []string{"public", "unlisted", "private", "direct", "local"}[i%5]
		form := api.NewStatus{Status: fmt.Sprint("#tea ", i), Visibility: visibility}
		if i%2 == 0 {
			form.Poll = &api.NewPoll{Options: []string{"green", "black"}, ExpiresIn: &hour}
		}
		if i%3 == 0 {
			form.Status = "@bob " + form.Status
		}
		said, err := author.Statuses.Post(ctx, form)
		if !did(err) {
			continue
		}
		if visibility != "direct" || i%3 == 0 {
			if said.Poll != nil {
				_, err = voter.Polls.Vote(ctx, said.Poll.ID, 0)
				did(err)
			}
			if _, err = voter.Statuses.React(ctx, said.ID, "🍵"); did(err) {
				_, err = voter.Statuses.Unreact(ctx, said.ID, "🍵")
				did(err)
			}
		}
		sensitive := true
		_, err = admin.Admin.Statuses.Update(ctx, said.ID, api.StatusUpdate{Sensitive: &sensitive})
		did(err)
		if i%4 != 3 {
			_, err = author.Statuses.Delete(ctx, said.ID)
			did(err)
		}
	}
}

// TestNoStreamEndsThatShouldNot: two processes on PostgreSQL are under posts, deletions,
// polls, reactions and edits, and one and the other is killed. Strangers listen alone, then
// followers too, then nobody, whose streams go on later. No stream of a process ends but
// by its kill, and none has a gap. SVC_TEST_STREAMS is how long that lasts, with ten kills;
// without it, it is short, with two.
func TestNoStreamEndsThatShouldNot(t *testing.T) {
	t.Parallel()
	lasts, kills := 6*time.Second, 2
	if s := os.Getenv("SVC_TEST_STREAMS"); s != "" {
		lasts, kills = good(time.ParseDuration(s))(t), 10
	}
	dsn := onPostgres(t)
	one, two := &stays{process: newProcess(t, shortDir(t), dsn)}, &stays{process: newProcess(t, shortDir(t), dsn)}
	one.user("alice")
	one.user("bob")
	one.user("root", "--admin")
	one.start()
	two.start()
	alice, bob, root := one.logIn("alice"), one.logIn("bob"), one.logIn("root")
	must(t, errOf(one.client(bob).Accounts.Follow(t.Context(), good(one.client(alice).Accounts.Verify(t.Context()))(t).ID, api.Follow{})))
	var strangers, followers []*ear
	for i, at := range [][]*stays{{one}, {two}, {one, two}} {
		for _, socket := range []bool{true, false} {
			where := fmt.Sprintf("%d, socket %v", i, socket)
			strangers = append(strangers, &ear{name: "a stranger at " + where, at: at, stream: "public", socket: socket}, &ear{name: "a tag at " + where, at: at, stream: "hashtag&tag=tea", socket: socket})
			followers = append(followers, &ear{name: "bob at " + where, at: at, token: bob, stream: "user", socket: socket}, &ear{name: "alice at " + where, at: at, token: alice, stream: "user", socket: socket},
				&ear{name: "bob's direct at " + where, at: at, token: bob, stream: "direct", socket: socket})
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	var working sync.WaitGroup
	defer working.Wait()
	defer stop()
	var acts atomic.Int64
	for _, order := range [][]*process{{one.process, two.process}, {two.process, one.process}} {
		working.Go(func() {
			busy(ctx, t, eitherOf(t, alice, order...), eitherOf(t, bob, order...), eitherOf(t, root, order...), &acts)
		})
	}
	var n hearing
	for i := range kills {
		victim := []*stays{one, two}[i%2]
		part := lasts / time.Duration(kills) / 3
		for phase, ears := range [][]*ear{strangers, append(strangers[:len(strangers):len(strangers)], followers...), nil} {
			ctx, over := context.WithCancel(ctx)
			var listening sync.WaitGroup
			for _, e := range ears {
				listening.Go(func() { e.listen(ctx, t, &n) })
			}
			time.Sleep(part / 2)
			if phase == (i/2)%3 {
				victim.killed.Add(1)
				victim.kill()
				victim.start()
			}
			time.Sleep(part / 2)
			over()
			listening.Wait()
		}
	}
	stop()
	working.Wait()
	t.Logf("%s, %d kills: %d acts; %d streams were opened and had %d events; %d ended with their process, %d otherwise, %d gaps",
		lasts, kills, acts.Load(), n.opened.Load(), n.heard.Load(), n.killed.Load(), n.ended.Load(), n.gaps.Load())
	if n.heard.Load() == 0 || acts.Load() == 0 {
		t.Error("nothing happened")
	}
	for _, p := range []*stays{one, two} {
		if log := p.stderr.String(); strings.Contains(log, "could not be told") || strings.Contains(log, "streams end") {
			t.Errorf("a process says:\n%s", log)
		}
	}
}

func errOf[T any](_ T, err error) error { return err }

// eitherDial connects to the first of some processes that answers, and reports it.
func eitherDial(all []*stays, report func(*stays)) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (conn net.Conn, err error) {
		for _, p := range all {
			report(p) // before, so that a kill in between counts
			if conn, err = p.dial(ctx, network, address); err == nil {
				return conn, nil
			}
		}
		return nil, err
	}
}
