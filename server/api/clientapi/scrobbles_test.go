package clientapi_test

import (
	"testing"

	"svc/client/api"
	"svc/server/servertest"
)

// TestAScrobbleShowsItsListenerAsTheyAreNow changes an account by another process:
// this one, which remembers who calls, shows it changed at once.
func TestAScrobbleShowsItsListenerAsTheyAreNow(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, token := t.Context(), s.Token("ann", servertest.AllScopes)
		here, there := s.With(token), s.Second(t).With(token)
		for n := range 5 {
			got, err := here.Accounts.Scrobble(ctx, api.NewScrobble{Title: "Song"})
			if err != nil || got.Account.StatusesCount != n {
				t.Fatalf("after %d posts: %+v, %v", n, got, err)
			}
			if _, err := there.Statuses.Post(ctx, api.NewStatus{Status: "elsewhere"}); err != nil {
				t.Fatal(err)
			}
		}
	})
}
