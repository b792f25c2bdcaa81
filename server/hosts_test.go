package server_test

import (
	"errors"
	"slices"
	"testing"

	"svc/client/api"
	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/platform/config"
	"svc/server/platform/fault"
	"svc/server/rules/signup"
	"svc/server/rules/social/socialtest"
	"svc/server/servertest"
)

// A host as people write it, and its stored form.
const (
	written = "MÜLLER.example"
	kept    = "xn--mller-kva.example"
)

// TestHostsOfOtherAlphabetsAreOnAnyListAsTheyAreKept writes a host with letters
// of its own alphabet in every place that reads a host, and compares it with
// the stored form.
func TestHostsOfOtherAlphabetsAreOnAnyListAsTheyAreKept(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		ann, root := s.Client("ann"), s.Admin("root")
		eve := db.NewAccount("https://"+kept, "eve")
		eve.Local, eve.Domain, eve.Nickname, eve.NickKey = false, kept, "eve@"+kept, "eve@"+kept
		eve.Avatar = "https://" + kept + "/avatar.png"
		eve.FetchedAt = s.DB.Now()
		must(s.DB.CreateAccount(ctx, eve))
		must(s.DB.AddInstance(ctx, kept))
		uri := "https://" + kept + "/notes/1"
		socialtest.Post(t, s.Social, eve, db.Public, activitypub.Post{ID: uri, Content: "<p>hi</p>"})
		must(s.DB.CreateFollow(ctx, &db.Follow{FollowerID: eve.ID, TargetID: s.User("ann").ID, URI: uri + "/follow", Reblogs: true}))
		usual := *s.Settings.Base()
		edit := func(f func(*config.Settings)) {
			t.Helper()
			settings := usual
			settings.Policies.Chain = []string{"Svc.Web.ActivityPub.MRF.SimplePolicy"}
			f(&settings)
			must(s.Settings.Swap(settings))
		}

		// Settings.
		edit(func(c *config.Settings) { c.Policies.Simple.Reject = []string{"*." + written} })
		if !s.Remote.Blocked(kept) || !s.Remote.Blocked("a."+kept+":8443") || s.Remote.Blocked("muller.example") {
			t.Error("a rejected host is not blocked")
		}
		edit(func(c *config.Settings) { c.Policies.Simple.Accept = []string{written} })
		if s.Remote.Blocked(kept) || !s.Remote.Blocked("far.example") {
			t.Error("a host that alone is accepted is blocked")
		}
		edit(func(c *config.Settings) {
			c.Instance.QuarantinedInstances = []string{written}
			c.MediaProxy.Enabled = true
			c.MediaProxy.Whitelist = []string{"https://" + written}
			c.User.EmailBlacklist = []string{written}
			c.Policies.Simple.MediaNSFW = []string{written, "far.example"}
			c.Policies.TransparencyExclusions = []string{kept}
		})
		seen, err := ann.Accounts.Get(ctx, eve.ID)
		must(err)
		if seen.Avatar != eve.Avatar {
			t.Errorf("a picture of a host that is shown directly is at %s", seen.Avatar)
		}
		for _, address := range []string{"x@" + kept, "x@mail." + kept} {
			_, err := s.Signup.Register(ctx, nil, signup.NewAccount{Nickname: "new", Email: address, Password: servertest.Password})
			if refused := new(fault.Error); !errors.As(err, &refused) {
				t.Errorf("%s registers: %v", address, err)
			}
		}
		instance, err := s.Anonymous().Instance.Get(ctx)
		must(err)
		if got := instance.Svc.Metadata.Federation.MRFSimple["media_nsfw"]; !slices.Equal(got, []string{"far.example"}) {
			t.Errorf("shown are %v", got)
		}
		for _, visibility := range []string{"private", "public"} {
			post, err := ann.Statuses.Post(ctx, api.NewStatus{Status: "hello", Visibility: visibility})
			must(err)
			var waits, spread int
			servertest.Eventually(t, "it is spread", func() bool {
				err := s.DB.Writer().QueryRowContext(ctx, "SELECT COUNT(*), (SELECT COUNT(*) FROM activities WHERE distributed_at IS NULL) FROM deliveries WHERE object_uri = '"+
					post.URI+"'").Scan(&waits, &spread)
				must(err)
				return spread == 0
			})
			if (waits > 0) != (visibility == "public") {
				t.Errorf("%d deliveries of a %s post wait for a quarantined host", waits, visibility)
			}
		}

		// Requests of people.
		list, err := s.Anonymous().Timelines.Public(api.TimelineQuery{Instance: written}).Page(ctx)
		must(err)
		if len(list.Items) != 1 || list.Items[0].URI != uri {
			t.Errorf("its timeline has %d posts", len(list.Items))
		}
		must(ann.DomainBlocks.Block(ctx, "*."+written))
		blocks, err := ann.DomainBlocks.List(api.PageQuery{}).Page(ctx)
		must(err)
		if !slices.Equal(blocks.Items, []string{"*." + kept}) {
			t.Errorf("blocked are %v", blocks.Items)
		}
		must(ann.DomainBlocks.Unblock(ctx, "*.müller.example"))
		found, err := ann.Search.Find(ctx, api.SearchQuery{Q: "@eve@" + written, Type: "accounts", Resolve: true})
		must(err)
		if len(found.Accounts) != 1 {
			t.Errorf("%d accounts are found", len(found.Accounts))
		}

		// Requests of admins.
		statuses, err := root.Admin.Statuses.OfInstance(written, api.StatusQuery{}).Page(ctx)
		must(err)
		if len(statuses.Items) != 1 {
			t.Errorf("%d posts of it are listed", len(statuses.Items))
		}
		stats, err := root.Admin.Stats.Get(ctx, api.StatsQuery{Instance: written})
		must(err)
		if stats.StatusVisibility.Public != 1 {
			t.Errorf("it has %d public posts", stats.StatusVisibility.Public)
		}
		if _, err := root.Admin.Users.Get(ctx, "eve@"+written); err != nil {
			t.Errorf("eve is not found: %v", err)
		}
		host, err := root.Admin.Federation.Host(ctx, written)
		if err != nil || host.Host != kept {
			t.Errorf("the host is %+v: %v", host, err)
		}
		relay := "https://" + written + "/inbox"
		_, err = root.Admin.Relays.Follow(ctx, relay)
		must(err)
		must(root.Admin.Relays.Unfollow(ctx, "https://"+kept+"/inbox"))
		if _, err = root.Admin.Relays.Follow(ctx, "https://"+kept+"/inbox"); err != nil {
			t.Fatal(err)
		}
		must(root.Admin.Relays.Unfollow(ctx, relay))
	}, func(c *config.Settings) { c.ActivityPub.FollowHandshake = 0 })
}
