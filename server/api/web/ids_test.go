package web

import "testing"

func TestPathsTakeIDsOfTheirKind(t *testing.T) {
	for _, tt := range []struct {
		path, id string
		want     bool
	}{
		{"/api/v1/accounts/:id", "familiar_followers", true}, {"/api/v1/accounts/:id/statuses", "ann", true},
		{"/api/v1/accounts/:id/follow", "ann", false}, {"/api/v1/accounts/:id/follow", "9pQtabcdEFGH012345", true},
		{"/api/v1/accounts/:id/follow", "123", true}, {"/api/v1/accounts/:id/follow", "9pQtabcdEFGH01234_", false},
		{"/api/v1/accounts/:id/follow", "9pQtabcdEFGH012345678", false}, {"/api/v1/accounts/:id/follow", "9pQtabcdEFGH012", false},
		{"/api/v1/statuses/:id", "quotes", false}, {"/api/v1/statuses/:id/context", "BCt9zTkYgbYPBQ702y", true},
		{"/api/v1/notifications/:id", "policy", false}, {"/api/v1/notifications/:id", "12", true}, {"/api/v1/notifications/:id/dismiss", "BCt9zTkYgbYPBQ702y", false},
		{"/api/v1/lists/:id", "-1", false}, {"/api/v1/filters/:id", "1.0", false}, {"/api/v2/filters/:id", "x", false}, {"/api/v2/filters/keywords/:id", "7", true},
		{"/api/v1/media/:id", "99999999999999999999", false}, {"/api/v1/polls/:id/votes", "", false}, {"/api/v1/polls/:id/votes", "٣", false},
		{"/api/v1/conversations/:id", "read", false}, {"/api/v1/scheduled_statuses/:id", "0", true}, {"/api/v1/announcements/:id/dismiss", "x", false},
		{"/api/v1/svc/accounts/:id/subscribe", "ann", true}, {"/users/:id", "ann", true}, {"/api/svc/admin/users/:id", "x", true},
	} {
		is := idsOf(tt.path)
		if got := is == nil || is(tt.id); got != tt.want {
			t.Errorf("%s with %q: %v", tt.path, tt.id, got)
		}
	}
}
