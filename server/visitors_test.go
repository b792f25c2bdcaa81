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
		waits, comes bool
	}{
		"a page":             {method: "GET", path: "/api/v1/timelines/home", waits: true, comes: true},
		"a slow page":        {method: "GET", path: "/api/v1/timelines/home", after: patient + time.Millisecond, comes: true},
		"a page long ago":    {method: "GET", path: "/api/v1/timelines/home", after: lately},
		"what a server sent": {method: "POST", path: "/users/ann/inbox"},
		"a post":             {method: "POST", path: "/api/v1/statuses", after: patient / 2, waits: true, comes: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var v visitors
				v.count(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
					time.Sleep(tt.after)
					synctest.Wait()
					if got := v.visits(); got.Waiting != tt.waits || got.Lately != tt.comes {
						t.Errorf("somebody waits and came: %+v", got)
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
