package server

import (
	"net/http"
	"sync"
)

// traffic counts the requests under way, and turns new ones away once the
// server stops: all but those of probes, which are told so. The zero value is
// ready.
type traffic struct {
	mu   sync.Mutex
	n    int
	idle chan struct{} // closed once nothing is under way; nil before stopping
}

// watch serves next while the server does not stop.
func (t *traffic) watch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/readyz" || r.URL.Path == "/healthz" {
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
		next.ServeHTTP(w, r)
	})
}

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

func (t *traffic) draining() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.idle != nil
}
