package ingest_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"testing"
	"time"

	"svc/client/api"
	"svc/db"
	"svc/server/platform/config"
	"svc/server/servertest"
	"svc/server/servertest/peer"
)

// answersTo waits until an actor has n answers of a type, and returns the ids
// of the answered follows.
func (p *place) answersTo(a *peer.Actor, kind string, n int) []string {
	p.Helper()
	var ids []string
	servertest.Eventually(p, kind+" arrives", func() bool {
		ids = nil
		for _, d := range a.Received(kind) {
			ids = append(ids, d.Object("object").Text("id"))
		}
		return len(ids) >= n
	})
	return ids
}

func TestAFollowIsAnsweredEachTimeByItsNewestId(t *testing.T) {
	each(t, func(p *place) {
		first, second := p.vera.Follow(p.bob.URI), p.vera.Follow(p.bob.URI)
		p.sends(202, p.vera, first)
		p.answersTo(p.vera, "Accept", 1)
		p.sends(202, p.vera, second)
		ids := p.answersTo(p.vera, "Accept", 2)
		if ids[0] != first.Text("id") || ids[1] != second.Text("id") {
			p.Errorf("accepted are %v", ids)
		}
		if f := p.follow(p.vera.ID, p.bob); f == nil || f.Pending || f.URI != second.Text("id") {
			p.Errorf("the follow is %+v", f)
		}
		if a, err := p.s.DB.Account(context.Background(), p.bob.ID); err != nil || a.FollowersCount != 1 {
			p.Errorf("bob is followed by %d: %v", a.FollowersCount, err)
		}
	})
}

func TestAFollowThatIsNotWantedIsRejected(t *testing.T) {
	each(t, func(p *place) {
		ctx := context.Background()
		p.sends(202, p.vera, p.vera.Follow(p.bob.URI))
		p.answersTo(p.vera, "Accept", 1)
		if _, err := p.s.Client("bob").Accounts.Block(ctx, p.known(p.vera).ID); err != nil {
			p.Fatal(err)
		}
		servertest.Eventually(p, "the follow is cut", func() bool { return p.follow(p.vera.ID, p.bob) == nil })
		again := p.vera.Follow(p.bob.URI)
		p.sends(202, p.vera, again)
		servertest.Eventually(p, "it is rejected", func() bool {
			for _, d := range p.vera.Received("Reject") {
				if d.Object("object").Text("id") == again.Text("id") {
					return true
				}
			}
			return false
		})
		if p.follow(p.vera.ID, p.bob) != nil {
			p.Error("vera follows who blocks her")
		}
	})
}

// TestABlockedDomainMayNotFollow: after bob blocks vera's domain, follows from
// it are rejected, except those of accounts that bob follows.
func TestABlockedDomainMayNotFollow(t *testing.T) {
	each(t, func(p *place) {
		ctx, bob := context.Background(), p.s.Client("bob")
		rejected := func(a *peer.Actor) {
			p.Helper()
			before := len(a.Received("Reject"))
			p.sends(202, a, a.Follow(p.bob.URI))
			p.answersTo(a, "Reject", before+1)
			if p.follow(a.ID, p.bob) != nil {
				p.Errorf("%s follows from a blocked domain", a.Nickname)
			}
		}
		una, ida := p.peer.Actor("una"), p.peer.Actor("ida")
		p.sends(202, una, una.Follow(p.bob.URI))
		p.answersTo(una, "Accept", 1)
		if err := bob.DomainBlocks.Block(ctx, p.peer.Host()); err != nil {
			p.Fatal(err)
		}
		rejected(p.vera)
		// A former follower who asks again is rejected too, and loses the
		// follow.
		rejected(una)
		post, err := bob.Statuses.Post(ctx, api.NewStatus{Status: "among us", Visibility: "private"})
		if err != nil {
			p.Fatal(err)
		}
		if got := p.vera.Get(post.URI); got.Status != 404 {
			p.Errorf("vera reads what is for followers: %d", got.Status)
		}
		if _, err := bob.Accounts.Follow(ctx, p.s.Find(p, bob, ida.Handle()).ID, api.Follow{}); err != nil {
			p.Fatal(err)
		}
		var asked peer.Doc
		servertest.Eventually(p, "ida is asked", func() bool {
			if got := ida.Received("Follow"); len(got) == 1 {
				asked = got[0]
			}
			return asked != nil
		})
		p.sends(202, ida, ida.Accept(asked))
		p.worked()
		p.sends(202, ida, ida.Follow(p.bob.URI))
		p.answersTo(ida, "Accept", 1)
		// The setting that lets blocked accounts follow lets these, too.
		settings := *p.s.Settings.Base()
		settings.User.DenyFollowBlocked = false
		if err := p.s.Settings.Swap(settings); err != nil {
			p.Fatal(err)
		}
		p.sends(202, p.vera, p.vera.Follow(p.bob.URI))
		p.answersTo(p.vera, "Accept", 1)
	}, func(s *config.Settings) { s.ActivityPub.FollowHandshake = 0 })
}

func TestAnswersToRemoteFollowsAreNotified(t *testing.T) {
	each(t, func(p *place) {
		ctx := context.Background()
		quick := p.peer.Actor("quick")
		p.peer.Answer(func(r peer.Request) peer.Page {
			if follow := r.Doc; follow.Text("type") == "Follow" && follow.Text("object") == quick.ID {
				go quick.Send(p.inbox(), quick.Accept(follow))
			}
			return peer.Page{Status: 202}
		})
		bob := p.s.Client("bob")
		for _, c := range []struct {
			whom      *peer.Actor
			following bool
		}{{quick, true}, {p.vera, false}} {
			account := p.s.Find(p, bob, c.whom.Handle())
			got, err := bob.Accounts.Follow(ctx, account.ID, api.Follow{})
			if err != nil {
				p.Fatal(err)
			}
			if got.Following != c.following || got.Requested == c.following {
				p.Errorf("%s: following %v, requested %v", c.whom.Nickname, got.Following, got.Requested)
			}
		}
	}, func(s *config.Settings) { s.ActivityPub.FollowHandshake = 3 * time.Second })
}

func TestOnlyWhatWasAskedForIsAccepted(t *testing.T) {
	each(t, func(p *place) {
		ctx := context.Background()
		eve := p.peer.Actor("eve")
		account := p.s.Find(p, p.s.Client("bob"), p.vera.Handle())
		// This Follow was never sent.
		made := peer.Doc{"id": p.s.Base() + "/activities/made-up", "type": "Follow", "actor": p.bob.URI, "object": p.vera.ID}
		p.sends(202, p.vera, p.vera.Accept(made))
		p.worked()
		if p.bobFollows(account.ID) != nil {
			p.Error("an answer to nothing makes a follow")
		}
		if _, err := p.s.Client("bob").Accounts.Follow(ctx, account.ID, api.Follow{}); err != nil {
			p.Fatal(err)
		}
		var asked peer.Doc
		servertest.Eventually(p, "vera is asked", func() bool {
			got := p.vera.Received("Follow")
			if len(got) == 1 {
				asked = got[0]
			}
			return len(got) == 1
		})
		// An answer by another actor than vera is ignored.
		p.sends(202, eve, eve.Accept(asked))
		p.worked()
		if f := p.bobFollows(account.ID); f == nil || !f.Pending {
			p.Errorf("somebody else's answer counts: %+v", f)
		}
		// By its id alone.
		accept := p.vera.Accept(asked)
		accept["object"] = asked.Text("id")
		p.sends(202, p.vera, accept)
		servertest.Eventually(p, "bob follows", func() bool { f := p.bobFollows(account.ID); return f != nil && !f.Pending })
		// A rejection ends it, even later.
		p.sends(202, p.vera, p.vera.Reject(asked))
		servertest.Eventually(p, "bob follows no more", func() bool { return p.bobFollows(account.ID) == nil })
	}, func(s *config.Settings) { s.ActivityPub.FollowHandshake = 0 })
}

func (p *place) bobFollows(id string) *db.Follow {
	f, err := p.s.DB.Follow(context.Background(), p.bob.ID, id)
	if err != nil {
		return nil
	}
	return f
}

func TestABlockFromElsewhereCutsFollowsUntilItIsUndone(t *testing.T) {
	each(t, func(p *place) {
		p.sends(202, p.vera, p.vera.Follow(p.bob.URI))
		p.answersTo(p.vera, "Accept", 1)
		block := p.vera.Activity("Block", p.bob.URI)
		p.sends(202, p.vera, block)
		blocks := func() bool {
			found, err := p.s.DB.Blocks(context.Background(), p.known(p.vera).ID, p.bob.ID)
			return err == nil && found
		}
		servertest.Eventually(p, "vera blocks bob", blocks)
		if p.follow(p.vera.ID, p.bob) != nil {
			p.Error("vera follows whom she blocks")
		}
		undo := p.vera.Undo(block)
		undo["object"] = block.Text("id")
		p.sends(202, p.vera, undo)
		servertest.Eventually(p, "vera blocks bob no more", func() bool { return !blocks() })
	})
}

func TestAnEarlyUndoDropsItsActivity(t *testing.T) {
	each(t, func(p *place) {
		ctx := context.Background()
		follow, block := p.vera.Follow(p.bob.URI), p.vera.Activity("Block", p.bob.URI)
		for _, activity := range []peer.Doc{follow, block} {
			p.sends(202, p.vera, p.vera.Undo(activity))
			p.worked()
			p.sends(202, p.vera, activity)
			p.worked()
		}
		if p.follow(p.vera.ID, p.bob) != nil {
			p.Error("a follow counts that was undone before")
		}
		if blocked, err := p.s.DB.Blocks(ctx, p.known(p.vera).ID, p.bob.ID); err != nil || blocked {
			p.Errorf("a block counts that was undone before: %v", err)
		}
		// The next of the same id counts: it was not undone.
		p.sends(202, p.vera, follow)
		servertest.Eventually(p, "vera follows", func() bool { return p.follow(p.vera.ID, p.bob) != nil })
		seen := func() bool {
			seen, err := p.s.DB.ActivitySeen(ctx, block.Text("id"), hashOf(block))
			if err != nil {
				p.Fatal(err)
			}
			return seen
		}
		// The undo is remembered for six hours.
		p.s.Advance(7 * time.Hour)
		if err := p.s.Ingest.Sweep(ctx); err != nil {
			p.Fatal(err)
		}
		undone, err := p.s.DB.TakeUndone(ctx, block.Text("id"), p.vera.ID)
		if err != nil || undone {
			p.Errorf("it is remembered: %v %v", undone, err)
		}
		if !seen() {
			p.Error("the activity does not count as seen")
		}
		p.s.Advance(15 * 24 * time.Hour)
		if err := p.s.Ingest.Sweep(ctx); err != nil {
			p.Fatal(err)
		}
		if seen() {
			p.Error("weeks later it still does")
		}
	})
}

func hashOf(activity peer.Doc) string {
	sum := sha256.Sum256(activity.JSON())
	return base64.RawStdEncoding.EncodeToString(sum[:])
}
