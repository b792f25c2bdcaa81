package clientapi_test

import (
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/servertest"
)

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
