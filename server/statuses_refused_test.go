package server_test

import (
	"net/http"
	"slices"
	"testing"

	"svc/client/api"
	"svc/server/servertest"
)

// A text that mentions others than its author allows, or that should quote, is refused.
func TestPostsThatWouldMeanAnotherThingAreRefused(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann := t.Context(), s.Client("ann")
		bob, cat := s.User("bob").ID, s.User("cat").ID
		post := func(form api.NewStatus) error { _, err := ann.Statuses.Post(ctx, form); return err }
		const text = "@bob @cat @ann hello"
		for _, c := range []struct {
			allowed, unexpected []string
		}{{[]string{"nobody"}, []string{bob, cat}}, {[]string{bob}, []string{cat}}} {
			err := post(api.NewStatus{Status: text, AllowedMentions: c.allowed})
			wantStatus(t, err, http.StatusUnprocessableEntity)
			var refused struct {
				Accounts []api.Account `json:"unexpected_accounts"`
			}
			decodeError(t, err, &refused)
			var ids []string
			for _, a := range refused.Accounts {
				ids = append(ids, a.ID)
			}
			if slices.Sort(ids); !slices.Equal(ids, c.unexpected) {
				t.Errorf("allowed %v: unexpected %v, want %v", c.allowed, ids, c.unexpected)
			}
		}
		wantStatus(t, post(api.NewStatus{Status: "x", QuotedStatusID: "1"}), http.StatusUnprocessableEntity)
		if n := rowsOf(t, s, "SELECT COUNT(*) FROM statuses"); n != 0 {
			t.Errorf("%d posts were made", n)
		}
		for _, form := range []api.NewStatus{{Status: text, AllowedMentions: []string{bob, cat}}, {Status: text}, {Status: "nobody", AllowedMentions: []string{bob}}} {
			if err := post(form); err != nil {
				t.Error(err)
			}
		}
	})
}
