package ingest_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"svc/client/api"
	"svc/db"
	"svc/server/servertest"
	"svc/server/servertest/peer"
)

// community is a group that bob follows, on the server of vera, and eve, who writes
// in it from another server.
type community struct {
	*place
	group *peer.Actor
	eve   *peer.Actor
}

func inCommunity(t *testing.T, fn func(c *community)) {
	t.Helper()
	each(t, func(p *place) {
		c := &community{place: p, group: p.peer.Actor("ducks"), eve: peer.Start(p, "127.0.0.4").Actor("eve")}
		c.group.Edit(func(d peer.Doc) { d["type"] = "Group" })
		p.s.Find(p, p.s.Client("bob"), c.group.Handle())
		if err := p.s.DB.CreateFollow(context.Background(), &db.Follow{FollowerID: p.bob.ID, TargetID: p.known(c.group).ID, Local: true, Reblogs: true}); err != nil {
			p.Fatal(err)
		}
		fn(c)
	})
}

// announces sends an activity in the group to the shared inbox.
func (c *community) announces(by *peer.Actor, activity any) {
	c.Helper()
	announce := by.Activity("Announce", activity).To([]string{peer.Public}, []string{by.Followers()})
	if got := by.Send(c.s.Base()+"/inbox", announce); got.Status != 202 {
		c.Errorf("the inbox answered %d %s", got.Status, got.Body)
	}
}

// shown returns the posts on bob's home timeline that the group boosted, newest first.
func (c *community) shown() []api.Status {
	c.Helper()
	page, err := c.s.Client("bob").Timelines.Home(api.TimelineQuery{}).Page(context.Background())
	if err != nil {
		c.Fatal(err)
	}
	var out []api.Status
	for _, st := range page.Items {
		if st.Reblog != nil && st.Account.Acct == c.group.Handle() {
			out = append(out, *st.Reblog)
		}
	}
	return out
}

func TestAGroupBringsThePostsAndCommentsOfOthers(t *testing.T) {
	inCommunity(t, func(c *community) {
		page := c.eve.Note("the page").With("type", "Page").With("name", "Ducks")
		comment := c.eve.Note("the comment").With("inReplyTo", page["id"])
		c.eve.Peer.Publish(page, comment)
		// The wrapper is no proof of the contents, nor of the author.
		false1 := comment.With("content", "forged").With("attributedTo", c.vera.ID)
		c.announces(c.group, c.eve.Create(page))
		c.announces(c.group, c.eve.Create(false1))
		servertest.Eventually(c, "both are boosted", func() bool { return len(c.shown()) == 2 })
		got := c.shown()
		if got[0].URI != comment.Text("id") || !strings.Contains(got[0].Content, "the comment") || got[0].Account.Acct != c.eve.Handle() {
			c.Errorf("the comment is %s by %s", got[0].Content, got[0].Account.Acct)
		}
		if got[0].InReplyToID == nil || *got[0].InReplyToID != got[1].ID {
			c.Error("the comment is in no thread")
		}

		// Update and Delete count as far as the post's own server confirms them.
		changed := comment.With("content", "another comment").With("updated", peer.Stamp(time.Now().Add(time.Second)))
		c.announces(c.group, c.eve.Update(changed))
		c.announces(c.group, c.eve.Delete(page.Text("id")))
		c.worked()
		if got = c.shown(); len(got) != 2 || !strings.Contains(got[0].Content, "the comment") {
			c.Errorf("what its server does not confirm counts: %d, %s", len(got), got[0].Content)
		}
		c.eve.Peer.Publish(changed)
		c.announces(c.group, c.eve.Update(changed))
		servertest.Eventually(c, "the change is there", func() bool { return strings.Contains(c.shown()[0].Content, "another comment") })
		c.eve.Peer.Remove(page.Text("id"))
		c.eve.Peer.Gone(strings.TrimPrefix(page.Text("id"), c.eve.Peer.Base()))
		c.announces(c.group, c.eve.Delete(page.Text("id")))
		servertest.Eventually(c, "the page is gone", func() bool { return len(c.shown()) == 1 })
	})
}

func TestActsInAGroupAreTheirActorsOwn(t *testing.T) {
	inCommunity(t, func(c *community) {
		ctx := context.Background()
		st, err := c.s.Client("bob").Statuses.Post(ctx, api.NewStatus{Status: "mine"})
		if err != nil {
			c.Fatal(err)
		}
		favourites := func() int64 {
			row, err := c.s.DB.StatusByID(ctx, st.ID)
			if err != nil {
				c.Fatal(err)
			}
			return row.FavouritesCount
		}
		like, unseen := c.eve.Like(st.URI, c.bob.URI), c.eve.Like(st.URI, c.bob.URI)
		c.announces(c.group, unseen) // its server does not show it
		c.eve.Peer.Publish(like)
		c.announces(c.group, c.vera.Like(st.URI, c.bob.URI).With("id", like["id"])) // eve's, whatever the group says
		c.announces(c.group, like)
		servertest.Eventually(c, "eve's like counts", func() bool { return favourites() == 1 })
		c.worked()
		if n := favourites(); n != 1 {
			c.Errorf("%d favourites", n)
		}
		undo := c.eve.Undo(like)
		c.announces(c.group, undo)
		c.worked()
		if n := favourites(); n != 1 {
			c.Errorf("%d favourites after an Undo that nobody confirms", n)
		}
		c.eve.Peer.Publish(undo)
		c.announces(c.group, undo.With("published", peer.Stamp(time.Now().Add(time.Minute))))
		c.s.Advance(10 * time.Minute) // a failure to fetch it is over
		c.announces(c.group, undo)
		servertest.Eventually(c, "eve's like is undone", func() bool { return favourites() == 0 })
	})
}

func TestOnlyGroupsThatSomebodyFollowsBringActivities(t *testing.T) {
	inCommunity(t, func(c *community) {
		post, nested := c.eve.Note("a post"), c.eve.Note("a nested post")
		c.eve.Peer.Publish(post, nested)
		geese := c.peer.Actor("geese").Edit(func(d peer.Doc) { d["type"] = "Group" })
		c.announces(geese, c.eve.Create(post))  // nobody follows it
		c.announces(c.vera, c.eve.Create(post)) // no group
		c.announces(c.group, c.group.Announce(nested.Text("id")))
		c.announces(c.group, c.group.Activity("Announce", c.eve.Create(nested)))
		c.worked()
		servertest.Eventually(c, "all are worked off", func() bool { return c.waiting() == 0 })
		if got := c.shown(); len(got) != 0 || c.look(post.Text("id"), false) != nil || c.look(nested.Text("id"), false) != nil {
			c.Errorf("%d posts came", len(got))
		}
	})
}
