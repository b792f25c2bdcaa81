package server

import (
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"svc/server/federation/delivery"
)

// patient is the time for which a request counts as one that a person waits
// for. A longer one waits for something other than the processor.
const patient = 250 * time.Millisecond

// visitors counts the requests of people. Activities of other servers do not
// count.
type visitors struct {
	n    atomic.Int64
	last atomic.Int64 // when one came, in Unix nanoseconds
}

// count counts the requests that next serves.
func (v *visitors) count(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/inbox") {
			next.ServeHTTP(w, r)
			return
		}
		v.n.Add(1)
		v.last.Store(time.Now().UnixNano())
		over := time.AfterFunc(patient, func() { v.n.Add(-1) })
		defer func() {
			if over.Stop() {
				v.n.Add(-1)
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// lately is the time after a request in which its sender is expected to send
// another.
const lately = 2 * time.Second

// visits reports whether requests of people are running, and whether one came
// lately.
func (v *visitors) visits() delivery.Visits {
	return delivery.Visits{Waiting: v.n.Load() > 0, Lately: time.Since(time.Unix(0, v.last.Load())) < lately}
}
