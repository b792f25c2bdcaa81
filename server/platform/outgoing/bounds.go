package outgoing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"slices"
	"sync"
	"time"
)

// ErrBusy is a call that was not made: too many of its purpose are running, and
// too many wait.
var ErrBusy = errors.New("too many calls to other servers are under way")

// ErrSlow is a call to a server that was silent for too long.
var ErrSlow = errors.New("the other server says nothing")

// Purpose is the purpose of calls. Each has bounds of its own, so that one
// cannot block the others.
type Purpose int

// The purposes.
const (
	Default    Purpose = iota
	Media              // files
	Federation         // documents and activities
	purposes
)

// Bounds bound calls. Connect, for TLS handshakes, and Idle apply to
// connections made after Renew.
type Bounds struct {
	Most    int // calls at once, for all purposes together
	Connect time.Duration
	Idle    time.Duration // for which an unused connection is kept
	Pools   [purposes]Pool
}

// Pool bounds the calls for one purpose.
type Pool struct {
	Size    int           // calls at once
	Waiting int           // calls that wait for others to end
	Receive time.Duration // for which a server may say nothing
}

// usual returns the default Bounds.
func usual() Bounds {
	return Bounds{Most: 250, Connect: 5 * time.Second, Idle: 30 * time.Second, Pools: [purposes]Pool{
		Default:    {Size: 64, Waiting: 1024, Receive: 10 * time.Second},
		Media:      {Size: 64, Waiting: 1024, Receive: 15 * time.Second},
		Federation: {Size: 64, Waiting: 1024, Receive: 10 * time.Second},
	}}
}

// For returns a Client that shares c's connections, for calls of a purpose.
func (c *Client) For(p Purpose) *Client {
	in := *c
	in.http.Transport = gated{guard: c.guard, purpose: p}
	return &in
}

// gated makes calls of one purpose.
type gated struct {
	*guard
	purpose Purpose
}

func (g gated) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := g.enter(req.Context(), g.purpose); err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, err
	}
	receive := g.bounds().Pools[g.purpose].Receive
	ctx, cancel := context.WithCancelCause(req.Context())
	call := &call{receive: receive, cancel: cancel, leave: func() { g.leave(g.purpose) }}
	// Connecting has a bound of its own, so the clock starts after it.
	call.clock = time.AfterFunc(1<<62, func() { cancel(fmt.Errorf("%w for %s", ErrSlow, receive)) })
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { call.clock.Reset(receive) }})
	resp, err := g.guard.RoundTrip(req.WithContext(ctx))
	call.clock.Stop()
	if err != nil {
		err = slow(ctx, err)
		call.end()
		return nil, err
	}
	call.ReadCloser, call.ctx = resp.Body, ctx
	resp.Body = call
	return resp, nil
}

// slow returns err, or ErrSlow if that caused it.
func slow(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, ErrSlow) {
		return cause
	}
	return err
}

// call is the body of an answer: its call runs until it is read or closed.
type call struct {
	io.ReadCloser
	ctx     context.Context
	clock   *time.Timer
	receive time.Duration
	cancel  context.CancelCauseFunc
	leave   func()
	once    sync.Once
}

func (c *call) end() {
	c.once.Do(func() {
		c.clock.Stop()
		c.cancel(nil)
		c.leave()
	})
}

// Read runs the clock while it waits for the server, not for the reader.
func (c *call) Read(p []byte) (int, error) {
	c.clock.Reset(c.receive)
	n, err := c.ReadCloser.Read(p)
	c.clock.Stop()
	if err != nil && !errors.Is(err, io.EOF) {
		err = slow(c.ctx, err)
	}
	if err != nil {
		c.end()
	}
	return n, err
}

// Close ends the call.
func (c *call) Close() error {
	err := c.ReadCloser.Close()
	c.end()
	return err
}

// enter waits until a call may be made; leave ends it.
func (g *guard) enter(ctx context.Context, p Purpose) error {
	pool := g.bounds().Pools[p]
	if err := g.pools[p].enter(ctx, pool.Size, pool.Waiting); err != nil {
		return err
	}
	if err := g.all.enter(ctx, g.bounds().Most, 1<<30); err != nil {
		g.pools[p].leave(g.bounds().Pools[p].Size)
		return err
	}
	return nil
}

func (g *guard) leave(p Purpose) {
	b := g.bounds()
	g.all.leave(b.Most)
	g.pools[p].leave(b.Pools[p].Size)
}

// gate lets a changeable number of calls run at once.
type gate struct {
	mu      sync.Mutex
	running int
	waiting []chan struct{} // closed when the turn comes
}

func (g *gate) enter(ctx context.Context, size, waiting int) error {
	g.mu.Lock()
	g.admit(size)
	if g.running < size {
		g.running++
		g.mu.Unlock()
		return nil
	}
	if len(g.waiting) >= waiting {
		g.mu.Unlock()
		return ErrBusy
	}
	turn := make(chan struct{})
	g.waiting = append(g.waiting, turn)
	g.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if i := slices.Index(g.waiting, turn); i >= 0 {
		g.waiting = slices.Delete(g.waiting, i, i+1)
		return ctx.Err()
	}
	g.running-- // the turn came at the same moment
	g.admit(size)
	return ctx.Err()
}

func (g *gate) leave(size int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running--
	g.admit(size)
}

// admit gives turns to the longest waiting calls.
func (g *gate) admit(size int) {
	for g.running < size && len(g.waiting) > 0 {
		g.running++
		close(g.waiting[0])
		g.waiting = g.waiting[1:]
	}
}
