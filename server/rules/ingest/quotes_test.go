package ingest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"svc/client/api"
	"svc/db"
	"svc/server/servertest"
	"svc/server/servertest/peer"
)

// reads fetches a document of this server.
func (p *place) reads(who *peer.Actor, uri string) peer.Doc {
	p.Helper()
	got, doc := who.Get(uri), peer.Doc{}
	if err := json.Unmarshal(got.Body, &doc); err != nil || got.Status != 200 {
		p.Errorf("%s is %d: %v", uri, got.Status, err)
	}
	return doc
}

// TestQuoteRequestsAreAnswered: vera asks to quote posts of bob's.
func TestQuoteRequestsAreAnswered(t *testing.T) {
	each(t, func(p *place) {
		ctx, bob := context.Background(), p.s.Client("bob")
		post := func(visibility string) string {
			p.Helper()
			s, err := bob.Statuses.Post(ctx, api.NewStatus{Status: "quote me @vera@" + p.peer.Host(), Visibility: visibility})
			if err != nil {
				p.Fatal(err)
			}
			return s.URI
		}
		ask := func(who *peer.Actor, quoting any, quoted string) peer.Doc {
			return who.Activity("QuoteRequest", quoted).With("instrument", quoting).To([]string{p.bob.URI}, nil)
		}
		answer := func(who *peer.Actor, kind string, asked peer.Doc) peer.Doc {
			p.Helper()
			before := len(who.Received(kind))
			p.sends(202, who, asked)
			var got peer.Doc
			servertest.Eventually(p, "the answer comes", func() bool {
				all := who.Received(kind)
				if len(all) > before {
					got = all[len(all)-1]
				}
				return got != nil
			})
			if inner := got.Object("object"); inner.Text("type") != "QuoteRequest" || inner.Text("id") != asked.Text("id") || inner.Text("actor") != who.ID ||
				inner.Text("object") != asked.Text("object") || inner.Text("instrument") == "" || got.Text("actor") != p.bob.URI {
				p.Errorf("the %s is %v", kind, got)
			}
			return got
		}
		p.sends(202, p.vera, p.vera.Like(p.bob.URI, p.bob.URI)) // makes her known here
		public, private := post("public"), post("private")
		mine := p.vera.ID + "/posts/1"
		leave := answer(p.vera, "Accept", ask(p.vera, map[string]any{"id": mine, "type": "Note", "attributedTo": p.vera.ID}, public)).Text("result")
		if got := p.reads(p.vera, leave); got.Text("id") != leave || got.Text("type") != "QuoteAuthorization" || got.Text("attributedTo") != p.bob.URI ||
			got.Text("interactingObject") != mine || got.Text("interactionTarget") != public {
			p.Errorf("the leave at %q is %v", leave, got)
		}
		if again := answer(p.vera, "Accept", ask(p.vera, mine, public)).Text("result"); again != leave {
			p.Errorf("asked again she gets %q, not %q", again, leave)
		}
		answer(p.vera, "Accept", ask(p.vera, p.vera.ID+"/posts/2", post("unlisted")))
		answer(p.vera, "Reject", ask(p.vera, p.vera.ID+"/posts/3", private)) // she is mentioned, and may see it

		// Malformed requests, and requests for posts that the requester may not
		// see, get no answer.
		una := p.peer.Actor("una")
		p.sends(202, una, ask(una, una.ID+"/posts/1", private))
		before := len(p.vera.Received("Reject")) + len(p.vera.Received("Accept"))
		for _, asked := range []peer.Doc{
			ask(p.vera, "https://other.example/posts/1", public),
			ask(p.vera, map[string]any{"id": p.vera.ID + "/posts/4", "type": "Note", "attributedTo": una.ID}, public),
			ask(p.vera, p.vera.ID+"/posts/5", public+"0"),
			ask(p.vera, p.vera.ID+"/posts/5", p.bob.URI),
		} {
			p.sends(202, p.vera, asked)
		}
		p.worked()
		if n := len(una.Received("Reject")) + len(una.Received("Accept")) + len(p.vera.Received("Reject")) + len(p.vera.Received("Accept")); n != before {
			p.Errorf("%d answers, want %d", n, before)
		}

		// The number of quotes of one post by one account is bounded.
		account := p.known(p.vera)
		status, err := p.s.DB.StatusByURI(ctx, public)
		if err != nil {
			p.Fatal(err)
		}
		for i := range 30 {
			if err := p.s.DB.CreateQuote(ctx, &db.Quote{ID: fmt.Sprint(i), StatusID: status.ID, AccountID: account.ID, ObjectURI: fmt.Sprint(i), CreatedAt: p.s.DB.Now()}); err != nil {
				p.Fatal(err)
			}
		}
		answer(p.vera, "Reject", ask(p.vera, p.vera.ID+"/posts/6", public))

		if _, err := bob.Accounts.Block(ctx, account.ID); err != nil {
			p.Fatal(err)
		}
		answer(p.vera, "Reject", ask(p.vera, p.vera.ID+"/posts/7", public))
		if got := una.Get(leave); got.Status != 404 {
			p.Errorf("the leave of a blocked account is %d", got.Status)
		}
		if _, err := bob.Statuses.Delete(ctx, status.ID); err != nil {
			p.Fatal(err)
		}
		if left, err := p.s.DB.QuotesBy(ctx, status.ID, account.ID, 100); err != nil || len(left) > 0 {
			p.Errorf("%d quotes of a post that is gone: %v", len(left), err)
		}
	})
}

// TestPostsSayWhoMayQuoteThem reads posts of every visibility.
func TestPostsSayWhoMayQuoteThem(t *testing.T) {
	each(t, func(p *place) {
		p.sends(202, p.vera, p.vera.Like(p.bob.URI, p.bob.URI)) // makes her known here
		for visibility, want := range map[string]string{
			"public": "https://www.w3.org/ns/activitystreams#Public", "unlisted": "https://www.w3.org/ns/activitystreams#Public",
			"private": p.bob.URI, "direct": p.bob.URI,
		} {
			s, err := p.s.Client("bob").Statuses.Post(context.Background(), api.NewStatus{Status: "hello @vera@" + p.peer.Host(), Visibility: visibility})
			if err != nil {
				p.Fatal(err)
			}
			if who := p.reads(p.vera, s.URI).Object("interactionPolicy").Object("canQuote").Texts("automaticApproval"); !slices.Equal(who, []string{want}) {
				p.Errorf("%s is for %v to quote", visibility, who)
			}
		}
	})
}
