package adminapi_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/server/platform/config"
	"svc/server/servertest"
)

const (
	byScript = "Svc.Web.MediaProxy.Invalidation.Script"
	byHTTP   = "Svc.Web.MediaProxy.Invalidation.Http"
)

// cache is a cache in front of the server that records the requests it gets.
type cache struct {
	*httptest.Server
	mu   sync.Mutex
	told []string
}

func startCache(t *testing.T) *cache {
	t.Helper()
	c := &cache{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.told = append(c.told, fmt.Sprintf("%s %s %s", r.Method, r.URL, r.Header.Get("X-Key")))
		if strings.Contains(r.URL.Path, "refused") {
			w.WriteHeader(http.StatusMethodNotAllowed)
		}
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *cache) heard() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := c.told
	c.told = nil
	slices.Sort(out)
	return out
}

// set saves pairs of settings of a key, as an admin does.
func (w *world) choose(key string, pairs ...any) {
	w.t.Helper()
	_, err := w.Admin("root").Admin.Config.Set(w.t.Context(), ":svc", key, client.Keyword(pairs...))
	w.must(err)
}

func (w *world) invalidate(provider string) {
	w.t.Helper()
	w.choose(":media_proxy", ":invalidation", client.Keyword(":enabled", true, ":provider", provider))
}

func TestCachesAreToldByHTTPToForgetWhatIsPurged(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, media, c := t.Context(), w.Admin("root").Admin.Media, startCache(t)
		w.must(media.Purge(ctx, false, c.URL+"/a.png"))
		if got := c.heard(); got != nil {
			t.Errorf("told %q before anybody asked for it", got)
		}
		w.invalidate(byHTTP)
		w.must(media.Purge(ctx, false, c.URL+"/a.png", c.URL+"/b.png?c=d", c.URL+"/refused.png", "http://127.0.0.1:1/nobody.png", "no address"))
		if diff := cmp.Diff([]string{"PURGE /a.png ", "PURGE /b.png?c=d ", "PURGE /refused.png "}, c.heard()); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
		w.choose(byHTTP, ":method", ":ban", ":headers", []any{client.Tuple("x-key", "k 1")},
			":options", client.Keyword(":params", map[string]any{"deep": "yes"}, ":recv_timeout", 5000))
		w.must(media.Purge(ctx, true, c.URL+"/b.png?c=d"))
		if diff := cmp.Diff([]string{"BAN /b.png?c=d&deep=yes k 1"}, c.heard()); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}

		// Caches store proxied files under the proxy's URLs.
		w.choose(":media_proxy", ":enabled", true, ":base_url", c.URL+"/")
		w.must(media.Purge(ctx, false, "https://one.example/x.png"))
		got := c.heard()
		if len(got) != 1 || !strings.HasPrefix(got[0], "BAN /proxy/") || !strings.Contains(got[0], "/x.png?deep=yes") {
			t.Errorf("told %q", got)
		}
		w.choose(":media_preview_proxy", ":enabled", true)
		w.must(media.Purge(ctx, false, "https://one.example/x.png"))
		if got = c.heard(); len(got) != 2 || strings.Count(strings.Join(got, "\n"), "BAN /proxy/preview/") != 1 {
			t.Errorf("told %q", got)
		}
	})
}

// program writes a program that records its arguments, and returns its path and
// that of the record.
func program(t *testing.T, lines string) (path, notes string) {
	t.Helper()
	dir := t.TempDir()
	path, notes = filepath.Join(dir, "tell"), filepath.Join(dir, "notes")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+strings.ReplaceAll(lines, "NOTES", notes)), 0o700); err != nil {
		t.Fatal(err)
	}
	return path, notes
}

func TestCachesAreToldByAProgramThatNoShellSees(t *testing.T) {
	t.Setenv("AWS_SECRET_ACCESS_KEY", "s3cret")
	w := &world{Server: servertest.Start(t), t: t}
	media := w.Admin("root").Admin.Media
	tell, notes := program(t, `printf '%s|%s|%s\n' "$#" "$1" "$AWS_SECRET_ACCESS_KEY" >> NOTES`)
	w.invalidate(byScript)
	w.must(media.Purge(t.Context(), false, "https://one.example/none-is-set.png"))
	w.choose(byScript, ":script_path", tell)
	w.must(media.Purge(t.Context(), true, "https://one.example/a.png", "https://one.example/$(touch${IFS}x);`id`", "https://one.example/a.png"))
	w.must(media.Purge(t.Context(), false))
	raw, err := os.ReadFile(notes)
	if want := "1|https://one.example/a.png https://one.example/$(touch$%7BIFS%7Dx);%60id%60|\n"; err != nil || string(raw) != want {
		t.Errorf("told %q, %v", raw, err)
	}
	// A failing program does not fail the request.
	for _, path := range []string{filepath.Join(t.TempDir(), "nothing"), "/", t.TempDir()} {
		w.choose(byScript, ":script_path", path)
		w.must(media.Purge(t.Context(), true, "https://one.example/b.png"))
	}
	fails, _ := program(t, "echo no >&2; exit 3")
	w.choose(byScript, ":script_path", fails)
	w.must(media.Purge(t.Context(), true, "https://one.example/c.png"))
	if got := w.bans("").URLs; len(got) != 4 {
		t.Errorf("bans %q", got)
	}
}

func TestCachesForgetOurFilesThatAreRemoved(t *testing.T) {
	w := &world{Server: servertest.Start(t, func(s *config.Settings) { s.Instance.CleanupAttachments = true }), t: t}
	ctx, c := t.Context(), startCache(t)
	w.invalidate(byHTTP)
	w.choose("Svc.Upload", ":base_url", c.URL+"/files/")
	up, err := w.Client("ann").Media.Upload(ctx, client.File{Name: "x.png", Content: bytes.NewReader(dot(t))}, api.MediaForm{})
	w.must(err)
	long := db.At(time.Now().Add(-48 * time.Hour))
	_, err = w.DB.Writer().ExecContext(ctx, "UPDATE media_attachments SET created_at = ?", long)
	w.must(err)
	_, err = w.DB.Writer().ExecContext(ctx, "UPDATE loose_files SET since = ?", long)
	w.must(err)
	w.must(w.Media.Sweep(ctx))
	name := strings.TrimPrefix(up.URL, c.URL+"/files/")
	if diff := cmp.Diff([]string{"PURGE /files/" + name + " "}, c.heard()); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}
