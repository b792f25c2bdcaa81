package clientapi_test

import (
	"strings"
	"testing"

	"svc/server/servertest"
)

// TestNamesAreNoIDs: apps try endpoints that this server does not have. Whoever asks is
// told that they are not there, and a name that is there wins.
func TestNamesAreNoIDs(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ann := s.Token("ann", servertest.AllScopes)
		for _, token := range []string{"", "nonsense", s.AppToken(), s.Token("ann", "push"), ann} {
			for _, r := range []string{
				"GET /api/v1/notifications/policy", "GET /api/v1/notifications/requests", "POST /api/v1/notifications/requests/dismiss", "GET /api/v2/notifications/policy",
				"GET /api/v1/lists/mine", "PUT /api/v1/filters/x", "GET /api/v1/media/new", "PUT /api/v1/media/x", "DELETE /api/v1/media/x", "GET /api/v1/polls/x",
				"POST /api/v1/polls/x/votes", "POST /api/v1/conversations/x/read", "DELETE /api/v1/conversations/unread", "GET /api/v1/scheduled_statuses/next",
				"GET /api/v1/statuses/trending", "POST /api/v1/statuses/x/favourite", "GET /api/v1/statuses/x/context", "POST /api/v1/accounts/x/follow", "GET /api/v1/accounts/x/lists",
			} {
				method, path, _ := strings.Cut(r, " ")
				a := call(t, s, token, method, path, asJSON, "")
				if a.status != 404 || !strings.HasPrefix(a.body, `{"error":"`) && !strings.HasPrefix(a.body, `{"errors":`) || !strings.HasPrefix(a.header.Get("Content-Type"), "application/json") {
					t.Errorf("%s with %q: %d %s", r, token, a.status, a.body)
				}
			}
		}
		for _, path := range []string{"/api/v1/notifications/unread_count", "/api/v1/accounts/relationships", "/api/v1/accounts/familiar_followers", "/api/v1/accounts/ann"} {
			if a := call(t, s, ann, "GET", path, "", ""); a.status != 200 {
				t.Errorf("%s: %d %s", path, a.status, a.body)
			}
		}
	})
}
