package server

import (
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// patient is how long a request counts as one that somebody waits for. One that
// takes longer waits for something else than the processor.
const patient = 250 * time.Millisecond

// visitors counts the requests that somebody waits for. What other servers send
// is none of them.
type visitors struct{ n atomic.Int64 }

// count counts what next serves.
func (v *visitors) count(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/inbox") {
			next.ServeHTTP(w, r)
			return
		}
		v.n.Add(1)
		over := time.AfterFunc(patient, func() { v.n.Add(-1) })
		defer func() {
			if over.Stop() {
				v.n.Add(-1)
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// wait tells whether there is somebody.
func (v *visitors) wait() bool { return v.n.Load() > 0 }
