package action

import (
	"strings"
	"testing"
	"time"

	"svc/client/api"
)

// TestStatesHaveOneWordEverywhere: a sign-up that was refused is rejected, not merely
// deactivated, and a revoked invite is not a used one.
func TestStatesHaveOneWordEverywhere(t *testing.T) {
	for _, tt := range []struct {
		of      api.UserPart
		deleted bool
		want    string
	}{
		{api.UserPart{}, false, ""},
		{api.UserPart{ApprovalPending: true}, false, "pending"},
		{api.UserPart{ApprovalPending: true, ConfirmationPending: true}, false, "pending,unconfirmed"},
		{api.UserPart{ApprovalPending: true, ConfirmationPending: true, Deactivated: true}, false, "rejected"},
		{api.UserPart{ApprovalPending: true, Deactivated: true}, true, "rejected"},
		{api.UserPart{Deactivated: true}, false, "deactivated"},
		{api.UserPart{Deactivated: true, ConfirmationPending: true}, false, "deactivated,unconfirmed"},
		{api.UserPart{Deactivated: true}, true, "deleted"},
	} {
		if got := strings.Join(UserStates(tt.of, tt.deleted), ","); got != tt.want {
			t.Errorf("%+v, deleted %t: %q, want %q", tt.of, tt.deleted, got, tt.want)
		}
	}
	yesterday, today := "2026-01-30", "2026-01-31"
	for want, i := range map[string]api.Invite{
		"open": {ExpiresAt: &today}, "used": {Used: true}, "revoked": {Used: true, Revoked: true, ExpiresAt: &yesterday}, "expired": {ExpiresAt: &yesterday},
	} {
		if got := InviteState(i, time.Date(2026, 1, 31, 23, 59, 0, 0, time.UTC)); got != want {
			t.Errorf("%+v is %s, want %s", i, got, want)
		}
	}
}
