package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"svc/server"
	"svc/server/servertest"
)

// FuzzRequests sends any route anything: in its path, its query and its body.
// Nothing may be the server's fault, and each refusal is a documented one.
func FuzzRequests(f *testing.F) {
	s := servertest.Start(f)
	s.User("ann")
	s.AdminUser("root")
	ann, root, app := s.Token("ann", servertest.AllScopes), s.Token("root", servertest.AdminScopes), s.AppToken()
	routes := s.Routes()
	kinds := []string{"", "application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain"}
	for i, r := range routes {
		name := r.Method + " " + r.Path
		f.Add(uint(i), "1", "max_id=1&limit=2&q=a&start_date=2020-01-01T00:00:00Z&page=1&state=open", uint(1), []byte(servertest.Examples[name].Body))
		for _, p := range paramsOf(r.Takes) {
			if r.Method != http.MethodGet {
				f.Add(uint(i), "bob", p.path[0]+"[]=x&access_token=", uint(2), []byte(p.path[0]+"=1&"+p.path[0]+"[x]=%00"))
				continue
			}
			f.Add(uint(i), "@ann", p.path[0]+"=\u202e%25_'&"+p.path[0]+"[]=9999999999999999999", uint(0), []byte(nil))
		}
	}
	f.Fuzz(func(t *testing.T, route uint, id, query string, kind uint, body []byte) {
		r := routes[route%uint(len(routes))]
		if r.Access == server.Stream {
			return // it has no end
		}
		parts := strings.Split(r.Path, "/")
		for i, part := range parts {
			if strings.HasPrefix(part, ":") || strings.HasPrefix(part, "*") {
				parts[i] = url.PathEscape(id)
			}
		}
		path := strings.Join(parts, "/")
		plain, err := url.PathUnescape(path)
		if err != nil || id == "" || strings.Trim(id, "./") == "" {
			return // that is another route
		}
		req := httptest.NewRequest(r.Method, s.URL, strings.NewReader(string(body)))
		req.URL = &url.URL{Path: plain, RawPath: path, RawQuery: query}
		if k := kinds[kind%uint(len(kinds))]; k != "" {
			req.Header.Set("Content-Type", k)
		}
		switch r.Access {
		case server.Admin:
			req.Header.Set("Authorization", "Bearer "+root)
		case server.App:
			req.Header.Set("Authorization", "Bearer "+app)
		case server.Optional, server.User, server.Token:
			req.Header.Set("Authorization", "Bearer "+ann)
		}
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, req)
		resp := w.Result()
		raw, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		if r.Path == "/api/svc/healthcheck" && resp.StatusCode == http.StatusServiceUnavailable && string(raw) == "{}" {
			return // it is off
		}
		if notRelayed(r, resp, raw) {
			return
		}
		if resp.StatusCode >= 500 {
			t.Fatalf("%s %s: %d %s", r.Method, req.URL, resp.StatusCode, raw)
		}
		if resp.StatusCode < http.StatusBadRequest || strings.HasPrefix(r.Path, "/static/") || strings.HasPrefix(r.Path, "/images/") {
			return
		}
		if problem := documented(r, resp, raw); problem != "" {
			t.Fatalf("%s %s: %d %s: %s", r.Method, req.URL, resp.StatusCode, raw, problem)
		}
	})
}
