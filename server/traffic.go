package server

import (
	"net/http"
	"sync"
	"sync/atomic"

	"svc/server/api/web"
)

// traffic counts running requests. A server that stops first reports that to
// probes, and serves on; then it refuses new requests. The zero value is ready.
type traffic struct {
	leaving atomic.Bool
	mu      sync.Mutex
	n       int
	idle    chan struct{} // closed when no request is running; nil before stopping
}

// watch serves next while the server does not stop.
func (t *traffic) watch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if web.Probes[r.URL.Path] {
			next.ServeHTTP(w, r)
			return
		}
		if !t.begin() {
			h := w.Header()
			h.Set("Content-Type", "application/json; charset=utf-8")
			h.Set("Connection", "close")
			h.Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = w.Write([]byte(`{"error":"The server is stopping"}`))
			return
		}
		defer t.end()
		if t.leaving.Load() {
			w.Header().Set("Connection", "close") // the next one goes elsewhere
		}
		next.ServeHTTP(w, r)
	})
}

// leave makes probes report that the server stops.
func (t *traffic) leave() { t.leaving.Store(true) }

func (t *traffic) begin() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.idle != nil {
		return false
	}
	t.n++
	return true
}

func (t *traffic) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n--; t.n == 0 && t.idle != nil {
		close(t.idle)
	}
}

// drain takes no more requests; the channel is closed once none is under way.
func (t *traffic) drain() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.idle == nil {
		t.idle = make(chan struct{})
		if t.n == 0 {
			close(t.idle)
		}
	}
	return t.idle
}
