package action_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client/action"
	"svc/server/servertest"
)

// TestOnlyPendingUsersAreRejected rejects somebody pending, once more when they are
// gone, and somebody who was approved, who stays.
func TestOnlyPendingUsersAreRejected(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		admin := s.Admin("mika")
		s.User("ana")
		kim := s.User("kim")
		kim.ApprovalPending = true
		if err := s.DB.UpdateAccount(ctx, kim, "approval_pending"); err != nil {
			t.Fatal(err)
		}
		engine := action.New(admin, action.Options{})
		reject := func(name string) action.Result {
			t.Helper()
			return engine.Do(ctx, []action.Action{{Kind: action.UserReject, Target: "user/" + name, Args: map[string]string{"message": "No."}}})[0]
		}
		if r := reject("kim"); r.Outcome != action.Changed || r.Inverse != nil {
			t.Errorf("kim: %s %v, inverse %v", r.Outcome, r.Err, r.Inverse)
		}
		servertest.Eventually(t, "kim to go", func() bool {
			_, err := s.DB.AccountByNickname(ctx, "kim")
			return err != nil
		})
		if r := reject("kim"); r.Outcome != action.Unchanged {
			t.Errorf("kim again: %s %v", r.Outcome, r.Err)
		}
		if r := reject("nobody"); r.Outcome != action.Failed {
			t.Errorf("a name that never was: %s", r.Outcome)
		}
		if r := reject("ana"); r.Outcome != action.Failed || !strings.Contains(r.Err.Error(), "is not pending") {
			t.Errorf("ana: %s %v", r.Outcome, r.Err)
		}
		if a, err := s.DB.AccountByNickname(ctx, "ana"); err != nil || a.Deactivated {
			t.Errorf("ana: %+v %v", a, err)
		}
	})
}

// TestABlockedMailDomainIsUnblocked blocks a domain twice, and takes it back by the
// inverse of the first time.
func TestABlockedMailDomainIsUnblocked(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		admin := s.Admin("mika")
		engine := func() *action.Engine { return action.New(admin, action.Options{}) }
		block := []action.Action{
			{Kind: action.MailDomainBlock, Target: "mail-domain/Spam.example"}, {Kind: action.MailDomainBlock, Target: "mail-domain/bücher.example"},
		}
		first := engine().Do(ctx, block)
		for i, r := range append(first, engine().Do(ctx, block)...) {
			want := action.Changed
			if i > 1 {
				want = action.Unchanged
			}
			if r.Outcome != want {
				t.Errorf("block %d: %s %v, want %s", i, r.Outcome, r.Err, want)
			}
		}
		blocked, err := admin.Admin.MailDomains.List(ctx)
		if diff := cmp.Diff([]string{"spam.example", "xn--bcher-kva.example"}, blocked); err != nil || diff != "" {
			t.Fatal(err, diff)
		}
		if r := engine().Do(ctx, []action.Action{*first[1].Inverse})[0]; r.Outcome != action.Changed {
			t.Errorf("undo: %s %v", r.Outcome, r.Err)
		}
		if blocked, err = admin.Admin.MailDomains.List(ctx); err != nil || !cmp.Equal([]string{"spam.example"}, blocked) {
			t.Errorf("blocked %q, %v", blocked, err)
		}
	})
}
