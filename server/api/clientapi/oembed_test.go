package clientapi_test

import (
	"errors"
	"html"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/server/servertest"
)

func TestPublicStatusesAreEmbedded(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, c := t.Context(), s.Client("ann"), s.Anonymous()
		name := "Ann & <Co"
		if _, err := ann.Accounts.UpdateCredentials(ctx, api.UpdateCredentials{DisplayName: &name}); err != nil {
			t.Fatal(err)
		}
		post := func(text, spoiler, visibility string) *api.Status {
			t.Helper()
			p, err := ann.Statuses.Post(ctx, api.NewStatus{Status: text, SpoilerText: spoiler, Visibility: visibility})
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		p := post("a <b> & c", "", "public")
		day, by := p.CreatedAt.UTC().Format(time.DateOnly), s.Base()+"/users/ann"
		want := &api.OEmbed{
			Type: "rich", Version: "1.0", AuthorName: p.Account.DisplayName, AuthorURL: by, ProviderName: "svc", ProviderURL: s.Base(), CacheAge: 86400, Width: 400,
			HTML: `<blockquote cite="` + p.URL + `">a &lt;b&gt; &amp; c<footer><a href="` + by + `">` + html.EscapeString(p.Account.DisplayName) + `</a>, <a href="` + p.URL + `">` + day + `</a></footer></blockquote>`,
		}
		for _, address := range []string{p.URL, p.URI} {
			got, err := c.Instance.OEmbed(ctx, api.OEmbedQuery{URL: address})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		}
		if got, err := c.Instance.OEmbed(ctx, api.OEmbedQuery{URL: post("hidden", "a & warning", "unlisted").URL, MaxWidth: 9999}); err != nil ||
			got.Width != 2000 || strings.Contains(got.HTML, "hidden") || !strings.Contains(got.HTML, "a &amp; warning") {
			t.Errorf("%+v %v", got, err)
		}
		for _, address := range []string{
			post("x", "", "private").URL, post("x", "", "local").URL, post("x", "", "direct").URI, s.Base() + "/notice/nosuchid", s.Base() + "/users/ann", "https://elsewhere.example/notice/" + p.ID, "%",
		} {
			if _, err := c.Instance.OEmbed(ctx, api.OEmbedQuery{URL: address}); !errors.Is(err, client.ErrNotFound) {
				t.Errorf("%s: %v", address, err)
			}
		}
		if a := call(t, s, "", "GET", "/api/oembed", "", ""); a.status != 400 {
			t.Error(a.text())
		}
	})
}
