package sshd

import (
	"context"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// turns let commands compute one after another: what many of them do at once would
// leave no processor to others. A command gives its turn away while it waits for its
// client or the API, and after a while in any case. Of those that wait, the next is one
// of the account that computed least of late, so that nobody waits for all commands of
// those who have many.
type turns struct {
	limits Limits

	mu      sync.Mutex
	busy    bool
	waiting []*claim             // in the order in which they came
	used    map[string]*computed // by account
}

// claim is a command that waits.
type claim struct {
	account string
	granted chan struct{} // closed when the turn is its own
}

// computed is how long commands of an account have computed; it fades.
type computed struct {
	time time.Duration
	at   time.Time
}

// fading is the half-life of the computing time that an account is charged with.
const fading = 5 * time.Second

func (c *computed) now(now time.Time) time.Duration {
	return time.Duration(float64(c.time) * math.Exp2(-float64(now.Sub(c.at))/float64(fading)))
}

func newTurns(l Limits) *turns { return &turns{limits: l, used: map[string]*computed{}} }

// claim asks for the turn.
func (t *turns) claim(account string) *claim {
	c := &claim{account, make(chan struct{})}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.busy {
		t.waiting = append(t.waiting, c)
	} else {
		t.busy = true
		close(c.granted)
	}
	return c
}

// withdraw forgets a claim, and passes the turn on if it was granted meanwhile.
func (t *turns) withdraw(c *claim) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at := slices.Index(t.waiting, c); at >= 0 {
		t.waiting = slices.Delete(t.waiting, at, at+1)
		return
	}
	t.next()
}

// free ends a turn that an account had for so long.
func (t *turns) free(account string, had time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	c := t.used[account]
	if c == nil {
		c = &computed{}
		t.used[account] = c
	}
	c.time, c.at = c.now(now)+had, now
	t.next()
}

// next gives the turn to one that waits, with the lock held.
func (t *turns) next() {
	now, best, least := time.Now(), -1, time.Duration(0)
	for account, c := range t.used {
		if c.now(now) < time.Millisecond {
			delete(t.used, account)
		}
	}
	for i, c := range t.waiting {
		var used time.Duration
		if u := t.used[c.account]; u != nil {
			used = u.now(now)
		}
		if best < 0 || used < least {
			best, least = i, used
		}
	}
	if t.busy = best >= 0; t.busy {
		close(t.waiting[best].granted)
		t.waiting = slices.Delete(t.waiting, best, best+1)
	}
}

// turn is that of one command.
type turn struct {
	*turns
	ctx     context.Context
	account string

	mu    sync.Mutex
	held  bool
	since time.Time
	clock *time.Timer // ends a long turn
}

func (t *turns) of(ctx context.Context, account string) *turn {
	return &turn{turns: t, ctx: ctx, account: account}
}

// take waits for the turn, until the command is to end.
func (t *turn) take() {
	mine := t.claim(t.account)
	select {
	case <-mine.granted:
	case <-t.ctx.Done():
		t.withdraw(mine)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held, t.since, t.clock = true, time.Now(), time.AfterFunc(t.limits.Turn, t.give)
}

// give gives the turn to the next.
func (t *turn) give() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.held {
		t.clock.Stop()
		t.held = false
		t.free(t.account, time.Since(t.since))
	}
}

// Reading, writing and calling the API take place out of turn.

type turnReader struct {
	*turn
	from io.Reader
}

func (r turnReader) Read(p []byte) (int, error) {
	r.give()
	defer r.take()
	return r.from.Read(p)
}

type turnWriter struct {
	*turn
	to io.Writer
}

func (w turnWriter) Write(p []byte) (int, error) {
	w.give()
	defer w.take()
	return w.to.Write(p)
}

type turnCaller struct {
	*turn
	next http.RoundTripper
}

func (c turnCaller) RoundTrip(r *http.Request) (*http.Response, error) {
	c.give()
	defer c.take()
	resp, err := c.next.RoundTrip(r)
	if err == nil { // the body of a stream lasts
		resp.Body = struct {
			io.Reader
			io.Closer
		}{turnReader{c.turn, resp.Body}, resp.Body}
	}
	return resp, err
}

// pace bounds how fast input is read: by all who share it.
type pace struct {
	rate, burst int // bytes a second, and at once

	mu   sync.Mutex
	left float64
	at   time.Time
}

func newPace(rate, burst int) *pace { return &pace{rate: rate, burst: burst, left: float64(burst)} }

// spend counts n bytes, and returns how long to wait after them.
func (p *pace) spend(n int) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if !p.at.IsZero() {
		p.left = min(float64(p.burst), p.left+now.Sub(p.at).Seconds()*float64(p.rate))
	}
	p.at, p.left = now, p.left-float64(n)
	return time.Duration(max(0, -p.left) / float64(p.rate) * float64(time.Second))
}

// paced is an input that is read no faster than its pace.
type paced struct {
	*pace
	ctx  context.Context
	from io.Reader
}

func (r paced) Read(p []byte) (int, error) {
	n, err := r.from.Read(p[:min(len(p), r.burst)])
	if wait := r.spend(n); wait > 0 {
		select {
		case <-time.After(wait):
		case <-r.ctx.Done():
		}
	}
	return n, err
}

// calls bounds the requests that sessions have under way at a time. Streams, which last,
// are bounded by account already.
type calls struct {
	next  http.RoundTripper
	slots chan struct{}
}

func (c calls) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasPrefix(r.URL.Path, "/api/v1/streaming") { // answered by its first event
		return c.next.RoundTrip(r)
	}
	select {
	case c.slots <- struct{}{}:
	case <-r.Context().Done():
		return nil, context.Cause(r.Context())
	}
	defer func() { <-c.slots }()
	return c.next.RoundTrip(r)
}
