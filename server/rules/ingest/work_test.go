package ingest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"svc/client/api"
	"svc/db"
	"svc/server/servertest"
	"svc/server/servertest/peer"
)

func TestActivitiesOfADeadProcessAreTakenOver(t *testing.T) {
	each(t, func(p *place) {
		ctx := context.Background()
		follow := p.vera.Follow(p.bob.URI)
		p.sends(202, p.vera, follow)
		p.worked()
		if err := p.s.Ingest.Stop(ctx); err != nil {
			p.Fatal(err)
		}
		now := p.s.DB.Now()
		row := &db.InboxItem{
			SignerID: p.known(p.vera).ID, Actor: p.vera.ID, Host: p.peer.Host(), Body: p.vera.Undo(follow).JSON(), NextAt: now, ReceivedAt: now,
			ClaimedBy: "killed",
		}
		if err := p.s.DB.CreateInboxItems(ctx, []*db.InboxItem{row}); err != nil {
			p.Fatal(err)
		}
		// An activity that comes while the workers are stopped is stored.
		like := p.peer.Actor("una")
		p.sends(202, like, like.Follow(p.bob.URI))
		if n := p.waiting(); n != 2 {
			p.Fatalf("%d activities wait, want 2", n)
		}
		if err := p.s.Ingest.Start(ctx); err != nil {
			p.Fatal(err)
		}
		p.worked()
		if p.follow(p.vera.ID, p.bob) != nil || p.follow(like.ID, p.bob) == nil {
			p.Error("what waited was not worked off")
		}
	})
}

func TestProcessesShareTheQueueWithoutDoingAnythingTwice(t *testing.T) {
	each(t, func(p *place) {
		if p.s.DB.Dialect() != db.Postgres {
			return // one process serves
		}
		second := p.s.Second(p)
		ctx := context.Background()
		bob := p.s.Client("bob")
		post, err := bob.Statuses.Post(ctx, api.NewStatus{Status: "like me"})
		if err != nil {
			p.Fatal(err)
		}
		actors := []*peer.Actor{p.vera, p.peer.Actor("una"), p.peer.Actor("ida")}
		var senders sync.WaitGroup
		for _, a := range actors {
			follow, like := a.Follow(p.bob.URI), a.Like(post.URI, p.bob.URI)
			for _, inbox := range []string{p.s.URL + "/inbox", second.URL + "/inbox", p.s.URL + "/users/bob/inbox"} {
				senders.Go(func() {
					for i := range 10 {
						activity := follow
						if i%2 == 0 {
							activity = like
						}
						if got := a.Send(inbox, activity); got.Status != 202 {
							p.Errorf("answered %d %s", got.Status, got.Body)
						}
					}
				})
			}
		}
		senders.Wait()
		p.worked()
		row, err := p.s.DB.Account(ctx, p.bob.ID)
		if err != nil || row.FollowersCount != int64(len(actors)) {
			p.Errorf("bob is followed by %d: %v", row.FollowersCount, err)
		}
		status, err := p.s.DB.StatusByID(ctx, post.ID)
		if err != nil || status.FavouritesCount != int64(len(actors)) {
			p.Errorf("his post is liked by %d: %v", status.FavouritesCount, err)
		}
		told, err := bob.Notifications.List(api.NotificationQuery{IncludeTypes: []string{"favourite", "follow"}}).Page(ctx)
		if err != nil || len(told.Items) != 2*len(actors) {
			p.Errorf("he is told %d times: %v", len(told.Items), err)
		}
	})
}

func TestSignaturesWithinDocumentsAndSecretAddressesAreLeftOut(t *testing.T) {
	each(t, func(p *place) {
		note := p.vera.Note("<p>hello</p>").Mentioning(p.bob.URI, "bob").With("bcc", []string{p.vera.ID})
		create := p.vera.Create(note.With("cc", []string{p.bob.URI, "http://127.0.0.9/users/x/followers"})).
			With("signature", peer.Doc{"type": "RsaSignature2017", "signatureValue": "bm9uZQ=="}).With("bto", []string{p.bob.URI})
		p.sends(202, p.vera, create)
		p.worked()
		status, err := p.s.DB.StatusByURI(context.Background(), note.Text("id"))
		if err != nil {
			p.Fatal(err)
		}
		for _, uri := range append(append([]string{}, status.ToURIs...), status.CCURIs...) {
			if strings.HasSuffix(uri, "/users/x/followers") || uri == p.vera.ID {
				p.Errorf("it is addressed to %s", uri)
			}
		}
	})
}

// FuzzInbox sends signed bytes: the server answers any body without a fault,
// and processing never panics.
func FuzzInbox(f *testing.F) {
	s := servertest.Start(f)
	bob := s.User("bob")
	p := peer.Start(f, "127.0.0.3")
	vera := p.Actor("vera")
	note := vera.Note("<p>hello</p>").Mentioning(bob.URI, "bob")
	follow := vera.Follow(bob.URI)
	for _, doc := range []peer.Doc{
		follow, vera.Undo(follow), vera.Create(note), vera.Update(note), vera.Update(vera.Doc()), vera.Delete(note.Text("id")), vera.Delete(vera.ID),
		vera.Like(note.Text("id"), bob.URI), vera.Announce(note.Text("id")), vera.Accept(follow), vera.Reject(follow), vera.ChatMessage(bob.URI, "hello"),
		vera.Activity("Move", vera.ID).With("target", bob.URI), vera.Activity("Flag", []string{bob.URI}).With("content", "bad\x00"),
		vera.Activity("Block", bob.URI), vera.Activity("Add", note.Text("id")).With("target", vera.ID+"/featured"),
	} {
		f.Add(doc.JSON())
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if !json.Valid(body) { // most random changes make invalid JSON, which tests only the parser
			body = append([]byte(`{"type":"Like","actor":"`+vera.ID+`","x":"`), append(bytes.ToValidUTF8(body, nil), `"}`...)...)
		}
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, signed(t, vera, s.Base()+"/inbox", body))
		if w.Code >= 500 || w.Code < 200 || w.Code == 401 {
			t.Errorf("answered %d %s to %q", w.Code, w.Body, body)
		}
		if lines := s.Log.Lines("panic"); len(lines) > 0 {
			t.Errorf("%q: %s", body, lines[0])
		}
	})
}

func TestAnActivityThatItsHolderDoesNotKnowOfIsLetGo(t *testing.T) {
	each(t, func(p *place) {
		ctx := context.Background()
		p.sends(202, p.vera, p.vera.Follow(p.bob.URI))
		p.worked()
		var process string
		if err := p.s.DB.Writer().QueryRowContext(ctx, "SELECT id FROM processes").Scan(&process); err != nil {
			p.Fatal(err)
		}
		// The process has three holders of claims. The row claimed by the
		// activity workers is processed; the others stay claimed.
		now := p.s.DB.Now()
		for _, holder := range []string{"/1", "/2", "/3"} {
			like := p.vera.Like(p.bob.URI, p.bob.URI).JSON()
			row := &db.InboxItem{
				SignerID: p.known(p.vera).ID, Actor: p.vera.ID, Host: p.peer.Host(), Body: like, Size: len(like), NextAt: now, ReceivedAt: now,
				ClaimedBy: process + holder,
			}
			if err := p.s.DB.CreateInboxItems(ctx, []*db.InboxItem{row}); err != nil {
				p.Fatal(err)
			}
		}
		servertest.Eventually(p, "its own is worked off", func() bool { return p.waiting() == 2 })
	})
}
