package server_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc/client"
	"svc/client/api"
	"svc/server/servertest"
)

// lay writes files below a folder.
func lay(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// browse opens a path as a browser does, or with another Accept.
func browse(t *testing.T, s *servertest.Server, path, accept string) (int, string, http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", accept)
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(raw), resp.Header
}

func choose(t *testing.T, s *servertest.Server, key string, pairs ...any) {
	t.Helper()
	if _, err := s.Admin("root").Admin.Config.Set(t.Context(), ":svc", key, client.Keyword(pairs...)); err != nil {
		t.Fatal(err)
	}
}

func TestAFrontEndStandsInPlaceOfOurPages(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		const html = "text/html,*/*"
		s.User("ann")
		lay(t, filepath.Join(s.DataDir, "static"), map[string]string{
			"frontends/fe/v1/index.html": "<p>front", "frontends/fe/v1/static/app.js": "run()", "frontends/fe/v1/logo.svg": "<svg/>",
			"frontends/fe/v1/instance/panel.html": "<p>of the front end", "frontends/fe/v1/static/terms-of-service.html": "<p>terms of the front end",
			"frontends/adm/v2/index.html": "<p>admins", "frontends/adm/v2/a.css": "p{}", "secret.json": "{}",
		})
		ours := func(when string) {
			t.Helper()
			for _, path := range []string{"/", "/users/ann", "/about"} {
				if status, body, _ := browse(t, s, path, html); status != 200 || strings.Contains(body, "<p>front") || !strings.Contains(body, "<main") {
					t.Errorf("%s, %s: %d %.60s", when, path, status, body)
				}
			}
		}
		ours("none is chosen")
		if status, _, _ := browse(t, s, "/svc/admin", html); status != 404 {
			t.Errorf("no front end for admins: %d", status)
		}
		choose(t, s, ":frontends", ":primary", map[string]string{"name": "fe", "ref": "gone"})
		ours("one is chosen that is not there")
		choose(t, s, ":frontends", ":primary", map[string]string{"name": "fe", "ref": "v1"}, ":admin", map[string]string{"name": "adm", "ref": "v2"})
		for path, want := range map[string]string{
			"/": "<p>front", "/about": "<p>front", "/users/ann": "<p>front", "/notice/1": "<p>front", "/some/place": "<p>front", "/static/app.js": "run()", "/logo.svg": "<svg/>",
			"/svc/admin": "<p>admins", "/svc/admin/": "<p>admins", "/svc/admin/a.css": "p{}", "/svc/admin/users/1": "<p>admins",
			"/instance/panel.html": "<p>of the front end", "/static/terms-of-service.html": "<p>terms of the front end",
		} {
			status, body, header := browse(t, s, path, html)
			if status != 200 || body != want || header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s: %d %.80q %v", path, status, body, header)
			}
			if strings.HasPrefix(header.Get("Content-Type"), "text/html") && (header.Get("Cache-Control") != "no-cache" || !strings.HasPrefix(header.Get("Content-Security-Policy"), "default-src 'none'; ")) {
				t.Errorf("%s: %v", path, header)
			}
		}
		for _, path := range []string{"/nothing.js", "/../../secret.json", "/%2e%2e/%2e%2e/%2e%2e/secret.json", "/svc/admin/..%2f..%2f..%2fsecret.json", "/frontends/fe/v1/index.html", "/api/nothing", "/api/v1/nothing"} {
			if status, body, _ := browse(t, s, path, "*/*"); status != 404 {
				t.Errorf("%s: %d %.80q", path, status, body)
			}
		}
		// Other servers accept HTML too, with a lower preference.
		if status, body, h := browse(t, s, "/users/ann", "application/activity+json, text/html;q=0.1"); status != 200 || !strings.Contains(body, `"publicKey"`) {
			t.Errorf("another server gets %d %v %.60s", status, h, body)
		}
		// Programs get the type that they accept.
		if _, body, _ := browse(t, s, "/users/ann", "*/*"); strings.Contains(body, "<p>front") {
			t.Error("a front end for a program")
		}
		choose(t, s, ":static_fe", ":enabled", true)
		ours("our own pages are asked for")
		if _, body, _ := browse(t, s, "/static/app.js", html); body != "run()" {
			t.Errorf("%q", body)
		}
		for _, wrong := range []map[string]string{{"name": "..", "ref": "v1"}, {"name": "fe", "ref": "../.."}, {"name": "a/b", "ref": "v1"}, {"name": "fe"}} {
			if _, err := s.Admin("root").Admin.Config.Set(t.Context(), ":svc", ":frontends", client.Keyword(":primary", wrong)); err == nil {
				t.Errorf("took %v", wrong)
			}
		}
	})
}

func TestTheStaticFolderMayBeElsewhere(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		elsewhere := t.TempDir()
		lay(t, filepath.Join(s.DataDir, "static"), map[string]string{"images/avi.png": "usual"})
		lay(t, elsewhere, map[string]string{"images/avi.png": "other", "emoji/p/cat.png": "cat"})
		lay(t, filepath.Join(s.DataDir, "beside"), map[string]string{"images/avi.png": "beside"})
		for _, c := range []struct{ dir, want string }{{elsewhere, "other"}, {"beside/", "beside"}, {"instance/static/", "usual"}, {elsewhere, "other"}} {
			choose(t, s, ":instance", ":static_dir", c.dir)
			if _, body, _ := browse(t, s, "/images/avi.png", "*/*"); body != c.want {
				t.Errorf("%s: %q", c.dir, body)
			}
		}
		if err := s.Emojis.Reload(); err != nil || len(s.Emojis.Load().All()) != 1 {
			t.Errorf("%v, %v", s.Emojis.Load().All(), err)
		}
		if _, err := s.Admin("root").Admin.Documents.Set(t.Context(), client.InstancePanel, client.File{Name: "p", Content: strings.NewReader("<p>hello")}); err != nil {
			t.Fatal(err)
		}
		if raw, err := os.ReadFile(filepath.Join(elsewhere, "instance", "panel.html")); err != nil || string(raw) != "<p>hello" {
			t.Errorf("%q, %v", raw, err)
		}
	})
}

func TestLinksAreMadeAsTheSettingsSay(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		content := func() string {
			t.Helper()
			a, err := s.DB.AccountByNickname(t.Context(), "ann")
			if err != nil {
				a = s.User("ann")
			}
			return postOf(t, s, a.Nickname, "see http://b.nowheretld and c.nowheretld")
		}
		if got := content(); got != `see <a href="http://b.nowheretld" rel="ugc">http://b.nowheretld</a> and c.nowheretld` {
			t.Error(got)
		}
		choose(t, s, "Svc.Formatter", ":class", "auto", ":new_window", true, ":validate_tld", false)
		if got := content(); got != `see <a class="auto" href="http://b.nowheretld" target="_blank" rel="ugc">http://b.nowheretld</a> and `+
			`<a class="auto" href="http://c.nowheretld" target="_blank" rel="ugc">c.nowheretld</a>` {
			t.Error(got)
		}
		choose(t, s, "Svc.Formatter", ":class", false, ":new_window", false, ":validate_tld", true)
		if got := content(); got != `see http://b.nowheretld and c.nowheretld` {
			t.Error(got)
		}
		choose(t, s, "Svc.Formatter", ":validate_tld", ":no_scheme")
	})
}

// postOf posts a text and returns its HTML.
func postOf(t *testing.T, s *servertest.Server, nickname, text string) string {
	t.Helper()
	got, err := s.Client(nickname).Statuses.Post(t.Context(), api.NewStatus{Status: text})
	if err != nil {
		t.Fatal(err)
	}
	return got.Content
}
