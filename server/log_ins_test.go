package server_test

import (
	"errors"
	"strings"
	"testing"

	"svc/client"
	"svc/client/api"
	"svc/server/servertest"
)

// TestAModeratorEndsAllLogIns: an admin sees where a person is signed in, by no token, and
// ends all of it. Others stay signed in, and the password still opens the account.
func TestAModeratorEndsAllLogIns(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		root := s.With(s.Token("root", servertest.AdminScopes))
		tokens := []string{s.Token("ann", "read"), s.Token("ann", "read write push")}
		bob := s.Token("bob", "read")

		all := must(root.Admin.Users.Sessions(ctx, "ann"))(t)
		if len(all) != 2 || all[0].Kind != api.LogInApp || len(all[0].Scopes) != 3 || all[0].ID == nil || all[0].Name == "" || all[0].CreatedAt.IsZero() {
			t.Fatalf("%+v", all)
		}
		for _, l := range all {
			for _, token := range tokens {
				if strings.Contains(string(l.Raw), token) {
					t.Errorf("a token is shown: %s", l.Raw)
				}
			}
		}
		if err := root.Admin.Users.LogOut(ctx, "ann", "nobody"); err == nil {
			t.Error("somebody unknown is logged out")
		}
		if len(must(root.Admin.Users.Sessions(ctx, "ann"))(t)) != 2 {
			t.Error("a refused request ends log-ins")
		}
		if err := root.Admin.Users.LogOut(ctx, "ann"); err != nil {
			t.Fatal(err)
		}
		if left := must(root.Admin.Users.Sessions(ctx, "ann"))(t); len(left) != 0 {
			t.Errorf("left: %+v", left)
		}
		for _, token := range tokens {
			if _, err := s.With(token).Accounts.Verify(ctx); !errors.Is(err, client.ErrForbidden) {
				t.Errorf("a token still opens the account: %v", err)
			}
		}
		if _, err := s.With(bob).Accounts.Verify(ctx); err != nil {
			t.Errorf("somebody else is signed out: %v", err)
		}
		if _, err := s.With(s.Token("ann", "read:accounts")).Accounts.Verify(ctx); err != nil {
			t.Errorf("ann cannot sign in again: %v", err)
		}
		entries := must(root.Admin.Log.List(api.LogQuery{}).Page(ctx))(t)
		if len(entries.Items) != 1 || entries.Items[0].Message != "@root ended all log-ins of users: @ann" {
			t.Errorf("%+v", entries.Items)
		}
	})
}
