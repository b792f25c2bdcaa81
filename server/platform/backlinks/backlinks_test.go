package backlinks_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/backlinks"
	"svc/server/platform/jobs"
	"svc/server/platform/outgoing"
)

func TestLinksToPagesThatLinkBackSayMe(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		own := dbtest.Base + "/users/ann"
		pages := map[string]string{
			"/a":         `<a rel="nofollow ME" href="` + own + `">me</a>`,
			"/link":      `<head><link href="` + dbtest.Base + `/@ann/" rel=me></head>`,
			"/other":     `<a rel="me" href="` + dbtest.Base + `/users/bob">me</a><a rel="friend" href="` + own + `">ann</a>`,
			"/comment":   `<!-- <a rel="me" href="` + own + `"> --><script>'<a rel="me" href="` + own + `">'</script>`,
			"/moved":     "",
			"/elsewhere": "",
			"/gone":      "",
			"/markdown":  `[me](` + own + `)`,
		}
		asked := map[string]int{}
		stranger := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(w, pages["/a"])
		}))
		t.Cleanup(stranger.Close)
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked[r.URL.Path]++
			switch r.URL.Path {
			case "/moved":
				http.Redirect(w, r, "/a", http.StatusFound)
				return
			case "/elsewhere": // the requester may choose its target
				http.Redirect(w, r, stranger.URL+"/a", http.StatusFound)
				return
			case "/gone":
				w.WriteHeader(http.StatusGone)
			case "/markdown":
				w.Header().Set("Content-Type", "text/plain")
			default:
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
			}
			_, _ = fmt.Fprint(w, pages[r.URL.Path])
		}))
		t.Cleanup(srv.Close)
		a := dbtest.Account(t, d, "ann")
		link := func(path, rel string) string { return fmt.Sprintf(`<a href="%s%s" rel="%s">x</a>`, srv.URL, path, rel) }
		before := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		a.NoteHTML = "hi " + link("/a", "ugc") + " " + link("/other", "me ugc") + ` <a class="hashtag" data-tag="x" href="` + srv.URL + `/link" rel="tag ugc">#x</a>`
		a.FieldsHTML = []db.Field{
			{Name: "1", Value: link("/link", "ugc")}, {Name: "2", Value: link("/comment", "me ugc"), VerifiedAt: before}, {Name: "3", Value: "plain"},
			{Name: "4", Value: link("/moved", "ugc")}, {Name: "5", Value: link("/gone", "ugc")}, {Name: "6", Value: link("/markdown", "ugc")},
			{Name: "7", Value: link("/a", "me ugc"), VerifiedAt: before}, {Name: "8", Value: link("/elsewhere", "ugc")},
		}
		if err := d.UpdateAccount(ctx, a, "note_html", "fields_html"); err != nil {
			t.Fatal(err)
		}
		now := time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)
		s := backlinks.New(d, outgoing.New(outgoing.Options{Insecure: true}), dbtest.Base, func() time.Time { return now })
		var versions []int64
		for range 2 {
			if err := s.Check(ctx, jobs.CheckBacklinks{AccountID: a.ID}); err != nil {
				t.Fatal(err)
			}
			got, err := d.Account(ctx, a.ID)
			if err != nil {
				t.Fatal(err)
			}
			versions = append(versions, got.Version)
			if want := strings.Replace(strings.Replace(a.NoteHTML, `rel="me ugc"`, `rel="ugc"`, 1), `/a" rel="ugc"`, `/a" rel="me ugc"`, 1); got.NoteHTML != want {
				t.Errorf("note %s\nwant %s", got.NoteHTML, want)
			}
			want := []db.Field{
				{Name: "1", Value: link("/link", "me ugc"), VerifiedAt: now}, {Name: "2", Value: link("/comment", "ugc")}, {Name: "3", Value: "plain"},
				{Name: "4", Value: link("/moved", "me ugc"), VerifiedAt: now}, {Name: "5", Value: link("/gone", "ugc")}, {Name: "6", Value: link("/markdown", "ugc")},
				{Name: "7", Value: link("/a", "me ugc"), VerifiedAt: before}, {Name: "8", Value: link("/elsewhere", "ugc")},
			}
			if diff := cmp.Diff(want, []db.Field(got.FieldsHTML)); diff != "" {
				t.Error(diff)
			}
		}
		if versions[0] != versions[1] {
			t.Error("an account that is as it was is written again")
		}
		if asked["/link"] != 2 {
			t.Errorf("asked %v", asked)
		}
		if err := s.Check(ctx, jobs.CheckBacklinks{AccountID: "nobody"}); err != nil {
			t.Error(err)
		}
	})
}

func TestPrivateAddressesAreNotAsked(t *testing.T) {
	d := dbtest.New(t)
	asked := 0
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	t.Cleanup(srv.Close)
	a := dbtest.Account(t, d, "ann")
	a.NoteHTML = `<a href="` + srv.URL + `" rel="ugc">x</a>`
	if err := d.UpdateAccount(t.Context(), a, "note_html"); err != nil {
		t.Fatal(err)
	}
	s := backlinks.New(d, outgoing.New(outgoing.Options{}), dbtest.Base, time.Now)
	if err := s.Check(t.Context(), jobs.CheckBacklinks{AccountID: a.ID}); err != nil || asked != 0 {
		t.Errorf("asked %d times, %v", asked, err)
	}
}
