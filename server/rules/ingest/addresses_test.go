package ingest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"svc/client/api"
	"svc/server/servertest"
	"svc/server/servertest/peer"
)

// withPage is a note whose page has another address than the note, which is served
// there too.
func (p *place) withPage(text string) peer.Doc {
	note := p.toBob(text)
	page := p.peer.ID("pages")
	note = note.With("url", page)
	p.peer.Serve(page, peer.Page{Body: note.JSON()})
	p.peer.Publish(note)
	return note
}

// joined checks that a reply is in the thread of its parent.
func (p *place) joined(what string, reply, parent peer.Doc) {
	p.Helper()
	servertest.Eventually(p, what+" joins its thread", func() bool {
		r, of := p.look(reply.Text("id"), false), p.look(parent.Text("id"), false)
		return r != nil && of != nil && r.InReplyToID != nil && *r.InReplyToID == of.ID &&
			r.Svc.ConversationID != nil && of.Svc.ConversationID != nil && *r.Svc.ConversationID == *of.Svc.ConversationID
	})
}

func TestARepliesParentMayBeAPage(t *testing.T) {
	each(t, func(p *place) {
		replyTo := func(address string) peer.Doc {
			return p.toBob("a reply").With("inReplyTo", address)
		}
		known := p.withPage("known")
		p.publishes(known)
		reply := replyTo(known.Text("url"))
		p.publishes(reply)
		p.joined("a reply to a known page", reply, known)

		fetched := p.withPage("fetched")
		reply = replyTo(fetched.Text("url"))
		p.publishes(reply)
		p.joined("a reply to a page that is fetched", reply, fetched)

		// A page under an address that its post does not name.
		aside := p.withPage("aside")
		p.peer.Serve("/aside", peer.Page{Body: aside.JSON()})
		reply = replyTo(p.peer.URL("/aside"))
		p.publishes(reply)
		p.joined("a reply to another address of a page", reply, aside)

		late := p.withPage("late")
		reply = replyTo(late.Text("url"))
		p.peer.Remove(late.Text("id"))
		p.peer.Remove(late.Text("url"))
		p.publishes(reply)
		p.publishes(late)
		p.joined("a reply that came before", reply, late)

		mine, err := p.s.Client("bob").Statuses.Post(context.Background(), api.NewStatus{Status: "mine"})
		if err != nil {
			p.Fatal(err)
		}
		reply = replyTo(mine.URL)
		if st := p.publishes(reply); st.InReplyToID == nil || *st.InReplyToID != mine.ID {
			p.Errorf("a reply to the page %s replies to %v", mine.URL, st.InReplyToID)
		}
	})
}

func TestActsNamePostsByTheirPages(t *testing.T) {
	each(t, func(p *place) {
		mine, err := p.s.Client("bob").Statuses.Post(context.Background(), api.NewStatus{Status: "mine"})
		if err != nil {
			p.Fatal(err)
		}
		p.sends(202, p.vera, p.vera.Like(mine.URL, p.bob.URI))
		p.sends(202, p.vera, p.vera.Announce(mine.URL))
		p.worked()
		row, err := p.s.DB.StatusByID(context.Background(), mine.ID)
		if err != nil || row.FavouritesCount != 1 || row.ReblogsCount != 1 {
			p.Errorf("%d favourites, %d reblogs: %v", row.FavouritesCount, row.ReblogsCount, err)
		}
		// New emoji are reactions.
		p.sends(202, p.vera, p.vera.Like(mine.URI, p.bob.URI).With("type", "EmojiReact").With("content", "\U0001FAEA"))
		p.worked()
		if row, err = p.s.DB.StatusByID(context.Background(), mine.ID); err != nil || len(row.Reactions) != 1 {
			p.Errorf("the reactions are %v: %v", row.Reactions, err)
		}
	})
}

func TestAnActivityAddressesItsObject(t *testing.T) {
	each(t, func(p *place) {
		bare := func(text string) peer.Doc { return p.toBob(text).With("to", nil).With("cc", nil) }
		post := bare("by the activity")
		create := p.vera.Activity("Create", post).To([]string{peer.Public}, []string{p.vera.Followers(), p.bob.URI})
		p.sends(202, p.vera, create)
		if st := p.stored(post.Text("id")); st.Visibility != "public" {
			p.Errorf("it is %s", st.Visibility)
		}
		quiet := bare("for followers")
		p.sends(202, p.vera, p.vera.Activity("Create", quiet).To([]string{p.vera.Followers()}, []string{p.bob.URI}))
		if st := p.stored(quiet.Text("id")); st.Visibility != "private" {
			p.Errorf("it is %s", st.Visibility)
		}
		// The object's own addresses count, and an edit without any narrows nothing.
		own := p.toBob("by itself").With("to", []string{p.bob.URI}).With("cc", nil)
		p.sends(202, p.vera, p.vera.Activity("Create", own).To([]string{peer.Public}, nil))
		if st := p.stored(own.Text("id")); st.Visibility != "direct" {
			p.Errorf("it is %s", st.Visibility)
		}
		edit := p.vera.Activity("Update", post.With("content", "edited").With("updated", peer.Stamp(time.Now().Add(time.Minute))))
		p.sends(202, p.vera, edit.To([]string{peer.Public}, []string{p.vera.Followers(), p.bob.URI}))
		p.worked()
		if st := p.look(post.Text("id"), false); st.Visibility != "public" || st.Content != "edited" {
			p.Errorf("edited, it is %s: %s", st.Visibility, st.Content)
		}
		// A fetched one without any is for nobody else.
		fetched := bare("fetched")
		p.peer.Publish(fetched)
		if st := p.look(fetched.Text("id"), true); st != nil {
			p.Errorf("fetched, it is %s", st.Visibility)
		}
	})
}

func TestAPostHasAllItsFilesAndLosesItsPoll(t *testing.T) {
	each(t, func(p *place) {
		var files []any
		for i := range 40 {
			files = append(files, peer.Doc{"type": "Document", "mediaType": "image/png", "url": p.peer.URL(fmt.Sprintf("/%d.png", i)), "name": fmt.Sprintf("%d.png", i), "summary": fmt.Sprintf("picture %d", i)})
		}
		st := p.publishes(p.toBob("many").With("attachment", files))
		if len(st.MediaAttachments) != 40 || *st.MediaAttachments[39].Description != "picture 39" {
			p.Errorf("%d files", len(st.MediaAttachments))
		}

		poll := p.vera.Question("which?", time.Now().Add(time.Hour), false, "a", "b").To([]string{peer.Public}, []string{p.bob.URI})
		st = p.publishes(poll)
		if _, err := p.s.Client("bob").Polls.Vote(context.Background(), st.Poll.ID, 1); err != nil {
			p.Fatal(err)
		}
		// closed ends it, whatever endTime says, once.
		closed := poll.With("closed", true)
		p.edits(closed, time.Time{})
		first := p.look(poll.Text("id"), false).Poll
		p.s.Advance(time.Minute)
		p.edits(closed.With("votersCount", 1), time.Time{})
		again := p.look(poll.Text("id"), false).Poll
		if !first.Expired || !again.Expired || !again.ExpiresAt.Equal(first.ExpiresAt.Time) {
			p.Errorf("closed at %v, and at %v", first.ExpiresAt, again.ExpiresAt)
		}
		// An edit without it takes the poll away.
		plain := poll.With("type", "Note").With("oneOf", nil).With("endTime", nil).With("votersCount", nil)
		p.edits(plain, time.Now().Add(time.Minute))
		if got := p.look(poll.Text("id"), false); got.Poll != nil || got.EditedAt == nil {
			p.Errorf("the poll is %+v, edited at %v", got.Poll, got.EditedAt)
		}
		if _, err := p.s.Client("bob").Polls.Get(context.Background(), st.Poll.ID); err == nil {
			p.Error("the poll can still be read")
		}
		if _, err := p.s.Client("bob").Polls.Vote(context.Background(), st.Poll.ID, 0); err == nil {
			p.Error("the poll can still be voted in")
		}
		p.edits(poll.With("content", "again?"), time.Now().Add(2*time.Minute))
		if got := p.look(poll.Text("id"), false).Poll; got == nil || got.Voted || got.ID == st.Poll.ID {
			p.Errorf("a new poll is %+v", got)
		}
	})
}
