package server_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"svc/client/api"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/servertest"
)

// TestFourProcessesOfOneRoleEachAreOneService follows, posts, notifies and streams, with
// another server, through processes that each do one thing.
func TestFourProcessesOfOneRoleEachAreOneService(t *testing.T) {
	t.Parallel()
	web := servertest.Booted(t, dbtest.Postgres(t), func(c *config.Config) { c.Roles = config.Roles{Web: true} })
	peer := servertest.AtHost(t, dbtest.Ready(t), "127.0.0.2")
	stream := web.SecondAs(t, config.Roles{Stream: true})
	work := web.SecondAs(t, config.Roles{Work: true})
	deliver := web.SecondAs(t, config.Roles{Deliver: true})

	ann, eve := web.Client("ann"), peer.Client("eve")
	open := dial(t, stream, web.Token("ann", "read write follow push"), "stream=user")
	there := peer.Find(t, eve, web.Handle("ann"))
	must(eve.Accounts.Follow(t.Context(), there.ID, api.Follow{}))(t)
	open.until("notification", "") // it was taken in, processed and told
	servertest.Eventually(t, "the follow is accepted", func() bool {
		return must(eve.Accounts.Relationships(t.Context(), there.ID))(t)[0].Following
	})
	post := say(t, ann, "to those who follow")
	open.until("update", post.ID)
	servertest.Eventually(t, "the post arrives", func() bool {
		home := must(eve.Timelines.Home(api.TimelineQuery{}).Page(t.Context()))(t).Items
		return len(home) == 1 && strings.Contains(home[0].Content, "to those who follow")
	})

	get := func(s *servertest.Server, path string, status int) {
		t.Helper()
		resp, err := http.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		body, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != status {
			t.Errorf("%s: %d %s (%v), want %d", path, resp.StatusCode, body, err, status)
		}
		if status == http.StatusServiceUnavailable && !strings.HasPrefix(string(body), `{"error":"This process`) {
			t.Errorf("%s: %s", path, body)
		}
	}
	for _, s := range []*servertest.Server{web, stream, work, deliver} {
		get(s, "/healthz", http.StatusOK)
		get(s, "/readyz", http.StatusOK)
	}
	for s, status := range map[*servertest.Server]int{web: 200, stream: 503, work: 503, deliver: 503} {
		get(s, "/api/v1/instance", status)
	}
	for s, status := range map[*servertest.Server]int{web: 503, stream: 200, work: 503, deliver: 503} {
		get(s, "/api/v1/streaming/health", status)
	}
	get(web, "/api/v1/streaming/public", http.StatusServiceUnavailable)
	get(work, "/api/v1/accounts/verify_credentials", http.StatusServiceUnavailable) // without a token too
}
