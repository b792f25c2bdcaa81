package action_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/db"
	"svc/server/servertest"
)

// TestWhatIsUndoneIsAsBefore runs each action that has an inverse twice, the
// second time without effect, and then its inverse.
func TestWhatIsUndoneIsAsBefore(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		admin := s.Admin("mika")
		s.User("kim")
		s.User("ana")
		if err := admin.Admin.Users.Tag(ctx, []string{"kim"}, []string{"kept"}); err != nil {
			t.Fatal(err)
		}
		// kim's follows are known once the list is not empty.
		if err := admin.Admin.Users.Follow(ctx, "kim", "mika"); err != nil {
			t.Fatal(err)
		}
		look := func() string {
			t.Helper()
			u, err := admin.Admin.Users.Get(ctx, "kim")
			if err != nil {
				t.Fatal(err)
			}
			following, err := admin.Accounts.Following(u.AccountID, api.AccountQuery{}).Page(ctx)
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprint(u.Roles, u.Tags, u.Deactivated, len(following.Items))
		}
		tests := []action.Action{
			{Kind: action.UserTag, Args: map[string]string{"tags": "Kept,new"}},
			{Kind: action.UserUntag, Args: map[string]string{"tags": "kept,never"}},
			{Kind: action.UserMakeModerator},
			{Kind: action.UserMakeAdmin},
			{Kind: action.UserFollow, Args: map[string]string{"followed": "ana"}},
			{Kind: action.UserUnfollow, Args: map[string]string{"followed": "ana"}},
		}
		engine := action.New(admin, action.Options{})
		one := func(a action.Action) action.Result {
			t.Helper()
			a.Target = "user/kim"
			return engine.Do(ctx, []action.Action{a})[0]
		}
		for _, tt := range tests {
			before := look()
			first := one(tt)
			second := one(tt)
			if tt.Kind == action.UserUnfollow {
				if first.Outcome != action.Unchanged {
					t.Errorf("%s: %s, want unchanged", tt.Kind, first.Outcome)
				}
				continue
			}
			if first.Outcome != action.Changed || second.Outcome != action.Unchanged || look() == before {
				t.Errorf("%s: %s, then %s: %v", tt.Kind, first.Outcome, second.Outcome, first.Err)
				continue
			}
			if first.Inverse == nil {
				t.Errorf("%s has no inverse", tt.Kind)
				continue
			}
			if r := engine.Do(ctx, []action.Action{*first.Inverse})[0]; r.Outcome != action.Changed {
				t.Errorf("undo %s: %s, %v", tt.Kind, r.Outcome, r.Err)
			}
			if after := look(); after != before {
				t.Errorf("%s, undone: %s, was %s", tt.Kind, after, before)
			}
		}
	})
}

// TestActionsWithOtherArgumentsDoNotShareARequest tags two users differently.
func TestActionsWithOtherArgumentsDoNotShareARequest(t *testing.T) {
	s := servertest.Start(t)
	admin := s.Admin("mika")
	s.User("kim")
	s.User("ana")
	shown := 0
	preview, err := client.New(s.URL, client.WithToken(s.Token("mika", servertest.AdminScopes)),
		client.WithPreview(func(client.Preview) { shown++ }))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*client.Client{preview, admin} {
		action.New(c, action.Options{}).Do(context.Background(), []action.Action{
			{Kind: action.UserTag, Target: "user/kim", Args: map[string]string{"tags": "a"}},
			{Kind: action.UserTag, Target: "user/ana", Args: map[string]string{"tags": "b"}},
		})
	}
	if shown != 2 {
		t.Errorf("%d requests", shown)
	}
	for name, want := range map[string]string{"kim": "a", "ana": "b"} {
		u, err := admin.Admin.Users.Get(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(api.List[string]{want}, u.Tags); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestAMessageReachesItsAccountAlone sends one, and reads it as the account.
func TestAMessageReachesItsAccountAlone(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	admin := s.Admin("mika")
	kim, ana := s.Client("kim"), s.Client("ana")
	r := action.New(admin, action.Options{}).Do(t.Context(), []action.Action{
		{Kind: action.UserMessage, Target: "user/kim", Args: map[string]string{"text": "please read the rules"}},
		{Kind: action.UserMessage, Target: "user/kim", Args: map[string]string{"text": ""}},
	})
	if r[0].Outcome != action.Changed || r[0].Inverse != nil || r[1].Outcome != action.Failed {
		t.Errorf("%+v", r)
	}
	for _, c := range []struct {
		who  *client.Client
		want int
	}{{kim, 1}, {ana, 0}} {
		found, err := c.who.Notifications.List(api.NotificationQuery{}).Page(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, n := range found.Items {
			if n.Status != nil && n.Status.Visibility == "direct" {
				got++
			}
		}
		if got != c.want {
			t.Errorf("%d messages, want %d", got, c.want)
		}
	}
}

// TestADeletionSaysWhatItIs deletes a local user, and two of another server.
func TestADeletionSaysWhatItIs(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		engine := action.New(s.Admin("mika"), action.Options{})
		s.User("kim")
		for nick, deactivated := range map[string]bool{"active@far.example": false, "off@far.example": true} {
			uri := "https://far.example/users/" + nick
			if err := s.DB.CreateAccount(ctx, &db.Account{
				URI: uri, URL: uri, Nickname: nick, Domain: "far.example", ActorType: "Person", Inbox: uri + "/inbox", Deactivated: deactivated, FetchedAt: s.DB.Now(),
			}); err != nil {
				t.Fatal(err)
			}
		}
		for nick, means := range map[string]string{
			"kim":                "the nickname stays taken",
			"active@far.example": "it is not banned, and may come back with its next post",
			"off@far.example":    "it stays away until it is activated",
		} {
			delete := []action.Action{{Kind: action.UserDelete, Target: "user/" + nick}}
			if r := engine.Do(ctx, delete)[0]; r.Outcome != action.Changed || r.Means != means {
				t.Errorf("%s: %+v", nick, r)
			}
			if r := engine.Do(ctx, delete)[0]; r.Outcome != action.Unchanged && nick != "active@far.example" {
				t.Errorf("%s, again: %+v", nick, r)
			}
		}
		// A moderator brings the one that stays away back.
		activate := []action.Action{{Kind: action.UserActivate, Target: "user/off@far.example"}}
		if r := engine.Do(ctx, activate)[0]; r.Outcome != action.Changed {
			t.Errorf("activated: %+v", r)
		}
	})
}
