package clientapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/platform/config"
	"svc/server/rules/social/socialtest"
	"svc/server/servertest"
)

// elsewhere is another server with files, and counts their requests.
type elsewhere struct {
	*httptest.Server
	asked atomic.Int32
}

func startElsewhere(t *testing.T) *elsewhere {
	e := &elsewhere{}
	mux := http.NewServeMux()
	give := func(path, kind, content string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			e.asked.Add(1)
			w.Header().Set("Content-Type", kind)
			_, _ = w.Write([]byte(content))
		})
	}
	give("/a.png", "text/html", string(pngOf(t, 1)))
	give("/b.png", "image/png", string(pngOf(t, 2)))
	give("/page.png", "image/png", "<html><script>alert(1)</script>")
	give("/large.png", "image/png", string(pngOf(t, 3))+strings.Repeat("x", 5000))
	mux.HandleFunc("/stream.png", func(w http.ResponseWriter, _ *http.Request) {
		for range 100 {
			_, _ = w.Write(pngOf(t, 3))
			w.(http.Flusher).Flush()
		}
	})
	e.Server = httptest.NewServer(mux)
	t.Cleanup(e.Close)
	return e
}

func withProxy(s *config.Settings) {
	s.MediaProxy.Enabled = true
	s.MediaProxy.MaxBodyLength = 4000
}

// remote makes an account of another server with pictures there.
func remote(t *testing.T, s *servertest.Server, avatar, header string) *db.Account {
	t.Helper()
	a := db.NewAccount("https://far.example", "far")
	a.Local, a.Domain, a.Nickname, a.NickKey = false, "far.example", "far@far.example", "far@far.example"
	a.Avatar, a.Header = avatar, header
	if err := s.DB.CreateAccount(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	return a
}

func TestFilesOfOtherServersComeThroughTheProxy(t *testing.T) {
	e := startElsewhere(t)
	each := func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		far := remote(t, s, e.URL+"/a.png", "https://shown.example/direct.png")
		status := socialtest.Post(t, s.Social, far, db.Public, activitypub.Post{
			Content: "<p>look</p>", Attachments: []activitypub.Attachment{{Kind: "image", URL: e.URL + "/b.png", MediaType: "image/png"}},
		})
		shown, err := s.Client("ann").Statuses.Get(ctx, status.ID)
		if err != nil {
			t.Fatal(err)
		}
		file, avatar := shown.MediaAttachments[0], shown.Account.Avatar
		if *file.RemoteURL != e.URL+"/b.png" || file.URL != file.PreviewURL || shown.Account.Header != "https://shown.example/direct.png" {
			t.Errorf("%+v %s", file, shown.Account.Header)
		}
		for url, want := range map[string]string{file.URL: string(pngOf(t, 2)), avatar: string(pngOf(t, 1))} {
			if !strings.HasPrefix(url, s.Base()+"/proxy/") || !strings.HasSuffix(url, ".png") {
				t.Fatalf("URL %s", url)
			}
			for range 2 {
				resp, body := fetch(t, "GET", url)
				want2 := map[string]string{"Content-Type": "image/png", "X-Content-Type-Options": "nosniff", "Cache-Control": "public, max-age=1209600"}
				if diff := cmp.Diff(want2, headersOf(resp, "Content-Type", "X-Content-Type-Options", "Cache-Control")); diff != "" || body != want {
					t.Errorf("%d %s %d bytes", resp.StatusCode, diff, len(body))
				}
			}
			if resp, body := fetch(t, "GET", url, "Range", "bytes=1-3"); resp.StatusCode != 206 || body != "PNG" {
				t.Errorf("a range: %d %q", resp.StatusCode, body)
			}
			if resp, body := fetch(t, "HEAD", url); resp.StatusCode != 200 || body != "" {
				t.Errorf("head: %d", resp.StatusCode)
			}
		}
		// Only addresses signed by this server are fetched.
		for _, forged := range []string{strings.Replace(file.URL, "/proxy/", "/proxy/A", 1), avatar[:len(avatar)-8] + "x/a.png"} {
			if resp, _ := fetch(t, "GET", forged); resp.StatusCode != 404 {
				t.Errorf("forged: %d", resp.StatusCode)
			}
		}

		// If the proxy is off, its addresses redirect to the file, and answers
		// have the file's own.
		off := *s.Settings.Load()
		off.MediaProxy.Enabled = false
		if err := s.Settings.Swap(off); err != nil {
			t.Fatal(err)
		}
		if resp, _ := fetch(t, "GET", avatar); resp.StatusCode != 302 || resp.Header.Get("Location") != e.URL+"/a.png" {
			t.Errorf("switched off: %d %s", resp.StatusCode, resp.Header.Get("Location"))
		}
		if shown, err = s.Client("ann").Statuses.Get(ctx, status.ID); err != nil || shown.Account.Avatar != e.URL+"/a.png" || shown.MediaAttachments[0].URL != e.URL+"/b.png" {
			t.Errorf("%s %v, %v", shown.Account.Avatar, shown.MediaAttachments, err)
		}
	}
	servertest.Each(t, each, withProxy, func(s *config.Settings) { s.MediaProxy.Whitelist = []string{"https://shown.example"} })
}

func TestTheProxyFetchesMediaOfABoundedSizeOnly(t *testing.T) {
	e := startElsewhere(t)
	s := servertest.Start(t, withProxy)
	for _, path := range []string{"/page.png", "/large.png", "/stream.png", "/none.png"} {
		far, err := s.DB.AccountByNickname(t.Context(), "far@far.example")
		if err != nil {
			far = remote(t, s, "", "")
		}
		far.Avatar = e.URL + path
		if err := s.DB.UpdateAccount(t.Context(), far, "avatar"); err != nil {
			t.Fatal(err)
		}
		shown, err := s.Anonymous().Accounts.Get(t.Context(), far.ID)
		if err != nil {
			t.Fatal(err)
		}
		if resp, body := fetch(t, "GET", shown.Avatar); resp.StatusCode != 404 || body != `{"error":"The file cannot be fetched"}` || resp.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %.100s", path, resp.StatusCode, body)
		}
	}
	// A repeated request within a minute does not reach the file's server.
	before := e.asked.Load()
	far := must(s.DB.AccountByNickname(t.Context(), "far@far.example"))
	far.Avatar = e.URL + "/page.png"
	if err := s.DB.UpdateAccount(t.Context(), far, "avatar"); err != nil {
		t.Fatal(err)
	}
	url := must(s.Anonymous().Accounts.Get(t.Context(), far.ID)).Avatar
	if resp, _ := fetch(t, "GET", url); resp.StatusCode != 404 || e.asked.Load() != before {
		t.Errorf("%d, asked %d times", resp.StatusCode, e.asked.Load()-before)
	}
	on := *s.Settings.Load()
	on.MediaProxy.RedirectOnFailure = true
	if err := s.Settings.Swap(on); err != nil {
		t.Fatal(err)
	}
	if resp, _ := fetch(t, "GET", url); resp.StatusCode != 302 || resp.Header.Get("Location") != e.URL+"/page.png" {
		t.Errorf("%d %s", resp.StatusCode, resp.Header.Get("Location"))
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestFilesMayBeFetchedFromElsewhere(t *testing.T) {
	s := servertest.Start(t, func(s *config.Settings) {
		s.Upload.BaseURL = "https://cdn.example/"
		s.Assets.DefaultUserAvatar = "/images/me.png"
	})
	up, err := s.Client("ann").Media.Upload(t.Context(), file("x", pngOf(t, 1)), api.MediaForm{})
	if err != nil || !strings.HasPrefix(up.URL, "https://cdn.example/") || strings.Contains(up.URL, "media") {
		t.Errorf("%+v, %v", up, err)
	}
	if me, err := s.Client("ann").Accounts.Verify(t.Context()); err != nil || me.Avatar != s.Base()+"/images/me.png" {
		t.Errorf("%s, %v", me.Avatar, err)
	}
}
