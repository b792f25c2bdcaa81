package e2e

import (
	"net/http"
	"testing"
	"time"

	"svc/client/api"
	"svc/server/servertest/peer"
)

// nothingOf wants bob to know nothing of these ids.
func (v *village) nothingOf(what string, ids ...string) {
	v.Helper()
	for _, id := range ids {
		if st := v.known(id); st != nil {
			v.Errorf("%s: %s is there: %s by %s", what, id, st.Content, st.Account.Acct)
		}
	}
}

// TestNobodySpeaksForOthers has mallory, with a valid signature, send
// activities that only others may send.
func TestNobodySpeaksForOthers(t *testing.T) {
	amongOnSQLite(t, func(v *village) {
		v.follows(v.vera)
		v.followsBob(v.vera)
		hers := v.publishes(v.vera, v.vera.Note("<p>hers</p>"))
		mallory, vera := v.mallory, v.vera
		mine := good(v.bob.Statuses.Post(v.ctx(), api.NewStatus{Status: "bob's"}))(v)
		private := good(v.bob.Statuses.Post(v.ctx(), api.NewStatus{Status: "bob's own", Visibility: "private"}))(v)

		as := func(a *peer.Actor, d peer.Doc) peer.Doc { return d.With("actor", a.ID) }
		byVera := vera.Note("<p>forged 1</p>")
		atHers := mallory.Note("<p>forged 2</p>").With("id", v.good.ID("notes"))
		atOurs := mallory.Note("<p>forged 3</p>").With("id", v.url("/objects/6d7c1cf5-6f1c-4f0a-8f0c-2d8f2d3c4b5a"))
		claimed := mallory.Note("<p>forged 4</p>").With("attributedTo", vera.ID)
		both := mallory.Note("<p>forged 5</p>").With("attributedTo", []string{mallory.ID, vera.ID}).With("actor", vera.ID)
		signed := vera.Note("<p>forged 6</p>")
		changed := peer.Doc{"@context": hersContext, "id": hers.URI, "type": "Note", "attributedTo": vera.ID, "to": []string{peer.Public}, "content": "<p>changed</p>", "published": peer.Stamp(time.Now()), "updated": peer.Stamp(time.Now().Add(time.Minute))}
		follow := vera.Follow(v.bob.actor)
		for name, activity := range map[string]peer.Doc{
			"a post in her name":           as(vera, mallory.Create(byVera)),
			"a post with her id":           mallory.Create(atHers),
			"a post with our id":           mallory.Create(atOurs),
			"a post said to be hers":       mallory.Create(claimed),
			"a post said to be both's":     mallory.Create(both),
			"a post with an LD signature":  as(vera, mallory.Create(signed)).With("signature", peer.Doc{"type": "RsaSignature2017", "creator": vera.KeyID(), "created": peer.Stamp(time.Now()), "signatureValue": "AAAA"}),
			"an edit of hers":              mallory.Update(changed),
			"an edit of hers, as her":      as(vera, mallory.Update(changed)),
			"a deletion of hers":           mallory.Delete(hers.URI),
			"a deletion of hers, as her":   as(vera, mallory.Delete(hers.URI)),
			"a deletion of bob's":          mallory.Delete(mine.URI),
			"a deletion of her account":    mallory.Delete(vera.ID),
			"a deletion as her account":    as(vera, mallory.Delete(vera.ID)),
			"a deletion of bob's account":  mallory.Delete(v.bob.actor),
			"her follow undone":            mallory.Undo(follow),
			"her follow undone, as her":    as(vera, mallory.Undo(follow)),
			"her refusal of bob":           mallory.Reject(peer.Doc{"id": "x", "actor": v.bob.actor, "object": vera.ID}),
			"her refusal of bob, as her":   as(vera, mallory.Reject(peer.Doc{"id": "x", "actor": v.bob.actor, "object": vera.ID})),
			"her block":                    as(vera, mallory.Activity("Block", v.bob.actor).To([]string{v.bob.actor}, nil)),
			"her profile":                  mallory.Update(vera.Doc().With("name", "Mallory")),
			"her profile, as her":          as(vera, mallory.Update(vera.Doc().With("name", "Mallory"))),
			"bob's profile":                mallory.Update(peer.Doc{"id": v.bob.actor, "type": "Person", "preferredUsername": v.bob.nick, "name": "Mallory"}),
			"her pin":                      mallory.Activity("Add", hers.URI).With("target", vera.ID+"/featured").To([]string{peer.Public}, nil),
			"her pin, as her":              as(vera, mallory.Activity("Add", hers.URI).With("target", vera.ID+"/featured").To([]string{peer.Public}, nil)),
			"her move":                     as(vera, mallory.Activity("Move", vera.ID).With("target", mallory.ID).To([]string{peer.Public}, nil)),
			"a move of hers":               mallory.Activity("Move", vera.ID).With("target", mallory.ID).To([]string{peer.Public}, nil),
			"a like at her server":         mallory.Like(mine.URI, v.bob.actor).With("id", v.good.ID("activities")),
			"a like as her":                as(vera, mallory.Like(mine.URI, v.bob.actor)),
			"a boost as her":               as(vera, mallory.Announce(mine.URI)),
			"a boost of what is private":   mallory.Announce(private.URI),
			"a private boost of it":        mallory.Announce(private.URI).To([]string{mallory.Followers()}, nil),
			"a like without an id":         mallory.Like(mine.URI, v.bob.actor).With("id", nil),
			"a post in its own activity's": mallory.Create(mallory.Note("<p>forged 7</p>").With("id", mallory.ID)),
		} {
			if got := mallory.Send(v.bob.actor+"/inbox", activity); got.Status/100 != 2 && got.Status/100 != 4 {
				v.Errorf("%s: %d %s", name, got.Status, got.Body)
			}
		}
		v.settle(mallory)
		v.settle(vera)
		v.nothingOf("forged", byVera.Text("id"), atHers.Text("id"), atOurs.Text("id"), claimed.Text("id"), both.Text("id"), signed.Text("id"))
		if got := v.known(hers.URI); got == nil || content(got) != "hers" || got.Pinned {
			v.Errorf("hers is %+v", got)
		}
		if r := v.relation(v.bob, vera); !r.Following || !r.FollowedBy || r.BlockedBy {
			v.Errorf("bob and vera: %+v", r)
		}
		if a := v.account(vera); a.DisplayName != "vera of the peer" || a.Moved != nil {
			v.Errorf("vera is %s, moved %v", a.DisplayName, a.Moved)
		}
		if a := good(v.bob.Accounts.Get(v.ctx(), v.bob.id))(v); a.DisplayName == "Mallory" {
			v.Error("bob is Mallory")
		}
		got := good(v.bob.Statuses.Get(v.ctx(), mine.ID))(v)
		if got.FavouritesCount != 0 || got.ReblogsCount != 0 {
			v.Errorf("bob's post has %d likes, %d boosts", got.FavouritesCount, got.ReblogsCount)
		}
		if got := good(v.bob.Statuses.Get(v.ctx(), private.ID))(v); got.ReblogsCount != 0 {
			v.Error("what is private is boosted")
		}
		pinned := good(v.bob.Accounts.Statuses(v.account(vera).ID, api.AccountStatusQuery{Pinned: true}).Page(v.ctx()))(v).Items
		if len(pinned) != 0 {
			v.Errorf("pinned are %v", uris(pinned))
		}
	})
}

const hersContext = "https://www.w3.org/ns/activitystreams"

// TestFollowsAreAcceptedByWhomTheyAreOf has others accept a follow, and accepts
// follows that were never requested (CVE-2025-30741).
func TestFollowsAreAcceptedByWhomTheyAreOf(t *testing.T) {
	amongOnSQLite(t, func(v *village) {
		there := v.account(v.vera)
		must(v.T, err1(v.bob.Accounts.Follow(v.ctx(), there.ID, api.Follow{})))
		v.until("the follow arrives", func() bool { return len(v.vera.Received("Follow")) == 1 })
		follow := v.vera.Received("Follow")[0]
		v.send(v.mallory, v.mallory.Accept(follow))
		v.send(v.mallory, v.mallory.Activity("Accept", follow["id"]).To([]string{v.bob.actor}, nil))
		v.send(v.mallory, v.mallory.Accept(follow.With("object", v.mallory.ID)))
		v.settle(v.mallory)
		for _, a := range []*peer.Actor{v.vera, v.mallory} {
			if r := v.relation(v.bob, a); r.Following {
				v.Errorf("bob follows %s: %+v", a.ID, r)
			}
		}
		// By its id alone, as some do.
		v.send(v.vera, v.vera.Activity("Accept", follow["id"]).To([]string{v.bob.actor}, nil))
		v.until("vera's counts", func() bool { return v.relation(v.bob, v.vera).Following })
		// A refusal ends it later.
		v.send(v.vera, v.vera.Reject(follow))
		v.until("the refusal counts", func() bool { return !v.relation(v.bob, v.vera).Following })
		// A withdrawn request cannot be accepted any more.
		must(v.T, err1(v.bob.Accounts.Follow(v.ctx(), there.ID, api.Follow{})))
		v.until("the second follow arrives", func() bool { return len(v.vera.Received("Follow")) == 2 })
		must(v.T, err1(v.bob.Accounts.Unfollow(v.ctx(), there.ID)))
		v.send(v.vera, v.vera.Accept(v.vera.Received("Follow")[1]))
		v.settle(v.vera)
		if r := v.relation(v.bob, v.vera); r.Following || r.Requested {
			v.Errorf("after it was taken back: %+v", r)
		}
	})
}

// TestForwardsAreLookedUp forwards true and false activities of others (rows 13
// and 15).
func TestForwardsAreLookedUp(t *testing.T) {
	amongOnSQLite(t, func(v *village) {
		v.follows(v.vera)
		hers := v.publishes(v.vera, v.vera.Note("<p>hers</p>"))
		// vera's real note is accepted, as it stands at vera's server.
		note := v.vera.Note("<p>the truth</p>")
		v.good.Publish(note)
		v.send(v.mallory, v.vera.Create(note.With("content", "<p>a lie</p>")))
		v.until("it arrives", func() bool { return v.known(note.Text("id")) != nil })
		if got := v.known(note.Text("id")); content(got) != "the truth" || got.Account.Acct != v.vera.Handle() {
			v.Errorf("it says %s", got.Content)
		}
		// Her edit too.
		edited := note.With("content", "<p>the truth, again</p>").With("updated", peer.Stamp(time.Now().Add(time.Second)))
		v.good.Publish(edited)
		v.send(v.mallory, v.vera.Update(edited.With("content", "<p>another lie</p>")))
		v.until("the edit arrives", func() bool { return content(v.known(note.Text("id"))) == "the truth, again" })
		// A deletion counts when the object is really gone.
		v.send(v.mallory, v.vera.Delete(hers.URI))
		v.settle(v.mallory)
		if v.known(hers.URI) == nil {
			v.Error("what is still there was deleted")
		}
		v.good.Gone(hers.URI)
		v.send(v.mallory, v.vera.Delete(hers.URI))
		v.until("what is gone is gone", func() bool { return v.known(hers.URI) == nil })
		// A reblog counts only if it stands at vera's server.
		st := good(v.bob.Statuses.Post(v.ctx(), api.NewStatus{Status: "boost this"}))(v)
		v.send(v.mallory, v.vera.Announce(st.URI))
		v.settle(v.mallory)
		if got := good(v.bob.Statuses.Get(v.ctx(), st.ID))(v); got.ReblogsCount != 0 {
			v.Errorf("%d boosts", got.ReblogsCount)
		}
	})
}

// TestEditsWidenNothing edits statuses with few readers (Update abuse).
func TestEditsWidenNothing(t *testing.T) {
	amongOnSQLite(t, func(v *village) {
		v.follows(v.vera)
		stranger := v.person(v.home, "sam")
		note := v.vera.Note("<p>among us</p>").To([]string{v.vera.Followers()}, nil)
		st := v.publishes(v.vera, note)
		if st.Visibility != "private" {
			v.Fatalf("it is %s", st.Visibility)
		}
		wide := note.To([]string{peer.Public}, []string{v.vera.Followers()}).With("content", "<p>among all</p>").
			With("updated", peer.Stamp(time.Now().Add(time.Minute))).With("published", "2001-01-01T00:00:00Z").With("attributedTo", v.vera.ID)
		v.good.Publish(wide)
		v.send(v.vera, v.vera.Update(wide))
		v.until("the edit counts", func() bool { return content(v.known(st.URI)) == "among all" })
		got := v.known(st.URI)
		if got.Visibility != "private" || !got.CreatedAt.Equal(st.CreatedAt.Time) || got.EditedAt == nil {
			v.Errorf("it is %s, of %s, edited %v", got.Visibility, got.CreatedAt, got.EditedAt)
		}
		if v.knownTo(stranger, st.URI) != nil {
			v.Error("a stranger may read it")
		}
		// Older edits change nothing, whenever they come.
		v.send(v.vera, v.vera.Update(note.With("content", "<p>an old edit</p>").With("updated", peer.Stamp(time.Now().Add(-time.Hour)))))
		v.settle(v.vera)
		if got := v.known(st.URI); content(got) != "among all" {
			v.Errorf("it says %s", got.Content)
		}
		// The author of a post never changes.
		other := v.good.Actor("other")
		v.send(other, other.Update(wide.With("attributedTo", other.ID).With("updated", peer.Stamp(time.Now().Add(time.Hour)))))
		v.send(other, other.Delete(st.URI))
		v.settle(other)
		if got := v.known(st.URI); got == nil || got.Account.Acct != v.vera.Handle() {
			v.Errorf("it is now %+v", got)
		}
	})
}

// TestWhatComesFirstIsRemembered sends Undo and Delete before the activities
// and objects that they concern (row 6).
func TestWhatComesFirstIsRemembered(t *testing.T) {
	among(t, func(v *village) {
		v.follows(v.vera)
		mine := good(v.bob.Statuses.Post(v.ctx(), api.NewStatus{Status: "bob's"}))(v)
		note := v.vera.Note("<p>too late</p>")
		v.send(v.vera, v.vera.Delete(note.Text("id")))
		v.send(v.vera, v.vera.Create(note))
		like := v.vera.Like(mine.URI, v.bob.actor)
		v.send(v.vera, v.vera.Undo(like))
		v.send(v.vera, like)
		// An edit that arrives first brings its status; two arrive in the wrong
		// order.
		edit := v.vera.Note("<p>second</p>").With("published", peer.Stamp(time.Now().Add(-time.Hour))).With("updated", peer.Stamp(time.Now().Add(-time.Minute)))
		v.good.Publish(edit)
		v.send(v.vera, v.vera.Update(edit))
		v.send(v.vera, v.vera.Update(edit.With("content", "<p>first</p>").With("updated", peer.Stamp(time.Now().Add(-2*time.Minute)))))
		v.send(v.vera, v.vera.Create(edit.With("content", "<p>none</p>").With("updated", nil)))
		v.settle(v.vera)
		v.nothingOf("deleted before it came", note.Text("id"))
		if got := good(v.bob.Statuses.Get(v.ctx(), mine.ID))(v); got.FavouritesCount != 0 {
			v.Error("a like that was undone before counts")
		}
		if got := v.known(edit.Text("id")); got == nil || content(got) != "second" {
			v.Errorf("the edit is %v", got)
		}
		// A like before its object is known brings that, too.
		unseen := v.vera.Note("<p>unseen</p>")
		v.good.Publish(unseen)
		v.send(v.vera, v.vera.Announce(unseen.Text("id")))
		v.until("what was boosted arrives", func() bool { return v.known(unseen.Text("id")) != nil })
	})
}

// TestAccountsGoWhenTheySaySo deletes accounts: truly, falsely, and of strangers
// (rows 6 and 2.6).
func TestAccountsGoWhenTheySaySo(t *testing.T) {
	among(t, func(v *village) {
		v.follows(v.vera)
		st := v.publishes(v.vera, v.vera.Note("<p>hers</p>"))
		// Another actor sends it, and vera's document still exists: so does the
		// account.
		v.send(v.mallory, v.vera.Delete(v.vera.ID))
		v.settle(v.mallory)
		if v.known(st.URI) == nil {
			v.Error("an account is deleted that still is there")
		}
		// She signs the Delete herself, since some servers still show deleted
		// accounts.
		v.answered(202, v.vera.Send(v.shared(), v.vera.Delete(v.vera.ID)))
		v.until("what she wrote is gone", func() bool { return v.known(st.URI) == nil })
		v.until("bob follows nobody", func() bool {
			return len(good(v.bob.Accounts.Following(v.bob.id, api.AccountQuery{}).Page(v.ctx()))(v).Items) == 0
		})
		// Of another everybody may say it, once its server does.
		una := v.good.Actor("una")
		hers := v.publishes(una, una.Note("<p>una's</p>").Mentioning(v.bob.actor, v.bob.handle))
		v.good.Gone(una.ID)
		v.send(v.mallory, una.Delete(una.ID))
		v.until("what una wrote is gone", func() bool { return v.known(hers.URI) == nil })
		// The keys of unknown actors are not fetched for a Delete.
		v.evil.Forget()
		for range 50 {
			ghost := v.evil.Actor("ghost")
			v.answered(http.StatusAccepted, v.mallory.Send(v.shared(), ghost.Delete(ghost.ID), peer.KeyID(ghost.KeyID())))
		}
		if n := v.evil.Fetched("/users/ghost"); n != 0 {
			v.Errorf("%d requests for the keys of deleted strangers", n)
		}
	})
}

// TestMovesTakeFollowersAlongOnce moves with and without the target's consent
// (row 11).
func TestMovesTakeFollowersAlongOnce(t *testing.T) {
	among(t, func(v *village) {
		v.follows(v.vera)
		fresh, third := v.evil.Actor("fresh"), v.evil.Actor("third")
		move := func(target *peer.Actor) peer.Doc {
			return v.vera.Activity("Move", v.vera.ID).With("target", target.ID).To([]string{v.vera.Followers()}, nil)
		}
		v.send(v.vera, move(fresh)) // an account that does not say that it was vera
		v.settle(v.vera)
		if v.account(v.vera).Moved != nil || len(fresh.Received("Follow")) != 0 {
			v.Error("a move without the target's consent counts")
		}
		for _, a := range []*peer.Actor{fresh, third} {
			a.Edit(func(d peer.Doc) { d["alsoKnownAs"] = []string{v.vera.ID} })
		}
		v.vera.Edit(func(d peer.Doc) { d["movedTo"] = fresh.ID })
		v.send(v.vera, move(fresh))
		v.until("bob follows the new account", func() bool { return len(fresh.Received("Follow")) == 1 })
		v.until("he follows the old one no more", func() bool { return len(v.vera.Received("Undo")) == 1 })
		if got := v.tells(v.bob, "move", 1)[0]; got.Target == nil || got.Target.Acct != fresh.Handle() {
			v.Errorf("told of %+v", got.Target)
		}
		if moved := v.account(v.vera).Moved; moved == nil || moved.Acct != fresh.Handle() {
			v.Errorf("she moved to %+v", moved)
		}
		// Again within days: nothing.
		v.vera.Edit(func(d peer.Doc) { d["movedTo"] = third.ID })
		v.send(v.vera, move(third))
		v.settle(v.vera)
		if len(third.Received("Follow")) != 0 {
			v.Error("a second move counts at once")
		}
	})
}
