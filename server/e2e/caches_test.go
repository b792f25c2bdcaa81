package e2e

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"svc/server"
	"svc/server/servertest"
)

// TestNoCacheKeepsWhatIsForOneCaller walks the table of routes. The kind of
// access shows that an answer depends on the caller; the other routes are
// compared for several callers.
func TestNoCacheKeepsWhatIsForOneCaller(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t) // without the health check, which has varying figures
	b := newBad(t, s)
	callers := []string{"", s.Token("ann", servertest.AllScopes), s.Token("bob", servertest.AllScopes), s.Token("root", servertest.AdminScopes), s.AppToken(), "nonsense"}
	for _, r := range s.Routes() {
		mine := false
		switch r.Access {
		case server.Optional, server.User, server.Token, server.App, server.Admin, server.OAuth:
			mine = true
		}
		first := ""
		for i, token := range callers {
			if r.Method != http.MethodGet && token != "" && token != "nonsense" {
				continue // it would change something
			}
			header, status, body := b.fetch(r, token)
			name := r.Method + " " + r.Path + " as " + token
			if i == 0 {
				first = body
			}
			private := header.Get("Cache-Control") == "private, no-store" && strings.Contains(header.Get("Vary"), "Authorization")
			if mine && !private {
				t.Errorf("%s: %d, Cache-Control %q, Vary %q", name, status, header.Get("Cache-Control"), header.Get("Vary"))
			}
			if !mine && body != first && !strings.Contains(header.Get("Cache-Control"), "no-store") {
				t.Errorf("%s: %d, Cache-Control %q, and it differs from what a stranger gets", name, status, header.Get("Cache-Control"))
			}
		}
	}
	// Answers that are the same for everybody can still be cached.
	header, _, _ := b.fetch(server.Route{Method: http.MethodGet, Path: "/images/avi.png"}, callers[1])
	if got := header.Get("Cache-Control"); !strings.HasPrefix(got, "public") {
		t.Errorf("a picture: %q", got)
	}
}

// fetch requests a route and returns the answer, without the id of the request.
func (b *bad) fetch(r server.Route, token string) (http.Header, int, string) {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), r.Method, b.s.URL+b.target(r), nil)
	must(b.t, err)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	must(b.t, err)
	defer func() { _ = resp.Body.Close() }()
	if r.Access == server.Stream && resp.StatusCode < 400 {
		return resp.Header, resp.StatusCode, "" // it has no end
	}
	raw, err := io.ReadAll(resp.Body)
	must(b.t, err)
	return resp.Header, resp.StatusCode, string(raw)
}
