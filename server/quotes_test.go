package server_test

import (
	"context"
	"strings"
	"testing"

	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/federation/activitypub"
	"svc/server/rules/social"
	"svc/server/rules/social/socialtest"
	"svc/server/servertest"
)

// TestQuotesAreShownToWhoMaySeeTheQuoted: what a status of another server quotes is part
// of it, with a state for each reader. Statuses of this server quote nothing.
func TestQuotesAreShownToWhoMaySeeTheQuoted(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		far, ext := remote(t, s, "far@far.example"), remote(t, s, "ext@ext.example")
		ann, bob := s.Client("ann"), s.Client("bob")
		follow(t, bob, s.User("ann").ID)
		follow(t, bob, far.ID)
		if err := s.Social.TakeAccept(ctx, far, "", s.User("bob").URI); err != nil {
			t.Fatal(err)
		}
		open, closed := say(t, ann, "for all"), say(t, ann, "for followers", func(n *api.NewStatus) { n.Visibility = db.Private })
		quote := func(by *db.Account, p activitypub.Post) *db.Status {
			t.Helper()
			p.Content = "<p>see</p>"
			return socialtest.Post(t, s.Social, by, db.Public, p)
		}
		seen := func(id, as string) *api.Quote {
			t.Helper()
			return must(s.Client(as).Statuses.Get(ctx, id))(t).Quote
		}
		check := func(what string, got *api.Quote, state, id string) {
			t.Helper()
			switch {
			case got == nil:
				t.Errorf("%s: no quote", what)
			case got.State != state || (got.Status != nil) != (state == api.QuoteAccepted) || got.Status != nil && got.Status.ID != id:
				t.Errorf("%s: %+v, want %s", what, got, state)
			}
		}
		plain := quote(far, activitypub.Post{Quote: open.URI})
		check("a public status", seen(plain.ID, "cat"), api.QuoteAccepted, open.ID)
		check("by its page", seen(quote(far, activitypub.Post{Quote: open.URL}).ID, "cat"), api.QuoteAccepted, open.ID)
		if text := must(bob.Statuses.Get(ctx, plain.ID))(t).Content; !strings.Contains(text, open.URI) {
			t.Errorf("the link is gone: %s", text)
		}
		unstamped, stamped := quote(far, activitypub.Post{Quote: closed.URI}), quote(far, activitypub.Post{Quote: closed.URI, QuoteStamp: s.Base() + "/quotes/1"})
		check("for followers, to one", seen(unstamped.ID, "bob"), api.QuoteUnauthorized, "")
		check("for followers, to one, with a permission", seen(stamped.ID, "bob"), api.QuoteAccepted, closed.ID)
		check("for followers, to another", seen(stamped.ID, "cat"), api.QuoteUnauthorized, "")
		own := socialtest.Post(t, s.Social, far, db.Private, activitypub.Post{Content: "<p>mine</p>"})
		check("one's own", seen(quote(far, activitypub.Post{Quote: *own.URI}).ID, "bob"), api.QuoteAccepted, own.ID)
		check("one's own, to another", seen(quote(far, activitypub.Post{Quote: *own.URI}).ID, "cat"), api.QuoteUnauthorized, "")
		check("unknown", seen(quote(far, activitypub.Post{Quote: "https://other.example/1"}).ID, "cat"), api.QuotePending, "")

		chain := quote(ext, activitypub.Post{Quote: *plain.URI})
		got := seen(chain.ID, "cat")
		check("a quote of a quote", got, api.QuoteAccepted, plain.ID)
		if inner := got.Status.Quote; inner == nil || inner.State != api.QuoteAccepted || inner.StatusID == nil || *inner.StatusID != open.ID || inner.Status != nil {
			t.Errorf("inside: %+v", inner)
		}
		loop := quote(ext, activitypub.Post{ID: ext.URI + "/loop", Quote: ext.URI + "/loop"})
		check("itself", seen(loop.ID, "cat"), api.QuoteAccepted, loop.ID)

		if open.Quote != nil || must(ann.Statuses.Get(ctx, open.ID))(t).Quote != nil {
			t.Error("a status of this server quotes")
		}
		reblogged := must(ann.Statuses.Reblog(ctx, plain.ID, api.NewReblog{}))(t)
		if reblogged.Quote != nil {
			t.Errorf("a reblog quotes: %+v", reblogged.Quote)
		}
		check("in a reblog", reblogged.Reblog.Quote, api.QuoteAccepted, open.ID)
		home := must(bob.Timelines.Home(api.TimelineQuery{}).Page(ctx))(t).Items
		found := false
		for i := range home {
			if home[i].ID == plain.ID {
				found = true
				check("at home", home[i].Quote, api.QuoteAccepted, open.ID)
			}
		}
		if !found {
			t.Error("it is not at home")
		}

		draft, err := s.Social.DraftRemote(ctx, far, social.RemoteStatus{Post: &activitypub.Post{
			ID: *plain.URI, URL: plain.URL, Type: "Note", Author: far.URI, Content: "<p>nothing now</p>", To: []string{activitypub.Public}, Updated: s.DB.Now().Time,
		}, Wanted: true})
		if err != nil {
			t.Fatal(err)
		}
		if changed, err := s.Social.EditRemote(ctx, plain.ID, draft); err != nil || !changed {
			t.Fatalf("%v %v", changed, err)
		}
		if left := seen(plain.ID, "cat"); left != nil {
			t.Errorf("after the edit: %+v", left)
		}
		again := quote(far, activitypub.Post{Quote: open.URI})
		must(ann.Statuses.Delete(ctx, open.ID))(t)
		check("a deleted one", seen(again.ID, "cat"), api.QuoteDeleted, "")
	})
}

// TestQuotesCostTheirPagesAlone: a page without quotes takes no statement for them, and one
// with many as many as one with one.
func TestQuotesCostTheirPagesAlone(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		far := remote(t, s, "far@far.example")
		ann := s.Client("ann")
		var posts []*api.Status
		for range 5 {
			posts = append(posts, say(t, ann, "quote me"))
		}
		token := s.Token("bob", servertest.AllScopes)
		read := func() int64 {
			return dbtest.FewestQueries(t, func(ctx context.Context) { s.Get(ctx, "/api/v1/timelines/public", token) })
		}
		none := read()
		for _, p := range posts[:1] {
			socialtest.Post(t, s.Social, far, db.Public, activitypub.Post{Content: "<p>a</p>", Quote: p.URI})
		}
		one := read()
		for _, p := range posts[1:] {
			socialtest.Post(t, s.Social, far, db.Public, activitypub.Post{Content: "<p>a</p>", Quote: p.URI})
		}
		if one-none > 2 {
			t.Errorf("no quotes: %d statements, one: %d", none, one)
		}
		// Until the posts' events have come, what is kept of their author is dropped again.
		servertest.Eventually(t, "five quotes cost as many statements as one", func() bool { return read() == one })
	})
}
