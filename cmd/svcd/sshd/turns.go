package sshd

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// turns let commands compute one after another: what many of them do at once would
// leave no processor to others. A command gives its turn away while it waits for its
// client, and after a while in any case.
type turns struct {
	limits Limits
	free   chan struct{} // has something while nobody's turn it is
}

func newTurns(l Limits) *turns {
	t := &turns{limits: l, free: make(chan struct{}, 1)}
	t.free <- struct{}{}
	return t
}

// turn is that of one command.
type turn struct {
	*turns
	ctx context.Context

	mu    sync.Mutex
	held  bool
	clock *time.Timer // ends a long turn
}

func (t *turns) of(ctx context.Context) *turn { return &turn{turns: t, ctx: ctx} }

// take waits for the turn, until the command is to end.
func (t *turn) take() {
	select {
	case <-t.free:
	case <-t.ctx.Done():
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.held { // by another goroutine of the command
		t.free <- struct{}{}
		return
	}
	t.held, t.clock = true, time.AfterFunc(t.limits.Turn, t.give)
}

// give gives the turn to the next.
func (t *turn) give() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.held {
		t.clock.Stop()
		t.held = false
		t.free <- struct{}{}
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
