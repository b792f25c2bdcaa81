package outgoing

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"
)

// bounded is a Client whose bounds a test changes, and a server that answers
// each call once hold lets it.
type bounded struct {
	*Client
	bounds atomic.Pointer[Bounds]
	url    string
	hold   chan struct{}
}

func newBounded(t *testing.T, b Bounds) *bounded {
	t.Helper()
	x := &bounded{hold: make(chan struct{})}
	x.bounds.Store(&b)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/held":
			select {
			case <-x.hold:
			case <-r.Context().Done():
			}
		case "/half":
			_, _ = io.WriteString(w, "begun")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}
	}))
	t.Cleanup(srv.Close)
	x.url = srv.URL
	x.Client = New(Options{Bounds: func() Bounds { return *x.bounds.Load() }, Insecure: true})
	t.Cleanup(x.guard.CloseIdleConnections)
	return x
}

func (x *bounded) within(t *testing.T, c *Client, path string, limit time.Duration) (*http.Response, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	resp, err := c.Get(ctx, x.url+path, "")
	switch {
	case err == nil && path == "/":
		_ = resp.Body.Close()
	case err == nil:
		t.Cleanup(func() { _ = resp.Body.Close() })
	}
	return resp, err
}

func few(size, waiting int) Bounds {
	b := usual()
	b.Pools[Default] = Pool{Size: size, Waiting: waiting, Receive: 10 * time.Second}
	return b
}

// open makes a call that is under way until its body is closed.
func (x *bounded) open(t *testing.T, c *Client) *http.Response {
	t.Helper()
	resp, err := x.within(t, c, "/half", 20*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

func TestEachPurposeHasItsCallsAtOnce(t *testing.T) {
	x := newBounded(t, few(1, 0))
	first := x.open(t, x.Client)
	if _, err := x.within(t, x.Client, "/", time.Second); !errors.Is(err, ErrBusy) {
		t.Errorf("the second: %v", err)
	}
	if _, err := x.within(t, x.For(Media), "/", 10*time.Second); err != nil {
		t.Errorf("for another purpose: %v", err)
	}
	b := few(2, 0)
	x.bounds.Store(&b)
	if _, err := x.within(t, x.Client, "/", 10*time.Second); err != nil {
		t.Errorf("with more allowed: %v", err)
	}
	b = few(1, 0)
	x.bounds.Store(&b)
	_ = first.Body.Close()
	if _, err := x.within(t, x.Client, "/", 10*time.Second); err != nil {
		t.Errorf("after the first: %v", err)
	}
}

func TestCallsWaitForTheirTurn(t *testing.T) {
	x := newBounded(t, few(1, 1))
	first := x.open(t, x.Client)
	waited := make(chan error, 1)
	go func() {
		resp, err := x.Get(t.Context(), x.url+"/", "")
		if err == nil {
			err = resp.Body.Close()
		}
		waited <- err
	}()
	for gate := &x.guard.pools[Default]; ; {
		gate.mu.Lock()
		n := len(gate.waiting)
		gate.mu.Unlock()
		if n == 1 {
			break
		}
	}
	if _, err := x.within(t, x.Client, "/", time.Second); !errors.Is(err, ErrBusy) {
		t.Errorf("the third: %v", err)
	}
	select {
	case err := <-waited:
		t.Errorf("the second did not wait: %v", err)
	default:
	}
	_ = first.Body.Close()
	if err := <-waited; err != nil {
		t.Errorf("the second: %v", err)
	}
	// Who gives up waiting takes no turn away.
	again := x.open(t, x.Client)
	if _, err := x.within(t, x.Client, "/", 20*time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("gave up: %v", err)
	}
	_ = again.Body.Close()
	if _, err := x.within(t, x.Client, "/", 10*time.Second); err != nil {
		t.Errorf("after all: %v", err)
	}
}

func TestAllPurposesTogetherHaveABound(t *testing.T) {
	b := usual()
	b.Most = 1
	x := newBounded(t, b)
	first := x.open(t, x.For(Media))
	if _, err := x.within(t, x.Client, "/", 20*time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the second: %v", err)
	}
	_ = first.Body.Close()
	if _, err := x.within(t, x.Client, "/", 10*time.Second); err != nil {
		t.Errorf("after the first: %v", err)
	}
}

func TestServersMustNotBeSilentForLong(t *testing.T) {
	b := usual()
	b.Pools[Default].Receive = 20 * time.Millisecond
	x := newBounded(t, b)
	if _, err := x.within(t, x.Client, "/held", 10*time.Second); !errors.Is(err, ErrSlow) {
		t.Errorf("without an answer: %v", err)
	}
	resp, err := x.within(t, x.Client, "/half", 10*time.Second)
	if err == nil {
		_, err = io.ReadAll(resp.Body)
	}
	if !errors.Is(err, ErrSlow) {
		t.Errorf("in the middle of an answer: %v", err)
	}
	for _, gate := range []*gate{&x.guard.pools[Default], &x.guard.all} {
		if gate.running != 0 {
			t.Errorf("%d calls are under way", gate.running)
		}
	}
}

func TestConnectingHasABound(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // takes connections, and greets nobody
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	x := newBounded(t, usual())
	b := usual()
	b.Connect = 20 * time.Millisecond
	x.bounds.Store(&b)
	x.Renew()
	x.url = "https://" + l.Addr().String()
	begun := time.Now()
	if _, err := x.within(t, x.Client, "/", 10*time.Second); err == nil || errors.Is(err, context.DeadlineExceeded) && time.Since(begun) > 5*time.Second {
		t.Errorf("connected: %v after %s", err, time.Since(begun))
	}
}

func TestIdleConnectionsAreClosed(t *testing.T) {
	closed := make(chan struct{})
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateClosed {
			close(closed)
		}
	}
	srv.Start()
	t.Cleanup(srv.Close)
	b := usual()
	b.Idle = 20 * time.Millisecond
	x := newBounded(t, b)
	x.url = srv.URL
	resp, err := x.within(t, x.Client, "/", 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	select {
	case <-closed:
	case <-time.After(10 * time.Second):
		t.Error("it is kept")
	}
}
