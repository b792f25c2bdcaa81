package clientapi_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"svc/client"
	"svc/client/api"
	"svc/server/servertest"
)

func TestFamiliarFollowersAreThoseOneFollows(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, bob, cat, dan := s.Client("ann"), s.Client("bob"), s.Client("cat"), s.Client("dan")
		eve, fay := s.User("eve"), s.Client("fay")
		for _, f := range []struct {
			by *client.Client
			of string
		}{{ann, "bob"}, {ann, "cat"}, {bob, "eve"}, {cat, "eve"}, {dan, "eve"}, {bob, "fay"}} {
			if _, err := f.by.Accounts.Follow(ctx, s.User(f.of).ID, api.Follow{}); err != nil {
				t.Fatal(err)
			}
		}
		is := func(want map[string][]string, ids ...string) {
			t.Helper()
			got, err := ann.Accounts.FamiliarFollowers(ctx, ids...)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != len(want) {
				t.Errorf("%d accounts, want %d", len(got), len(want))
			}
			for _, g := range got {
				names := accts(g.Accounts)
				if slices.Sort(names); !slices.Equal(names, want[g.ID]) {
					t.Errorf("%s has %v, want %v", g.ID, names, want[g.ID])
				}
			}
		}
		fayID := s.User("fay").ID
		is(map[string][]string{eve.ID: {"bob", "cat"}, fayID: {"bob"}}, eve.ID, "AAAAAAAAAAAAAAAAAA", fayID, eve.ID)
		is(nil)
		yes := api.Bool(true)
		for _, c := range []*client.Client{cat, fay} {
			if _, err := c.Accounts.UpdateCredentials(ctx, api.UpdateCredentials{HideCollections: &yes}); err != nil {
				t.Fatal(err)
			}
		}
		is(map[string][]string{eve.ID: {"bob"}, fayID: {}}, eve.ID, fayID)
		if a := call(t, s, s.Token("ann", "read:follows"), "GET", "/api/v1/accounts/familiar_followers?id="+fayID, "", ""); a.status != 200 || a.body != `[{"id":"`+fayID+`","accounts":[]}]` {
			t.Errorf("%d %s", a.status, a.body)
		}
		if a := call(t, s, "", "GET", "/api/v1/accounts/familiar_followers?id="+fayID, "", ""); a.status != 401 {
			t.Errorf("a stranger: %d %s", a.status, a.body)
		}
	})
}

func TestNotesAreTheirWritersAlone(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, bob, me := s.Client("ann"), s.User("bob"), s.User("ann")
		note := func(id, comment, want string) {
			t.Helper()
			if r, err := ann.Accounts.Note(ctx, id, comment); err != nil || r.Note != want {
				t.Errorf("%v %+v", err, r)
			}
			if r, err := ann.Accounts.Relationships(ctx, id); err != nil || r[0].Note != want {
				t.Errorf("%v %+v", err, r)
			}
		}
		note(bob.ID, " met <b>in</b> May ", "met <b>in</b> May")
		note(bob.ID, "met in June", "met in June")
		note(me.ID, "that is me", "that is me")
		if r, err := s.Client("bob").Accounts.Relationships(ctx, me.ID, bob.ID); err != nil || r[0].Note+r[1].Note != "" {
			t.Errorf("bob sees %+v %v", r, err)
		}
		if a := call(t, s, s.Token("ann", servertest.AllScopes), "POST", "/api/v1/accounts/"+bob.ID+"/note", asForm, "comment="+strings.Repeat("ä", 2001)); a.status != 422 ||
			a.body != `{"error":"Validation failed: Comment is too long (maximum is 2000 characters)"}` {
			t.Errorf("%d %s", a.status, a.body)
		}
		note(bob.ID, strings.Repeat("ä", 2000), strings.Repeat("ä", 2000))
		note(bob.ID, " ", "")
		if a := call(t, s, s.Token("ann", servertest.AllScopes), "POST", "/api/v1/accounts/"+me.ID+"/note", "", ""); a.status != 200 || !strings.Contains(a.body, `"note":""`) {
			t.Errorf("%d %s", a.status, a.body)
		}
		if _, err := ann.Accounts.Note(ctx, "AAAAAAAAAAAAAAAAAA", "x"); !errors.Is(err, client.ErrNotFound) {
			t.Errorf("nobody: %v", err)
		}
	})
}

func TestFollowersAreRemoved(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, bob := s.Client("ann"), s.Client("bob")
		me, bobID := s.User("ann"), s.User("bob").ID
		if _, err := bob.Accounts.Follow(ctx, me.ID, api.Follow{}); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if r, err := ann.Accounts.RemoveFollower(ctx, bobID); err != nil || r.FollowedBy {
				t.Errorf("%v %+v", err, r)
			}
		}
		if got, err := ann.Accounts.Get(ctx, me.ID); err != nil || got.FollowersCount != 0 {
			t.Errorf("%v %s", err, got.Raw)
		}
		// A request is no follower: it waits for its answer.
		yes := api.Bool(true)
		if _, err := ann.Accounts.UpdateCredentials(ctx, api.UpdateCredentials{Locked: &yes}); err != nil {
			t.Fatal(err)
		}
		if r, err := bob.Accounts.Follow(ctx, me.ID, api.Follow{}); err != nil || !r.Requested {
			t.Fatalf("%v %+v", err, r)
		}
		if r, err := ann.Accounts.RemoveFollower(ctx, bobID); err != nil || !r.RequestedBy || r.FollowedBy {
			t.Errorf("%v %+v", err, r)
		}
		if _, err := ann.Accounts.RemoveFollower(ctx, "AAAAAAAAAAAAAAAAAA"); !errors.Is(err, client.ErrNotFound) {
			t.Errorf("nobody: %v", err)
		}
	})
}
