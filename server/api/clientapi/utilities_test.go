package clientapi_test

import (
	"encoding/json"
	"errors"
	"html"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/servertest"
)

func TestWhatIsListenedToIsKept(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann := t.Context(), s.Client("ann")
		length := api.Int(180)
		for i, form := range []api.NewScrobble{
			{Title: " One ", Artist: "A", Album: "B", Length: &length}, {Title: "Two", Visibility: "unlisted"},
			{Title: "Three", Visibility: "private"}, {Title: "Four", Visibility: "direct"},
		} {
			got, err := ann.Accounts.Scrobble(ctx, form)
			if err != nil {
				t.Fatal(err)
			}
			if i > 0 {
				continue
			}
			seconds := int64(180)
			want := &api.Scrobble{ID: got.ID, Account: got.Account, Title: "One", Artist: "A", Album: "B", Length: &seconds, CreatedAt: got.CreatedAt}
			if diff := cmp.Diff(want, got); diff != "" || got.Account.Acct != "ann" {
				t.Errorf("%s %s", got.Account.Acct, diff)
			}
		}
		if _, err := s.Client("bob").Accounts.Follow(ctx, s.User("ann").ID, api.Follow{}); err != nil {
			t.Fatal(err)
		}
		for who, want := range map[string]string{"ann": "Four Three Two One", "bob": "Three Two One", "cat": "Two One", "": "Two One"} {
			c := s.Anonymous()
			if who != "" {
				c = s.Client(who)
			}
			var got []string
			for one, err := range c.Accounts.Scrobbles(s.User("ann").ID, api.PageQuery{Limit: 1}).All(ctx) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, one.Title)
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%q sees %v, want %s", who, got, want)
			}
		}
		rows, err := ann.Accounts.Scrobbles(s.User("ann").ID, api.PageQuery{MaxID: "0"}).Page(ctx)
		if err != nil || len(rows.Items) != 0 {
			t.Errorf("%v %v", rows.Items, err)
		}
		token := s.Token("ann", servertest.AllScopes)
		for body, want := range map[string]int{
			`{}`: 400, `{"title":" "}`: 422, `{"title":"x","visibility":"list"}`: 422, `{"title":"x","length":-1}`: 422, `{"title":"x","length":"y"}`: 400,
			`{"title":"` + strings.Repeat("x", 501) + `"}`: 422,
		} {
			if a := call(t, s, token, "POST", "/api/v1/svc/scrobble", asJSON, body); a.status != want {
				t.Errorf("%.50s: %s", body, a.text())
			}
		}
	})
}

func TestActivityIsCountedByTheWeek(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		s.User("ann")
		var ids []string
		for range 3 {
			p, err := s.Client("ann").Statuses.Post(ctx, api.NewStatus{Status: "x"})
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, p.ID)
		}
		if _, err := s.Client("bob").Statuses.Reblog(ctx, ids[0], api.NewReblog{}); err != nil {
			t.Fatal(err)
		}
		week := 7 * 24 * time.Hour
		exec := func(query string, args ...any) {
			t.Helper()
			if err := dbtest.Exec(t, s.DB, query, args...); err != nil {
				t.Fatal(err)
			}
		}
		exec("UPDATE statuses SET created_at = created_at - ? WHERE id = ?", week.Microseconds(), ids[1])
		exec("UPDATE statuses SET created_at = created_at - ? WHERE id = ?", (12 * week).Microseconds(), ids[2])
		check := func(what string) {
			t.Helper()
			rows, err := s.DB.Activity(ctx, 12)
			if err != nil {
				t.Fatal(err)
			}
			monday := time.Now().UTC().Truncate(24 * time.Hour)
			for monday.Weekday() != time.Monday {
				monday = monday.AddDate(0, 0, -1)
			}
			want := make([]db.ActivityWeek, 12)
			for i := range want {
				want[i].Start = monday.Add(-time.Duration(i) * week)
			}
			want[0].Statuses, want[1].Statuses, want[0].Logins, want[0].Registrations = 1, 1, 2, 2
			if diff := cmp.Diff(want, rows); diff != "" {
				t.Errorf("%s: %s", what, diff)
			}
		}
		check("counted from the rows")
		// All of it is old enough to be added up, and then more comes.
		back := (2 * time.Minute).Microseconds()
		exec("UPDATE tokens SET created_at = created_at - ?", back)
		exec("UPDATE accounts SET created_at = created_at - ?", back)
		for range 2 {
			if err := s.DB.CountActivity(ctx); err != nil {
				t.Fatal(err)
			}
		}
		check("kept in part")
		got, err := s.Anonymous().Instance.Activity(ctx)
		if err != nil || len(got) != 12 {
			t.Fatalf("%v %v", got, err)
		}
		if n, err := strconv.ParseInt(got[0].Week, 10, 64); err != nil || time.Unix(n, 0).UTC().Weekday() != time.Monday || got[0].Statuses != "1" || got[0].Logins != "2" || got[0].Registrations != "2" {
			t.Errorf("%+v %v", got[0], err)
		}
	})
}

func TestServersOutOfReachAreTold(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, now := t.Context(), s.DB.Now()
		for host, days := range map[string]int{"gone.example": 8, "slow.example": 6, "fine.example": 0} {
			if err := s.DB.AddInstance(ctx, host); err != nil {
				t.Fatal(err)
			}
			if days == 0 {
				continue
			}
			since := now.Add(-time.Duration(days) * 24 * time.Hour)
			if err := dbtest.Exec(t, s.DB, "UPDATE instances SET unreachable_since = ? WHERE host = ?", since.UnixMicro(), host); err != nil {
				t.Fatal(err)
			}
		}
		got, err := s.Anonymous().Instance.FederationStatus(ctx)
		if err != nil {
			t.Fatal(err)
		}
		want := &api.FederationStatus{Unreachable: map[string]api.Time{"gone.example": {Time: now.Add(-8 * 24 * time.Hour).Truncate(time.Millisecond)}}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		peers, err := s.Anonymous().Instance.Peers(ctx)
		if diff := cmp.Diff([]string{"fine.example", "gone.example", "slow.example"}, peers); diff != "" || err != nil {
			t.Errorf("%v %s", err, diff)
		}
	})
}

func TestTheServerTellsItsHealthWhereItMay(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		got, err := s.Anonymous().Instance.Health(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !got.Healthy || got.PoolSize < 1 || got.MemoryUsed < 1 || got.JobQueueStats == nil {
			t.Errorf("%+v", got)
		}
	}, func(c *config.Settings) { c.Instance.Healthcheck = true })
	s := servertest.Start(t)
	if a := call(t, s, "", "GET", "/api/svc/healthcheck", "", ""); a.text() != "503 {}" {
		t.Error(a.text())
	}
}

func TestFrontEndsFindTheirSettings(t *testing.T) {
	s := servertest.Start(t, func(c *config.Settings) {
		c.FrontendConfigurations = map[string]any{"svc_fe": map[string]any{"theme": "dark"}}
	})
	ctx, ann := t.Context(), s.Client("ann")
	got, err := s.Anonymous().Instance.FrontendConfigurations(ctx)
	if diff := cmp.Diff(map[string]any{"svc_fe": map[string]any{"theme": "dark"}}, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	if err := ann.Accounts.SetWebSettings(ctx, api.WebSettings{Data: json.RawMessage(`{"columns":[1]}`)}); err != nil {
		t.Fatal(err)
	}
	me, err := ann.Accounts.Verify(ctx)
	if err != nil || string(me.Svc.SettingsStore) != `{"masto_fe":{"columns":[1]}}` {
		t.Errorf("%s %v", me.Svc.SettingsStore, err)
	}
	for body, want := range map[string]int{`{}`: 400, `{"data":7}`: 422, `{"data":"x"}`: 422, `{"data":null}`: 400} {
		if a := call(t, s, s.Token("ann", servertest.AllScopes), "PUT", "/api/web/settings", asJSON, body); a.status != want {
			t.Errorf("%s: %s", body, a.text())
		}
	}
	prefs, err := ann.Accounts.Preferences(ctx)
	if diff := cmp.Diff(&api.Preferences{PostingVisibility: "public", ReadingMedia: "default"}, prefs); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
}

func TestWebFingerFindsLocalAccounts(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		s.User("Ann_B")
		gone := s.User("gone")
		if err := dbtest.Exec(t, s.DB, "UPDATE accounts SET deactivated = TRUE WHERE id = ?", gone.ID); err != nil {
			t.Fatal(err)
		}
		_, host, _ := strings.Cut(s.Base(), "://")
		uri := s.Base() + "/users/Ann_B"
		want := &api.WebFinger{
			Subject: "acct:Ann_B@" + host, Aliases: api.List[string]{uri},
			Links: api.List[api.WebFingerLink]{
				{Rel: "http://webfinger.net/rel/profile-page", Type: "text/html", Href: uri},
				{Rel: "self", Type: "application/activity+json", Href: uri},
				{Rel: "self", Type: `application/ld+json; profile="https://www.w3.org/ns/activitystreams"`, Href: uri},
				{Rel: "http://ostatus.org/schema/1.0/subscribe", Template: s.Base() + "/ostatus_subscribe?acct={uri}"},
			},
		}
		for _, resource := range []string{"acct:ann_b@" + host, "Ann_B@" + strings.ToUpper(host), "@ann_b@" + host, uri, s.Base() + "/users/ANN_B/", s.Base() + "/@ann_b", "ACCT:ann_b@" + host} {
			got, err := s.Anonymous().Instance.WebFinger(ctx, resource)
			if err != nil {
				t.Errorf("%s: %v", resource, err)
				continue
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s", resource, diff)
			}
		}
		for _, resource := range []string{
			"acct:ann_b@elsewhere.example", "acct:nobody@" + host, "acct:gone@" + host, "ann_b", "acct:@" + host, "https://elsewhere.example/users/ann_b",
			s.Base() + "/users/", s.Base() + "/users/ann_b/followers", s.Base() + "/x", "%00", "acct:ann_b%00@" + host,
		} {
			if _, err := s.Anonymous().Instance.WebFinger(ctx, resource); !errors.Is(err, client.ErrNotFound) {
				t.Errorf("%s: %v", resource, err)
			}
		}
		if a := call(t, s, "", "GET", "/.well-known/webfinger", "", ""); a.status != 400 {
			t.Errorf("%s", a.text())
		}
	})
}

// getAs asks for a document in the types that accept names.
func getAs(t *testing.T, s *servertest.Server, path, accept string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", accept)
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var body strings.Builder
	if _, err := io.Copy(&body, resp.Body); err != nil {
		t.Fatal(err)
	}
	return answer{status: resp.StatusCode, header: resp.Header, body: body.String()}
}

func TestDocumentsForOtherServers(t *testing.T) {
	s := servertest.Start(t)
	s.User("ann")
	_, host, _ := strings.Cut(s.Base(), "://")
	finger := "/.well-known/webfinger?resource=acct:ann@" + host
	for name, tt := range map[string]struct{ path, accept, kind string }{
		"host-meta.xml":  {"/.well-known/host-meta", "", "application/xrd+xml; charset=utf-8"},
		"webfinger.json": {finger, "application/jrd+json, application/json", "application/jrd+json; charset=utf-8"},
		"webfinger.xml":  {finger, "application/xrd+xml", "application/xrd+xml; charset=utf-8"},
	} {
		a := getAs(t, s, tt.path, tt.accept)
		if a.status != 200 || a.header.Get("Content-Type") != tt.kind {
			t.Errorf("%s: %d %s", name, a.status, a.header.Get("Content-Type"))
		}
		got := strings.NewReplacer(s.Base(), "https://svc.example", host, "svc.example").Replace(a.body) + "\n"
		want, err := os.ReadFile("testdata/" + name)
		if *update {
			err = os.WriteFile("testdata/"+name, []byte(got), 0o600)
			want = []byte(got)
		}
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if meta, err := s.Anonymous().Instance.HostMeta(t.Context()); err != nil || !strings.Contains(meta, "lrdd") {
		t.Errorf("%s %v", meta, err)
	}
	closed := servertest.Start(t, func(c *config.Settings) { c.Instance.Federating = false })
	closed.User("ann")
	_, host, _ = strings.Cut(closed.Base(), "://")
	for _, path := range []string{"/.well-known/host-meta", "/.well-known/webfinger?resource=acct:ann@" + host} {
		if a := call(t, closed, "", "GET", path, "", ""); a.text() != `404 {"errors":{"detail":"Page not found"}}` {
			t.Errorf("%s: %s", path, a.text())
		}
	}
}

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
