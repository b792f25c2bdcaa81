package e2e

import (
	"errors"
	"slices"
	"testing"

	"svc/client"
	"svc/client/api"
	"svc/server/servertest"
)

// TestAccountsMoveToAnotherServer: only with the password, and to an account that names
// the former one. Followers who allow it go there from both servers.
func TestAccountsMoveToAnotherServer(t *testing.T) {
	t.Parallel()
	servertest.EachPair(t, func(t *testing.T, home, away *servertest.Server) {
		ctx := t.Context()
		ann, cat, dan := home.Client("ann"), home.Client("cat"), home.Client("dan")
		bob, zoe := away.Client("bob"), away.Client("zoe")
		annID, zoeHere := home.User("ann").ID, away.User("zoe").ID
		annThere := away.Find(t, bob, home.Handle("ann")).ID
		no := api.Bool(false)
		must(t, err1(dan.Accounts.UpdateCredentials(ctx, api.UpdateCredentials{AllowFollowingMove: &no})))
		for _, c := range []*client.Client{cat, dan} {
			must(t, err1(c.Accounts.Follow(ctx, annID, api.Follow{})))
		}
		must(t, err1(bob.Accounts.Follow(ctx, annThere, api.Follow{})))
		servertest.Eventually(t, "bob follows ann", func() bool {
			r, err := bob.Accounts.Relationships(ctx, annThere)
			return err == nil && r[0].Following
		})

		move := func(password, target string) error {
			return ann.Security.MoveAccount(ctx, api.MoveAccount{Password: password, TargetAccount: target})
		}
		refused := func(err error, words string) {
			t.Helper()
			if o := new(client.OutcomeError); !errors.As(err, &o) || o.Message != words {
				t.Errorf("%v, want %s", err, words)
			}
		}
		zoeHandle := away.Handle("zoe")
		refused(move("wrong", zoeHandle), "Invalid password.")
		refused(move(servertest.Password, zoeHandle), "Target account must have the origin in its aliases.")
		refused(move(servertest.Password, home.Handle("ann")), "An account cannot move to itself.")
		if err := move(servertest.Password, away.Handle("nobody")); !errors.Is(err, client.ErrNotFound) {
			t.Errorf("to nobody: %v", err)
		}
		if err := zoe.Security.AddAlias(ctx, home.Handle("nobody")); !errors.Is(err, client.ErrNotFound) {
			t.Errorf("an alias of nobody: %v", err)
		}
		if err := zoe.Security.AddAlias(ctx, "zoe"); client.Status(err) != 422 {
			t.Errorf("an alias of oneself: %v", err)
		}
		if own, err := ann.Accounts.Verify(ctx); err != nil || own.Moved != nil {
			t.Errorf("moved by a refusal: %v", err)
		}

		// By handle and by id it is one alias.
		for _, alias := range []string{home.Handle("ann"), home.Actor("ann")} {
			must(t, zoe.Security.AddAlias(ctx, alias))
		}
		if all, err := zoe.Security.Aliases(ctx); err != nil || !slices.Equal(all, []string{home.Handle("ann")}) {
			t.Errorf("aliases %v, %v", all, err)
		}
		must(t, zoe.Security.RemoveAlias(ctx, home.Handle("ann")))
		if err := zoe.Security.RemoveAlias(ctx, home.Handle("ann")); !errors.Is(err, client.ErrNotFound) {
			t.Errorf("removed again: %v", err)
		}
		refused(move(servertest.Password, zoeHandle), "Target account must have the origin in its aliases.")
		must(t, zoe.Security.AddAlias(ctx, home.Actor("ann")))

		must(t, move(servertest.Password, zoeHandle))
		zoeThere := home.Find(t, cat, zoeHandle).ID
		if own, err := ann.Accounts.Verify(ctx); err != nil || own.Moved == nil || own.Moved.ID != zoeThere {
			t.Errorf("ann has not moved: %v", err)
		}
		if seen, err := dan.Accounts.Get(ctx, annID); err != nil || seen.Moved == nil || seen.Moved.ID != zoeThere {
			t.Errorf("dan sees that she has not moved: %v", err)
		}
		follows := func(c *client.Client, id string) bool {
			r, err := c.Accounts.Relationships(ctx, id)
			must(t, err)
			return r[0].Following
		}
		servertest.Eventually(t, "bob follows zoe", func() bool { return follows(bob, zoeHere) && !follows(bob, annThere) })
		servertest.Eventually(t, "cat follows zoe", func() bool { return follows(cat, zoeThere) && !follows(cat, annID) })
		servertest.Eventually(t, "dan is told", func() bool {
			page, err := dan.Notifications.List(api.NotificationQuery{}).Page(ctx)
			must(t, err)
			return slices.ContainsFunc(page.Items, func(n api.Notification) bool {
				return n.Type == "move" && n.Account.ID == annID && n.Target != nil && n.Target.ID == zoeThere
			})
		})
		if !follows(dan, annID) || follows(dan, zoeThere) {
			t.Error("dan was moved")
		}
		servertest.Eventually(t, "the other server sees the move", func() bool {
			seen, err := bob.Accounts.Get(ctx, annThere)
			return err == nil && seen.Moved != nil && seen.Moved.ID == zoeHere
		})

		refused(move(servertest.Password, zoeHandle), "An account can move once in 30 days.")
		must(t, err1(ann.Statuses.Post(ctx, api.NewStatus{Status: "still here"})))
		refused(ann.Security.CancelMove(ctx, "wrong"), "Invalid password.")
		must(t, ann.Security.CancelMove(ctx, servertest.Password))
		if own, err := ann.Accounts.Verify(ctx); err != nil || own.Moved != nil {
			t.Errorf("still moved: %v", err)
		}
		refused(move(servertest.Password, zoeHandle), "An account can move once in 30 days.")
	})
}
