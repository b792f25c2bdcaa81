package server

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

func TestSomebodyWaitsForAPageForAWhile(t *testing.T) {
	for name, tt := range map[string]struct {
		method, path string
		after        time.Duration
		waits        bool
	}{
		"a page":             {method: "GET", path: "/api/v1/timelines/home", waits: true},
		"a slow page":        {method: "GET", path: "/api/v1/timelines/home", after: patient + time.Millisecond},
		"what a server sent": {method: "POST", path: "/users/ann/inbox"},
		"a post":             {method: "POST", path: "/api/v1/statuses", after: patient / 2, waits: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var v visitors
				v.count(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
					time.Sleep(tt.after)
					synctest.Wait()
					if v.wait() != tt.waits {
						t.Errorf("somebody waits: %t", v.wait())
					}
				})).ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), tt.method, tt.path, http.NoBody))
				synctest.Wait()
				if v.n.Load() != 0 {
					t.Errorf("%d wait after it", v.n.Load())
				}
			})
		})
	}
}
