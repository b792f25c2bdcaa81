package cards_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/cards"
	"svc/server/platform/config"
	"svc/server/platform/jobs"
	"svc/server/platform/outgoing"
)

// site is a web site and a service that shows it, with a clock of its own.
type site struct {
	*cards.Service
	t     *testing.T
	d     *db.DB
	live  *config.Live
	url   string
	calls atomic.Int64
	page  atomic.Value // func(http.ResponseWriter, *http.Request)
	now   time.Time
	posts int
}

func open(t *testing.T, d *db.DB) *site {
	t.Helper()
	w := &site{t: t, d: d, now: time.Now()}
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.calls.Add(1)
		w.page.Load().(func(http.ResponseWriter, *http.Request))(rw, r)
	}))
	t.Cleanup(srv.Close)
	w.url = srv.URL
	w.says("A page")
	live, err := config.NewLive(config.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	w.live = live
	w.Service = cards.New(d, live, outgoing.New(outgoing.Options{Insecure: true}), func() time.Time { return w.now })
	return w
}

// says has every page say this title.
func (w *site) says(title string) {
	w.page.Store(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprintf(rw, "<html><head><title>%s</title></head>", title)
	})
}

func (w *site) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// post makes a status with this HTML, fetches its card, and returns the title;
// "" for none.
func (w *site) post(html string, files ...db.MediaAttachment) string {
	w.t.Helper()
	w.posts++
	id := fmt.Sprintf("s%d", w.posts)
	w.must(w.d.CreateStatus(w.t.Context(), &db.Status{ID: id, AccountID: "a", Local: true, Visibility: db.Public, Content: html, CreatedAt: w.d.Now()}))
	for i := range files {
		files[i].AccountID, files[i].StatusID = "a", &id
	}
	w.must(w.d.CreateAttachments(w.t.Context(), files))
	return w.fetch(id)
}

func (w *site) fetch(id string) string {
	w.t.Helper()
	w.must(w.Fetch(w.t.Context(), jobs.FetchCard{StatusID: id}))
	s, err := w.d.StatusByID(w.t.Context(), id)
	w.must(err)
	if s.CardID == nil {
		return ""
	}
	all, err := w.d.Cards(w.t.Context(), []int64{*s.CardID})
	w.must(err)
	return all[*s.CardID].Title
}

func (w *site) rows(query string) (n int) {
	w.t.Helper()
	w.must(w.d.Writer().QueryRowContext(w.t.Context(), query).Scan(&n))
	return n
}

func link(address string) string { return `<a href="` + address + `" rel="ugc">x</a>` }

func TestACardIsFetchedOnceForAllWhoLink(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := open(t, d)
		html := `<a class="mention" href="` + w.url + `/@ann">@ann</a> ` + link(w.url+"/file.png") + link(w.url+"/page") + link(w.url+"/other")
		file := db.MediaAttachment{Type: "image", URL: "/media/x", RemoteURL: w.url + "/file.png"}
		if got := w.post(html, file); got != "A page" {
			t.Fatalf("title %q", got)
		}
		if got := w.post(html, file); got != "A page" || w.calls.Load() != 1 {
			t.Errorf("title %q after %d calls", got, w.calls.Load())
		}
		w.must(w.Fetch(t.Context(), jobs.FetchCard{StatusID: "s1"})) // a job may run twice
		card, err := d.CardByLink(t.Context(), w.url+"/page")
		w.must(err)
		host := strings.TrimPrefix(w.url, "http://")
		want := &db.Card{ID: card.ID, Link: w.url + "/page", URL: w.url + "/page", Title: "A page", ProviderName: host, ProviderURL: w.url,
			OpenGraph: map[string]string{}, FetchedAt: card.FetchedAt}
		if diff := cmp.Diff(want, card); diff != "" || w.calls.Load() != 1 {
			t.Errorf("%d calls, %s", w.calls.Load(), diff)
		}
		// A day later it is asked again; the card shown before stays.
		w.now = w.now.Add(25 * time.Hour)
		if got := w.post(html, file); got != "A page" || w.calls.Load() != 2 || w.rows("SELECT COUNT(*) FROM cards") != 1 {
			t.Errorf("title %q after %d calls", got, w.calls.Load())
		}
		w.now = w.now.Add(25 * time.Hour)
		w.says("Another")
		if got := w.post(html, file); got != "Another" || w.calls.Load() != 3 || w.rows("SELECT COUNT(*) FROM cards") != 2 {
			t.Errorf("title %q after %d calls", got, w.calls.Load())
		}
		s, err := d.StatusByID(t.Context(), "s1")
		w.must(err)
		if s.CardID == nil || *s.CardID != card.ID || s.Version < 2 {
			t.Errorf("the first status has card %v in version %d", s.CardID, s.Version)
		}
	})
}

func TestAPageThatFailsIsLeftAloneForAWhile(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := open(t, d)
		w.page.Store(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusBadGateway) })
		if got := w.post(link(w.url)); got != "" {
			t.Fatalf("title %q", got)
		}
		if got := w.post(link(w.url)); got != "" || w.calls.Load() != 1 {
			t.Errorf("title %q after %d calls", got, w.calls.Load())
		}
		if n := w.rows("SELECT COUNT(*) FROM river_job WHERE kind = 'fetch_card'"); n != 2 {
			t.Errorf("%d jobs try again, want 2", n)
		}
		w.now = w.now.Add(2 * time.Minute)
		w.says("A page")
		if got := w.fetch("s1"); got != "A page" || w.calls.Load() != 2 {
			t.Errorf("title %q after %d calls", got, w.calls.Load())
		}
		w.must(w.Sweep(t.Context()))
		if n := w.rows("SELECT COUNT(*) FROM card_failures"); n != 0 {
			t.Errorf("%d failures are kept of a page that works", n)
		}
		// The third try is the last.
		w.page.Store(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusInternalServerError) })
		w.post("")
		before := w.rows("SELECT COUNT(*) FROM river_job")
		w.must(d.CreateStatus(t.Context(), &db.Status{ID: "last", AccountID: "a", Local: true, Visibility: db.Public, Content: link(w.url + "/x"), CreatedAt: d.Now()}))
		w.must(w.Fetch(t.Context(), jobs.FetchCard{StatusID: "last", Try: 2}))
		if n := w.rows("SELECT COUNT(*) FROM river_job"); n != before {
			t.Errorf("%d jobs more", n-before)
		}
	})
}

func TestOnlyPagesGetCards(t *testing.T) {
	w := open(t, dbtest.New(t))
	answer := func(status int, contentType, body string) func() {
		return func() {
			w.page.Store(func(rw http.ResponseWriter, _ *http.Request) {
				rw.Header().Set("Content-Type", contentType)
				rw.WriteHeader(status)
				_, _ = rw.Write([]byte(body))
			})
		}
	}
	for name, set := range map[string]func(){
		"a picture":       answer(200, "image/png", "<title>x</title>"),
		"no type":         answer(200, "", "<title>x</title>"),
		"nothing there":   answer(404, "text/html", "<title>x</title>"),
		"no title":        answer(200, "text/html", "<p>x</p>"),
		"a title too far": answer(200, "text/html", "<head>"+strings.Repeat("<!-- -->", 200_000)+"<title>x</title>"),
		"one on and on": func() {
			w.page.Store(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { http.Redirect(rw, r, r.URL.Path+"x", 302) }).ServeHTTP)
		},
		"another protocol": func() { w.page.Store(http.RedirectHandler("ftp://x.example/", 302).ServeHTTP) },
	} {
		set()
		before := w.rows("SELECT COUNT(*) FROM river_job")
		if got := w.post(link(w.url + "/" + strings.ReplaceAll(name, " ", "-"))); got != "" {
			t.Errorf("%s: title %q", name, got)
		}
		if w.rows("SELECT COUNT(*) FROM river_job") != before {
			t.Errorf("%s is tried again", name)
		}
	}
}

func TestOnlyPagesOfOthersAreWanted(t *testing.T) {
	d := dbtest.New(t)
	live, err := config.NewLive(config.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	s := cards.New(d, live, outgoing.New(outgoing.Options{}), time.Now)
	settings := *live.Load()
	settings.RichMedia.IgnoreHosts = []string{"ignored.example"}
	if err := live.Swap(settings); err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]bool{
		"https://page.example/": true, "https://page.example:8443/x?y": true, "http://page.example/": false, "https://ignored.example/": false,
		"https://IGNORED.example./": false, "https://sub.ignored.example/": true, "https://nas.lan/": false, "https://nas.LOCAL/": false, "https://1.1.1.1/": false,
		"https://[2606:4700::1]/": false, "https://user:pw@page.example/": false, "gemini://page.example/": false, "mailto:a@b.example": false, "https:///": false,
		"https://page.example/" + strings.Repeat("x", 2000): false,
	} {
		if got := s.Wanted(link(address)); got != want {
			t.Errorf("%.60s: %v", address, got)
		}
	}
	if s.Wanted("no link") || (*cards.Service)(nil).Wanted(link("https://page.example/")) {
		t.Error("wanted without a link or a service")
	}
	settings.RichMedia.Enabled = false
	if err := live.Swap(settings); err != nil {
		t.Fatal(err)
	}
	if s.Wanted(link("https://page.example/")) {
		t.Error("wanted though cards are off")
	}
}
