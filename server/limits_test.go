package server_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/server/platform/config"
	"svc/server/servertest"
)

// origin is a transport that gives a client an address of its own.
type origin string

func (f origin) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Forwarded-For", string(f))
	return http.DefaultTransport.RoundTrip(r)
}

func (f origin) client(t *testing.T, s *servertest.Server, token string) *client.Client {
	t.Helper()
	opts := []client.Option{client.WithRetries(0), client.WithHTTPClient(&http.Client{Transport: f, Timeout: 30 * time.Second})}
	if token != "" {
		opts = append(opts, client.WithToken(token))
	}
	c, err := client.New(s.URL, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// limited sets the default limits, with windows longer than any test.
func limited(s *config.Settings) {
	s.RateLimits = config.DefaultSettings().RateLimits
	for i := range s.RateLimits {
		s.RateLimits[i].Anonymous.Window, s.RateLimits[i].User.Window = time.Hour, time.Hour
	}
}

func TestRequestsAreLimitedWhereAProxyTellsWhoAsks(t *testing.T) {
	s := servertest.Start(t, limited)
	ctx := t.Context()
	ann := origin("192.0.2.1").client(t, s, s.Token("ann", servertest.AllScopes))
	bob := origin("192.0.2.1").client(t, s, s.Token("bob", servertest.AllScopes))
	stranger := origin("192.0.2.9").client(t, s, "")
	var got []string
	ask := func(who string, n int, do func() error) {
		line := who
		for range n {
			line += fmt.Sprint(" ", max(client.Status(do()), 200))
		}
		got = append(got, line)
	}
	home := func(c *client.Client) func() error {
		return func() error { _, err := c.Timelines.Home(api.TimelineQuery{}).Page(ctx); return err }
	}
	public := func(c *client.Client) func() error {
		return func() error { _, err := c.Timelines.Public(api.TimelineQuery{}).Page(ctx); return err }
	}
	ask("ann home", 4, home(ann))
	ask("bob home", 1, home(bob))
	ask("ann public", 4, public(ann))
	ask("stranger public", 4, public(stranger))
	posted, err := bob.Statuses.Post(ctx, api.NewStatus{Status: "x"})
	if err != nil {
		t.Fatal(err)
	}
	ask("ann likes", 4, func() error { _, err := ann.Statuses.Favourite(ctx, posted.ID); return err })
	ask("ann boosts", 4, func() error { _, err := ann.Statuses.Reblog(ctx, posted.ID, api.NewReblog{}); return err })
	bobID := s.User("bob").ID
	ask("ann follows", 3, func() error { _, err := ann.Accounts.Follow(ctx, bobID, api.Follow{}); return err })
	ask("ann follows another", 1, func() error { _, err := ann.Accounts.Follow(ctx, s.User("cat").ID, api.Follow{}); return err })
	app, err := stranger.Apps.Create(ctx, api.NewApp{ClientName: "x", RedirectURIs: client.OutOfBand, Scopes: "read"})
	if err != nil {
		t.Fatal(err)
	}
	ask("more apps", 25, func() error {
		_, err := stranger.Apps.Create(ctx, api.NewApp{ClientName: "x", RedirectURIs: client.OutOfBand})
		return err
	})
	ask("app's own token", 26, func() error { _, err := stranger.OAuth.ClientCredentials(ctx, app); return err })
	ask("password", 16, func() error { _, err := stranger.OAuth.Password(ctx, app, "ann", servertest.Password, ""); return err })
	want := []string{
		"ann home 200 200 200 429", "bob home 200", "ann public 200 200 200 429", "stranger public 200 200 200 429",
		"ann likes 200 200 200 429", "ann boosts 200 200 200 429", "ann follows 200 200 429", "ann follows another 200",
		"more apps" + strings.Repeat(" 200", 24) + " 429", "app's own token" + strings.Repeat(" 200", 25) + " 429", "password" + strings.Repeat(" 200", 15) + " 429",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWithoutAForwardedAddressNobodyIsThrottled(t *testing.T) {
	s := servertest.Start(t, limited)
	ann := s.Client("ann")
	for range 40 {
		if _, err := ann.Timelines.Home(api.TimelineQuery{}).Page(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := ann.Statuses.Post(t.Context(), api.NewStatus{Status: "x"}); err != nil {
		t.Fatal(err)
	}
}

func TestAPageIsThrottledInWords(t *testing.T) {
	s := servertest.Start(t, limited)
	var status int
	var body, kind string
	for range 16 {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/oauth/authorize",
			strings.NewReader(url.Values{"authorization[client_id]": {"x"}}.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("X-Forwarded-For", "192.0.2.1")
		status, body = exchange(t, req)
		kind = "html"
		if !strings.Contains(body, "<html") {
			kind = "other"
		}
	}
	if status != http.StatusTooManyRequests || kind != "html" {
		t.Errorf("%d %.200s", status, body)
	}
}

// TestRoutesAreCountedWhereTheyShouldBe holds the table of routes to the
// published list of limits.
func TestRoutesAreCountedWhereTheyShouldBe(t *testing.T) {
	s := servertest.Start(t)
	got := map[config.Bucket][]string{}
	for _, r := range s.Routes() {
		for _, l := range r.Limits {
			name := r.Method + " " + r.Path
			if l.Kind != "" {
				name += " " + l.Kind
			}
			got[l.Bucket] = append(got[l.Bucket], name)
		}
	}
	for _, names := range got {
		slices.Sort(names)
	}
	const v1 = "/api/v1"
	want := map[config.Bucket][]string{
		config.BucketAuthentication: {
			"POST /oauth/authorize authorize", "POST /oauth/mfa/challenge mfa", "POST /oauth/mfa/verify mfa", "POST /oauth/token token",
		},
		config.BucketTimeline: {
			"GET " + v1 + "/timelines/direct direct", "GET " + v1 + "/timelines/home home", "GET " + v1 + "/timelines/list/:id list",
			"GET " + v1 + "/timelines/public public", "GET " + v1 + "/timelines/tag/:tag tag",
		},
		config.BucketSearch: {
			"GET " + v1 + "/accounts/search", "GET " + v1 + "/search", "GET /api/v2/search",
		},
		config.BucketAccountCreation: {
			"POST " + v1 + "/accounts", "POST " + v1 + "/apps apps", "POST /oauth/token app tokens", "POST /registration",
		},
		config.BucketRelations: {
			"POST " + v1 + "/accounts/:id/follow", "POST " + v1 + "/accounts/:id/unfollow", "POST " + v1 + "/follows",
		},
		config.BucketRelation: {"POST " + v1 + "/accounts/:id/follow", "POST " + v1 + "/accounts/:id/unfollow"},
		config.BucketStatuses: {
			"DELETE " + v1 + "/statuses/:id", "POST " + v1 + "/statuses", "POST " + v1 + "/statuses/:id/favourite",
			"POST " + v1 + "/statuses/:id/reblog", "POST " + v1 + "/statuses/:id/unfavourite", "POST " + v1 + "/statuses/:id/unreblog",
			"PUT " + v1 + "/statuses/:id",
		},
		config.BucketStatus: {
			"POST " + v1 + "/statuses/:id/favourite likes", "POST " + v1 + "/statuses/:id/reblog reblogs",
			"POST " + v1 + "/statuses/:id/unfavourite likes", "POST " + v1 + "/statuses/:id/unreblog reblogs",
		},
	}
	for bucket, names := range want {
		if diff := cmp.Diff(names, got[bucket]); diff != "" {
			t.Errorf("bucket %d: %s", bucket, diff)
		}
	}
	for bucket := range config.BucketCount {
		if len(got[bucket]) == 0 {
			t.Errorf("no route is counted in bucket %d", bucket)
		}
	}
}
