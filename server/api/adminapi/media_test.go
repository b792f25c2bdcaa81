package adminapi_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/server/platform/config"
	"svc/server/servertest"
)

func withMediaProxy(s *config.Settings) { s.MediaProxy.Enabled = true }

// dot is a small picture.
func dot(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewRGBA(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// far starts another server with files. asked counts their requests.
func far(t *testing.T) (url string, asked *atomic.Int32) {
	t.Helper()
	content := dot(t)
	asked = new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = w.Write(content)
	}))
	t.Cleanup(s.Close)
	return s.URL, asked
}

// look opens an address as a browser would, without a token.
func (w *world) look(url string) (status int, body string) {
	w.t.Helper()
	resp, err := http.Get(url)
	w.must(err)
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	w.must(err)
	return resp.StatusCode, string(raw)
}

// avatar gives eve, of another server, a picture and returns its public
// address.
func (w *world) avatar(url string) string {
	w.t.Helper()
	w.eve.Avatar = url
	w.must(w.DB.UpdateAccount(w.t.Context(), w.eve, "avatar"))
	a, err := w.Anonymous().Accounts.Get(w.t.Context(), w.eve.ID)
	w.must(err)
	return a.Avatar
}

func (w *world) bans(query string) *api.MediaBans {
	w.t.Helper()
	in := client.Request{Method: http.MethodGet, Path: "/api/svc/admin/media_proxy_caches", Query: url.Values{"query": {query}}}
	var answer api.MediaBans
	_, err := w.Admin("root").Do(w.t.Context(), in, &answer)
	w.must(err)
	return &answer
}

func TestABannedFileIsGivenOutNoMoreByAnyProcess(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		media := w.Admin("root").Admin.Media
		origin, asked := far(t)
		proxied := w.avatar(origin + "/a.png")
		second := w.Second(t)
		both := []string{proxied, strings.Replace(proxied, w.Base(), second.URL, 1)}
		for _, url := range both {
			if status, body := w.look(url); status != 200 || body != string(dot(t)) {
				t.Fatalf("%s before: %d %.60q", url, status, body)
			}
		}
		w.must(media.Purge(ctx, true, origin+"/a.png"))
		preview := strings.Replace(proxied, "/proxy/", "/proxy/preview/", 1)
		want := &api.MediaBans{URLs: api.List[string]{proxied, preview}, Count: 2, PageSize: 50}
		if diff := cmp.Diff(want, w.bans("")); diff != "" {
			t.Errorf("bans (-want +got):\n%s", diff)
		}
		renamed := proxied[:strings.LastIndexByte(proxied, '/')] + "/another-name.png"
		for _, url := range append(both, renamed) {
			if status, body := w.look(url); status != 404 || body != "Not Found" {
				t.Errorf("%s banned: %d %q", url, status, body)
			}
		}
		// Repeating the ban changes nothing.
		w.must(media.Purge(ctx, true, origin+"/a.png", " "+origin+"/a.png ", proxied, ""))
		if diff := cmp.Diff(want, w.bans("")); diff != "" {
			t.Errorf("bans (-want +got):\n%s", diff)
		}

		// A ban is of the file, under any setting of the proxy.
		off := *w.Settings.Load()
		off.MediaProxy.Enabled = false
		w.must(w.Settings.Swap(off))
		if status, body := w.look(proxied); status != 404 || body != "Not Found" {
			t.Errorf("banned, with the proxy off: %d %q", status, body)
		}
		w.must(media.Purge(ctx, true, origin+"/b.png"))
		off.MediaProxy.Enabled = true
		w.must(w.Settings.Swap(off))
		if status, _ := w.look(w.avatar(origin + "/b.png")); status != 404 {
			t.Errorf("banned while the proxy was off: %d", status)
		}
		if diff := cmp.Diff(api.List[string]{proxied, preview, origin + "/b.png"}, w.bans("").URLs); diff != "" {
			t.Errorf("bans (-want +got):\n%s", diff)
		}

		// Unbanning accepts the listed address, or the file's own.
		before := asked.Load()
		w.must(media.Unban(ctx, proxied, "https://never.example/banned.png"))
		w.must(media.Unban(ctx, origin+"/b.png"))
		if diff := cmp.Diff(&api.MediaBans{PageSize: 50, URLs: api.List[string]{}}, w.bans("")); diff != "" {
			t.Errorf("bans (-want +got):\n%s", diff)
		}
		for _, url := range both {
			if status, body := w.look(url); status != 200 || body != string(dot(t)) {
				t.Errorf("%s after: %d %.60q", url, status, body)
			}
		}
		if n := asked.Load() - before; n == 0 {
			t.Error("what was purged was still kept")
		}
		w.wantLog()
	}, withMediaProxy)
}

// TestABannedFileStaysAwayHoweverItsAddressIsWritten: a ban is of the file, in
// any spelling of its address.
func TestABannedFileStaysAwayHoweverItsAddressIsWritten(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		media := w.Admin("root").Admin.Media
		origin, asked := far(t)
		_, host, _ := strings.Cut(origin, "//")
		ways := []string{
			origin + "/a.png", origin + "/a.png#x", origin + "/a.png?", "HTTP://" + host + "/a.png", "http://who@" + host + "/a.png",
			origin + "/%61.png", origin + "/x/../a.png", origin + "/./a.png", " " + origin + "/a.png",
		}
		for _, banned := range []string{ways[0], ways[1], ways[3]} {
			w.must(media.Purge(t.Context(), true, banned))
			before := asked.Load()
			for _, way := range ways {
				proxied := w.avatar(way)
				if status, _ := w.look(proxied); !strings.Contains(proxied, "/proxy/") || status != 404 {
					t.Errorf("%q while %q is banned: %s, %d", way, banned, proxied, status)
				}
			}
			if n := asked.Load() - before; n > 0 {
				t.Errorf("it was fetched %d times", n)
			}
			w.must(media.Unban(t.Context(), ways[2]))
			if got := w.bans(""); got.Count != 0 {
				t.Errorf("bans %v", got.URLs)
			}
		}
		for _, other := range []string{origin + "/A.png", origin + "/a.png?x", origin + "//a.png"} {
			w.must(media.Purge(t.Context(), true, ways[0]))
			if status, _ := w.look(w.avatar(other)); status != 200 {
				t.Errorf("%s is another file: %d", other, status)
			}
		}
	}, withMediaProxy)
}

func TestAPurgeWithoutABanDropsWhatIsKept(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		origin, asked := far(t)
		proxied := w.avatar(origin + "/a.png")
		for range 3 {
			w.look(proxied)
		}
		w.must(w.Admin("root").Admin.Media.Purge(t.Context(), false, origin+"/a.png"))
		if status, _ := w.look(proxied); status != 200 || asked.Load() != 2 {
			t.Errorf("%d, asked %d times", status, asked.Load())
		}
		if got := w.bans(""); got.Count != 0 {
			t.Errorf("bans %v", got)
		}
		// Banning is the default.
		w.want("POST", "/media_proxy_caches/purge", `{"urls":["`+origin+`/a.png"]}`, 200, `{}`)
		w.want("POST", "/media_proxy_caches/purge", `urls[]=https://one.example/x.png&ban=false`, 200, `{}`)
		if got := w.bans(""); got.Count != 2 {
			t.Errorf("bans %v", got)
		}
		w.want("POST", "/media_proxy_caches/delete", `urls[]=`+proxied, 200, `{}`)
		if got := w.bans(""); got.Count != 0 {
			t.Errorf("bans %v", got)
		}
	}, withMediaProxy)
}

func TestOurOwnFilesAreBannedToo(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		media := w.Admin("root").Admin.Media
		up, err := w.Client("ann").Media.Upload(ctx, client.File{Name: "x.png", Content: bytes.NewReader(dot(t))}, api.MediaForm{})
		w.must(err)
		if status, _ := w.look(up.URL); status != 200 {
			t.Fatalf("before: %d", status)
		}
		w.must(media.Purge(ctx, true, up.URL+"?name=x.png"))
		if diff := cmp.Diff(api.List[string]{up.URL}, w.bans("").URLs); diff != "" {
			t.Errorf("bans (-want +got):\n%s", diff)
		}
		for _, url := range []string{up.URL, up.URL + "?name=y", w.Second(t).URL + strings.TrimPrefix(up.URL, w.Base())} {
			if status, body := w.look(url); status != 404 || body != "Not Found" {
				t.Errorf("%s: %d %q", url, status, body)
			}
		}
		w.must(media.Unban(ctx, up.URL))
		if status, _ := w.look(up.URL); status != 200 {
			t.Errorf("after: %d", status)
		}
	})
}

func TestBansAreFoundByAnyPartOfTheirAddress(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		media := w.Admin("root").Admin.Media
		var urls []string
		for i := range 7 {
			urls = append(urls, fmt.Sprintf("https://cdn%d.example/A_%d%%20x.png", i%2, i))
		}
		w.must(media.Purge(ctx, true, urls...))
		even := []string{urls[0], urls[2], urls[4], urls[6]}
		for query, want := range map[string][]string{
			"": urls, "Cdn0.EXAMPLE": even, "_3": {urls[3]}, "a.b": nil, "%": urls, "%%": nil, `\`: nil, "a_%": nil, ".*": nil, "nowhere": nil,
		} {
			got := w.bans(query)
			if diff := cmp.Diff(want, []string(got.URLs)); diff != "" && len(want)+len(got.URLs) > 0 || got.Count != len(want) {
				t.Errorf("%q: %d (-want +got):\n%s", query, got.Count, diff)
			}
		}
		for page, want := range map[int][]string{0: urls[:3], 1: urls[:3], 2: urls[3:6], 3: urls[6:], 4: {}} {
			var got api.MediaBans
			in := client.Request{Method: http.MethodGet, Path: "/api/svc/admin/media_proxy_caches?page_size=3&page=" + strconv.Itoa(page)}
			_, err := w.Admin("root").Do(ctx, in, &got)
			w.must(err)
			if diff := cmp.Diff(api.MediaBans{URLs: want, Count: 7, PageSize: 3}, got); diff != "" {
				t.Errorf("page %d (-want +got):\n%s", page, diff)
			}
		}
		var walked []string
		for url, err := range media.Bans(api.MediaBanQuery{PageSize: 2}).All(ctx) {
			w.must(err)
			walked = append(walked, url)
		}
		if !slices.Equal(walked, urls) {
			t.Errorf("walked %q", walked)
		}
		w.want("GET", "/media_proxy_caches?page=-1&page_size=0&query=a_3", "", 200, `{"urls":["`+urls[3]+`"],"count":1,"page_size":1}`)
	})
}

func TestMediaRequestsOfTheWrongShapeAreRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const list, purge, unban = "/media_proxy_caches", "/media_proxy_caches/purge", "/media_proxy_caches/delete"
		for _, c := range []struct{ method, path, body, answer string }{
			{"GET", list + "?page=two", "", invalid("page", "page - Invalid integer. Got: string.")},
			{"GET", list + "?page_size=x", "", invalid("page_size", "page_size - Invalid integer. Got: string.")},
			{"GET", list + "?query[]=x", "", invalid("query", "query - Invalid string. Got: array.")},
			{"POST", purge, ``, invalid("urls", "Missing field: urls.")},
			{"POST", purge, `{"urls":null}`, invalid("urls", "Missing field: urls.")},
			{"POST", purge, `{"urls":"https://one.example"}`, invalid("urls", "urls - Invalid array. Got: string.")},
			{"POST", purge, `{"urls":[7]}`, invalid("urls/0", "0 - Invalid string. Got: integer.")},
			{"POST", purge, `{"urls":[],"ban":"perhaps"}`, invalid("ban", "ban - Invalid boolean. Got: string.")},
			{"POST", unban, `{}`, invalid("urls", "Missing field: urls.")},
			{"POST", unban, `{"urls":{"a":"b"}}`, invalid("urls", "urls - Invalid array. Got: object.")},
		} {
			w.want(c.method, c.path, c.body, 400, c.answer)
		}
		// The shape first, then the scope.
		weak := w.Token("root", "admin:read")
		for body, want := range map[string]string{
			`{}`: invalid("urls", "Missing field: urls."), `{"urls":[]}`: `{"error":"Insufficient permissions: admin:write:media_proxy_caches."}`,
		} {
			if _, _, got := w.call(weak, "POST", purge, body); got != want {
				t.Errorf("%s: %s", body, got)
			}
		}
		w.wantLog()
	})
}

func TestThousandsOfBansAreListedAndLifted(t *testing.T) {
	w := servertest.Start(t)
	bans := make([]db.MediaBan, 1000)
	for i := range bans {
		url := fmt.Sprintf("https://one.example/%d.png", i)
		bans[i] = db.MediaBan{URL: url, Address: url}
	}
	if err := w.DB.BanMedia(t.Context(), bans); err != nil {
		t.Fatal(err)
	}
	got, err := w.Admin("root").Admin.Media.Bans(api.MediaBanQuery{Page: 20}).Page(t.Context())
	if err != nil || got.Total != 1000 || got.Items[0] != "https://one.example/950.png" || got.Items[49] != "https://one.example/999.png" {
		t.Errorf("%+v, %v", got, err)
	}
	if err := w.Admin("root").Admin.Media.Unban(t.Context(), func() (urls []string) {
		for _, b := range bans[:999] {
			urls = append(urls, b.URL)
		}
		return urls
	}()...); err != nil {
		t.Fatal(err)
	}
	if got, err := w.Admin("root").Admin.Media.Bans(api.MediaBanQuery{}).Page(t.Context()); err != nil || got.Total != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestCachedFilesOfAHostLeaveTheCacheOfEveryProcess: they are counted by host, purged by
// host and age, and fetched anew.
func TestCachedFilesOfAHostLeaveTheCacheOfEveryProcess(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		media := w.Admin("root").Admin.Media
		origin, asked := far(t)
		host := strings.TrimPrefix(origin, "http://")
		proxied := w.avatar(origin + "/a.png")
		urls := []string{proxied}
		if w.DB.Dialect() == db.Postgres { // one process serves a SQLite file
			urls = append(urls, strings.Replace(proxied, w.Base(), w.Second(t).URL, 1))
		}
		looks := func() {
			t.Helper()
			for _, url := range urls {
				if status, _ := w.look(url); status != 200 {
					t.Fatalf("%s: %d", url, status)
				}
			}
		}
		cached := func(query api.CachedMediaQuery) (files int) {
			t.Helper()
			found, err := media.Cached(ctx, query)
			w.must(err)
			for _, h := range found.Hosts {
				files += h.Files
			}
			if files != found.Files {
				t.Errorf("%d files of hosts, %d in all", files, found.Files)
			}
			return files
		}
		looks()
		before := asked.Load()
		found, err := media.Cached(ctx, api.CachedMediaQuery{})
		w.must(err)
		if len(found.Hosts) != 1 || found.Hosts[0].Host != host || found.Bytes != int64(len(dot(t))) {
			t.Errorf("cached: %+v", found)
		}
		now := time.Now().UTC()
		for _, q := range []struct {
			query api.CachedMediaQuery
			want  int
		}{
			{api.CachedMediaQuery{Host: host}, 1},
			{api.CachedMediaQuery{Host: "*." + strings.Split(host, ":")[0]}, 1},
			{api.CachedMediaQuery{Host: "far.example"}, 0},
			{api.CachedMediaQuery{Before: now.Add(-time.Hour).Format(time.RFC3339)}, 0},
			{api.CachedMediaQuery{Before: now.Add(time.Hour).Format(time.RFC3339)}, 1},
		} {
			if got := cached(q.query); got != q.want {
				t.Errorf("%+v: %d files, want %d", q.query, got, q.want)
			}
		}
		for _, q := range []api.CachedMediaQuery{{Host: "far.example"}, {Host: host, Before: now.Add(-time.Hour).Format(time.RFC3339)}} {
			gone, err := media.PurgeCached(ctx, q)
			w.must(err)
			if gone.Files != 0 {
				t.Errorf("%+v purges %+v", q, gone)
			}
		}
		looks()
		if n := asked.Load(); n != before {
			t.Errorf("%d requests after purges of others, %d before", n, before)
		}
		gone, err := media.PurgeCached(ctx, api.CachedMediaQuery{Host: host})
		w.must(err)
		if gone.Files != 1 || gone.Hosts[0].Host != host {
			t.Errorf("purged: %+v", gone)
		}
		for end := time.Now().Add(time.Minute); asked.Load() < 2*before; time.Sleep(5 * time.Millisecond) {
			if looks(); time.Now().After(end) {
				t.Fatalf("%d requests, %d before it was purged", asked.Load(), before)
			}
		}
		for body, want := range map[string]string{
			`{}`: `{"error":"A host or a time is needed"}`, `{"host":"a b"}`: `"Invalid parameters"`, `{"before":"soon"}`: `"Invalid parameters"`,
			// Not every file of the host.
			`{"host":"far.example","before":{}}`: `{"error":"before - Invalid string. Got: object.","errors":[{"message":"before - Invalid string. Got: object","source":{"pointer":"/before"},"title":"Invalid value"}]}`,
		} {
			w.want("DELETE", "/media_proxy_caches/files", body, 400, want)
		}
	}, withMediaProxy)
}
