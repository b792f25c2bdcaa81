package ingest_test

import (
	"context"
	"testing"
	"time"

	"svc/client/api"
	"svc/server/servertest"
	"svc/server/servertest/peer"
)

// publishes sends a post of vera's to bob, and returns it as it is stored.
func (p *place) publishes(note peer.Doc) *api.Status {
	p.Helper()
	p.peer.Publish(note)
	p.sends(202, p.vera, p.vera.Create(note))
	return p.stored(note.Text("id"))
}

// stored waits until a post is stored, and returns it as bob sees it.
func (p *place) stored(uri string) *api.Status {
	p.Helper()
	var found *api.Status
	servertest.Eventually(p, uri+" is stored", func() bool { found = p.look(uri, false); return found != nil })
	return found
}

// look returns the post at an address as bob sees it, nil for none.
func (p *place) look(uri string, resolve bool) *api.Status {
	p.Helper()
	found, err := p.s.Client("bob").Search.Find(context.Background(), api.SearchQuery{Q: uri, Resolve: resolve})
	if err != nil {
		p.Fatal(err)
	}
	if len(found.Statuses) == 0 {
		return nil
	}
	return &found.Statuses[0]
}

// edits sends another version of a post.
func (p *place) edits(note peer.Doc, at time.Time) {
	p.Helper()
	if !at.IsZero() {
		note = note.With("updated", peer.Stamp(at))
	}
	p.peer.Publish(note)
	p.sends(202, p.vera, p.vera.Update(note))
	p.worked()
}

// decides changes a status as a moderator.
func (p *place) decides(id string, change api.StatusUpdate) {
	p.Helper()
	if _, err := p.s.Admin("root").Admin.Statuses.Update(context.Background(), id, change); err != nil {
		p.Fatal(err)
	}
}

func TestASensitivityThatAModeratorDecidedOutlivesEdits(t *testing.T) {
	each(t, func(p *place) {
		later := func(n int) time.Time { return time.Now().Add(time.Duration(n) * time.Second) }
		yes, no := new(true), new(false)
		sensitive := func(what, uri string, want bool) {
			p.Helper()
			if got := p.look(uri, false); got == nil || got.Sensitive != want {
				p.Errorf("%s: %+v, want sensitive %t", what, got, want)
			}
		}

		poll := p.vera.Question("which?", time.Now().Add(time.Hour), false, "a", "b").To([]string{peer.Public}, []string{p.bob.URI})
		uri := poll.Text("id")
		st := p.publishes(poll)
		p.decides(st.ID, api.StatusUpdate{Sensitive: yes})
		tally := poll.Clone()
		tally["oneOf"].([]any)[0].(map[string]any)["replies"].(map[string]any)["totalItems"] = 3
		p.edits(tally, time.Time{})
		got := p.look(uri, false)
		if !got.Sensitive || got.Poll.VotesCount != 3 || got.EditedAt != nil {
			p.Errorf("after tallies alone: sensitive %t, %d votes, edited at %v", got.Sensitive, got.Poll.VotesCount, got.EditedAt)
		}
		p.edits(tally.With("content", "which one?"), later(5))
		sensitive("another text", uri, true)
		p.edits(tally.With("content", "which one??").With("sensitive", true), later(10))
		p.edits(tally.With("content", "which one of them?").With("sensitive", false), later(15))
		sensitive("the author's own mark comes and goes", uri, true)
		p.decides(st.ID, api.StatusUpdate{Sensitive: no})
		sensitive("the decision is taken back", uri, false)
		p.edits(tally.With("content", "which of them?").With("sensitive", true), later(20))
		sensitive("the author's word counts again", uri, true)

		// What the author says already can be decided too, and the other way round.
		said := p.vera.Note("a").To([]string{peer.Public}, []string{p.bob.URI}).With("sensitive", true)
		st = p.publishes(said)
		p.decides(st.ID, api.StatusUpdate{Sensitive: yes})
		p.edits(said.With("sensitive", false).With("content", "b"), later(5))
		sensitive("decided as the author said", said.Text("id"), true)
		cleared := p.vera.Note("c").To([]string{peer.Public}, []string{p.bob.URI}).With("sensitive", true)
		st = p.publishes(cleared)
		p.decides(st.ID, api.StatusUpdate{Sensitive: no})
		p.edits(cleared.With("content", "d"), later(5))
		sensitive("a mark that was removed", cleared.Text("id"), false)

		// A post that is fetched again is an edit too.
		fetched := p.vera.Note("e").To([]string{peer.Public}, []string{p.bob.URI})
		st = p.publishes(fetched)
		p.decides(st.ID, api.StatusUpdate{Sensitive: yes})
		p.peer.Publish(fetched.With("content", "f").With("updated", peer.Stamp(later(5))))
		p.s.Advance(3 * time.Hour)
		servertest.Eventually(p, "the post is fetched again", func() bool { return p.look(fetched.Text("id"), true).Content == "f" })
		sensitive("fetched again", fetched.Text("id"), true)
	})
}

func TestAVisibilityThatAModeratorDecidedOutlivesEdits(t *testing.T) {
	each(t, func(p *place) {
		later := func(n int) time.Time { return time.Now().Add(time.Duration(n) * time.Second) }
		visibility := func(what, uri, want string) {
			p.Helper()
			if got := p.look(uri, false); got == nil || got.Visibility != want {
				p.Errorf("%s: %+v, want %s", what, got, want)
			}
		}
		public := func(s string) *string { return &s }

		open := p.vera.Note("a").To([]string{peer.Public}, []string{p.bob.URI})
		uri := open.Text("id")
		st := p.publishes(open)
		p.decides(st.ID, api.StatusUpdate{Visibility: public("unlisted")})
		p.edits(open.With("content", "b"), later(5))
		visibility("made unlisted", uri, "unlisted")
		p.decides(st.ID, api.StatusUpdate{Visibility: public("public")})
		visibility("taken back", uri, "public")

		// A wider one stays, but not against an author who narrows their post.
		quiet := p.vera.Note("c").To([]string{p.vera.Followers()}, []string{peer.Public, p.bob.URI})
		uri = quiet.Text("id")
		st = p.publishes(quiet)
		p.decides(st.ID, api.StatusUpdate{Visibility: public("public")})
		p.edits(quiet.With("content", "d"), later(5))
		visibility("made public", uri, "public")
		p.edits(quiet.With("content", "e").To([]string{p.vera.Followers()}, []string{p.bob.URI}), later(10))
		visibility("narrowed by the author", uri, "private")

		// The poll of a post that was narrowed here is still fetched.
		poll := p.vera.Question("which?", time.Now().Add(24*time.Hour), false, "a", "b").To([]string{peer.Public}, []string{p.bob.URI})
		st = p.publishes(poll)
		p.decides(st.ID, api.StatusUpdate{Visibility: public("private")})
		tally := poll.Clone()
		tally["oneOf"].([]any)[0].(map[string]any)["replies"].(map[string]any)["totalItems"] = 2
		p.peer.Publish(tally)
		p.s.Advance(2 * time.Minute)
		got, err := p.s.Client("bob").Polls.Get(context.Background(), st.Poll.ID)
		if err != nil || got.VotesCount != 2 {
			p.Errorf("the poll has %+v: %v", got, err)
		}
		visibility("narrowed here", poll.Text("id"), "private")
	})
}

func TestAPostThatAModeratorDeletedStaysAway(t *testing.T) {
	each(t, func(p *place) {
		note := p.vera.Note("spam").To([]string{peer.Public}, []string{p.bob.URI})
		st := p.publishes(note)
		if err := p.s.Admin("root").Admin.Statuses.Delete(context.Background(), st.ID); err != nil {
			p.Fatal(err)
		}
		p.sends(202, p.vera, p.vera.Create(note))
		p.edits(note.With("content", "more spam"), time.Now().Add(5*time.Second))
		p.sends(202, p.vera, p.vera.Announce(note.Text("id")).To([]string{peer.Public}, []string{p.bob.URI}))
		p.worked()
		if got := p.look(note.Text("id"), true); got != nil {
			p.Errorf("it is back: %s", got.Content)
		}
	})
}
