package ingest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/server/federation/remote"
	"svc/server/platform/config"
	"svc/server/servertest"
	"svc/server/servertest/peer"
)

// place is one of our servers with bob, and a peer with vera.
type place struct {
	*testing.T
	s    *servertest.Server
	bob  *db.Account
	peer *peer.Peer
	vera *peer.Actor
}

func each(t *testing.T, fn func(p *place), edit ...func(*config.Settings)) {
	t.Helper()
	t.Parallel()
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		p := &place{T: t, s: s, bob: s.User("bob"), peer: peer.Start(t, "127.0.0.3")}
		p.vera = p.peer.Actor("vera")
		fn(p)
	}, edit...)
}

func (p *place) inbox() string { return p.bob.URI + "/inbox" }

// sends posts an activity to bob's inbox and checks the status of the answer.
func (p *place) sends(status int, by *peer.Actor, activity peer.Doc, options ...peer.Option) {
	p.Helper()
	if got := by.Send(p.inbox(), activity, options...); got.Status != status {
		p.Errorf("%s answered %d %.200s, want %d", activity.Text("type"), got.Status, got.Body, status)
	}
}

// known returns the row of a peer's actor, which must exist.
func (p *place) known(a *peer.Actor) *db.Account {
	p.Helper()
	row, err := p.s.DB.AccountByURI(context.Background(), a.ID)
	if err != nil {
		p.Fatal(err)
	}
	return row
}

// follow returns an actor's follow of target, nil for none.
func (p *place) follow(follower string, target *db.Account) *db.Follow {
	p.Helper()
	a, err := p.s.DB.AccountByURI(context.Background(), follower)
	if err != nil {
		return nil
	}
	f, err := p.s.DB.Follow(context.Background(), a.ID, target.ID)
	if err != nil {
		return nil
	}
	return f
}

// worked waits until the queue is empty.
func (p *place) worked() {
	p.Helper()
	servertest.Eventually(p, "the queue is worked off", func() bool { return p.waiting() == 0 })
}

func (p *place) waiting() int {
	p.Helper()
	n, err := p.s.DB.InboxItemsOf(context.Background(), p.peer.Host(), 1000)
	if err != nil {
		p.Fatal(err)
	}
	return n
}

func TestAnInboxAnswersWhatItThinksOfARequest(t *testing.T) {
	each(t, func(p *place) {
		gone := p.s.User("gone")
		if _, err := p.s.Social.DeleteAccount(context.Background(), gone, gone); err != nil {
			p.Fatal(err)
		}
		bad := p.peer.Actor("bad")
		kind := func(value string) peer.Option {
			return peer.After(func(r *http.Request) { r.Header.Set("Content-Type", value) })
		}
		follow := func() []byte { return p.vera.Follow(p.bob.URI).JSON() }
		ld := `application/ld+json; profile="https://www.w3.org/ns/activitystreams"`
		for _, c := range []struct {
			name    string
			status  int
			inbox   string
			body    []byte
			options []peer.Option
		}{
			{"shared", 202, p.s.Base() + "/inbox", follow(), nil},
			{"fetcher's", 202, p.s.Base() + "/internal/fetch/inbox", follow(), nil},
			{"relay's", 202, p.s.Base() + "/relay/inbox", follow(), nil},
			{"nobody's", 404, p.s.Base() + "/users/nobody/inbox", follow(), nil},
			{"a deleted user's", 410, gone.URI + "/inbox", follow(), nil},
			{"unsigned", 401, p.inbox(), follow(), []peer.Option{peer.Unsigned()}},
			{"unsigned nonsense", 401, p.inbox(), []byte("nonsense"), []peer.Option{peer.Unsigned()}},
			{"by another key", 401, p.inbox(), follow(), []peer.Option{peer.WithKey(bad.Key())}},
			{"changed", 401, p.inbox(), follow(), []peer.Option{peer.Body(bad.Follow(p.bob.URI).JSON())}},
			{"nonsense", 400, p.inbox(), []byte("nonsense"), nil},
			{"a list", 400, p.inbox(), []byte("[]"), nil},
			{"a key twice", 400, p.inbox(), []byte(`{"type":"Like","type":"Follow","actor":"` + p.vera.ID + `"}`), nil},
			{"no type", 400, p.inbox(), []byte(`{"actor":"` + p.vera.ID + `"}`), nil},
			{"no actor", 400, p.inbox(), []byte(`{"type":"Follow"}`), nil},
			{"too deep", 400, p.inbox(), []byte(`{"type":"Follow","actor":"` + p.vera.ID + `","x":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`), nil},
			{"too long", 413, p.inbox(), append(bytes.Repeat([]byte(" "), 1<<20), follow()...), nil},
			{"JSON", 415, p.inbox(), follow(), []peer.Option{peer.Covering("(request-target)", "host", "date", "digest"), kind("application/json")}},
			{"linked data", 202, p.inbox(), follow(), []peer.Option{peer.Covering("(request-target)", "host", "date", "digest"), kind(ld)}},
			{"linked data of another profile", 415, p.inbox(), follow(), []peer.Option{peer.Covering("(request-target)", "host", "date", "digest"), kind("application/ld+json")}},
			{"packed", 415, p.inbox(), follow(), []peer.Option{peer.After(func(r *http.Request) { r.Header.Set("Content-Encoding", "gzip") })}},
			{"of a type that means nothing", 202, p.inbox(), p.vera.Activity("Listen", p.bob.URI).JSON(), nil},
		} {
			if got := p.vera.SendBytes(c.inbox, c.body, c.options...); got.Status != c.status {
				p.Errorf("%s: answered %d %.200s, want %d", c.name, got.Status, got.Body, c.status)
			}
		}
		// A stranger who deletes themselves is not fetched.
		stranger := p.peer.Actor("stranger")
		p.peer.Gone("/users/stranger")
		p.sends(202, stranger, stranger.Delete(stranger.ID))
		if n := p.peer.Fetched("/users/stranger"); n != 0 {
			p.Errorf("a stranger who deletes himself is asked for %d times", n)
		}
		p.worked()
	})
}

func TestABlockedServerIsForbidden(t *testing.T) {
	each(t, func(p *place) {
		for _, a := range []*peer.Actor{p.vera, p.peer.Actor("stranger")} {
			p.sends(403, a, a.Follow(p.bob.URI))
		}
		if n := p.peer.Fetched("/users/vera"); n != 0 {
			p.Errorf("a blocked server is asked %d times", n)
		}
	}, func(s *config.Settings) { s.Policies.Simple.Reject = []string{"127.0.0.3", "127.0.0.3:*"}; blockAll(s) })
}

// blockAll accepts activities of nobody.example only, a host of no test.
func blockAll(s *config.Settings) {
	s.Policies.Chain = append(s.Policies.Chain, "Svc.Web.ActivityPub.MRF.SimplePolicy")
	s.Policies.Simple.Accept = []string{"nobody.example"}
}

func TestWithoutFederationThereAreNoInboxes(t *testing.T) {
	each(t, func(p *place) {
		for _, inbox := range []string{p.inbox(), p.s.Base() + "/inbox", p.s.Base() + "/relay/inbox"} {
			got := p.vera.Send(inbox, p.vera.Follow(p.bob.URI))
			if want := `{"errors":{"detail":"Page not found"}}`; got.Status != 404 || string(got.Body) != want {
				p.Errorf("answered %d %s, want 404 %s", got.Status, got.Body, want)
			}
		}
	}, func(s *config.Settings) { s.Instance.Federating = false })
}

// TestAnActivityThatWasSeenIsNotTakenAgain sends a like again that was undone.
func TestAnActivityThatWasSeenIsNotTakenAgain(t *testing.T) {
	each(t, func(p *place) {
		ctx := context.Background()
		post, err := p.s.Client("bob").Statuses.Post(ctx, api.NewStatus{Status: "like me"})
		if err != nil {
			p.Fatal(err)
		}
		likes := func() int64 {
			row, err := p.s.DB.StatusByID(ctx, post.ID)
			if err != nil {
				p.Fatal(err)
			}
			return row.FavouritesCount
		}
		like := p.vera.Like(post.URI, p.bob.URI)
		p.sends(202, p.vera, like)
		servertest.Eventually(p, "vera likes it", func() bool { return likes() == 1 })
		p.sends(202, p.vera, p.vera.Undo(like))
		servertest.Eventually(p, "vera likes it no more", func() bool { return likes() == 0 })
		for range 3 {
			p.sends(202, p.vera, like)
		}
		p.worked()
		if likes() != 0 {
			p.Error("a like that was undone is taken again")
		}
	})
}

// TestAnIdIsNotNewEachTime: Misskey and Pixelfed send every follow under the
// same id, GoToSocial and Friendica all edits of a post. Each takes effect.
func TestAnIdIsNotNewEachTime(t *testing.T) {
	each(t, func(p *place) {
		ctx := context.Background()
		follow := p.vera.Follow(p.bob.URI)
		undo := p.vera.Undo(follow)
		for range 3 {
			p.sends(202, p.vera, follow)
			servertest.Eventually(p, "vera follows", func() bool { return p.follow(p.vera.ID, p.bob) != nil })
			for range 2 { // the second is a repeated request, and undoes nothing
				p.sends(202, p.vera, undo)
				p.worked()
			}
			if p.follow(p.vera.ID, p.bob) != nil {
				p.Fatal("vera follows still")
			}
		}
		if ids := p.answersTo(p.vera, "Accept", 3); len(ids) != 3 {
			p.Errorf("%d follows are accepted", len(ids))
		}
		note := p.vera.Note("<p>first</p>").Mentioning(p.bob.URI, "bob").With("published", peer.Stamp(time.Now().Add(-time.Hour)))
		p.sends(202, p.vera, p.vera.Create(note))
		update := p.vera.Update(note)
		for i, text := range []string{"<p>second</p>", "<p>third</p>", "<p>fourth</p>"} {
			edited := note.With("content", text).With("updated", peer.Stamp(time.Now().Add(time.Duration(i-10)*time.Minute)))
			p.sends(202, p.vera, update.With("object", edited))
			p.worked()
			row, err := p.s.DB.StatusByURI(ctx, note.Text("id"))
			if err != nil || row.Content != text {
				p.Errorf("it says %q: %v, want %q", row.Content, err, text)
			}
		}
		poll := p.vera.Question("<p>which?</p>", time.Now().Add(time.Hour), false, "this", "that").Mentioning(p.bob.URI, "bob")
		p.sends(202, p.vera, p.vera.Create(poll))
		update = p.vera.Update(poll)
		for votes := 1; votes < 4; votes++ {
			option := peer.Doc{"type": "Note", "name": "this", "replies": peer.Doc{"type": "Collection", "totalItems": votes}}
			other := peer.Doc{"type": "Note", "name": "that", "replies": peer.Doc{"type": "Collection", "totalItems": 0}}
			p.sends(202, p.vera, update.With("object", poll.With("oneOf", []peer.Doc{option, other})))
			p.worked()
			row, err := p.s.DB.StatusByURI(ctx, poll.Text("id"))
			if err != nil {
				p.Fatal(err)
			}
			if kept, err := p.s.DB.Poll(ctx, *row.PollID); err != nil || kept.Options[0].Votes != votes {
				p.Errorf("votes are %+v: %v, want %d", kept.Options, err, votes)
			}
		}
	})
}

// TestABadSignatureGetsOneAnswer signs activities badly. The answer is the same
// for known and unknown activities, so that it discloses nothing.
func TestABadSignatureGetsOneAnswer(t *testing.T) {
	each(t, func(p *place) {
		like := p.vera.Like(p.bob.URI+"/none", p.bob.URI)
		p.sends(202, p.vera, like)
		p.worked()
		bad := peer.WithKey(peer.FreshKey())
		p.sends(401, p.vera, like, bad)
		p.sends(401, p.vera, p.vera.Like(p.bob.URI, p.bob.URI), bad)
		// A badly signed Delete or Update of its own actor is accepted and
		// ignored, for known and unknown actors alike.
		stranger := p.peer.Actor("stranger")
		for _, a := range []*peer.Actor{p.vera, stranger} {
			for _, activity := range []peer.Doc{a.Delete(a.ID), a.Update(a.Doc().With("name", "other"))} {
				for _, options := range [][]peer.Option{{bad}, {peer.KeyID("http://127.0.0.9:1/users/x#main-key")}, {peer.KeyID(p.peer.URL("/none#key"))}} {
					p.sends(202, a, activity, options...)
				}
				p.sends(401, a, activity, peer.Unsigned())
			}
		}
		p.worked()
		if row := p.known(p.vera); row.Deactivated || row.DisplayName != p.vera.Doc().Text("name") {
			p.Errorf("vera is %+v", row)
		}
	})
}

// TestAGoneKeyProvesNothing: the document of vera's key is gone for a while.
// Neither that nor a badly signed Delete removes her account while her server
// shows it.
func TestAGoneKeyProvesNothing(t *testing.T) {
	each(t, func(p *place) {
		ctx := context.Background()
		p.sends(202, p.vera, p.vera.Follow(p.bob.URI))
		p.worked()
		bad := peer.WithKey(peer.FreshKey())
		p.s.Advance(10 * time.Minute) // the key may be asked for again
		at := func(options ...peer.Option) []peer.Option {
			return append(options, peer.At(p.s.DB.Now().Time))
		}
		p.peer.Gone(p.vera.ID)
		p.sends(401, p.vera, p.vera.Like(p.bob.URI, p.bob.URI), at(bad)...)
		if gone, err := p.s.DB.IsKeyGone(ctx, p.vera.KeyID(), db.At(time.Unix(1, 0))); err != nil || gone {
			p.Errorf("a signature that nobody can check marks a key: %v, %v", gone, err)
		}
		if deleted, err := p.s.DB.Deleted(ctx, p.known(p.vera).ID); err != nil || deleted {
			p.Fatalf("it deletes an account: %v, %v", deleted, err)
		}
		// A fetch that finds the account counts more than the earlier one.
		p.peer.Remove(p.vera.ID)
		p.sends(202, p.vera, p.vera.Delete(p.vera.ID), at(bad)...)
		if deleted, err := p.s.DB.Deleted(ctx, p.known(p.vera).ID); err != nil || deleted {
			p.Fatalf("an account is deleted that is there: %v, %v", deleted, err)
		}
		// An account that is really gone is deleted.
		una := p.peer.Actor("una")
		p.sends(202, una, una.Follow(p.bob.URI), at()...)
		p.worked()
		p.s.Advance(10 * time.Minute)
		p.peer.Gone(una.ID)
		p.sends(202, una, una.Delete(una.ID), at(bad)...)
		servertest.Eventually(p, "una is gone", func() bool {
			_, err := p.s.DB.AccountByURI(ctx, una.ID)
			return errors.Is(err, db.ErrNotFound)
		})
		p.peer.Forget()
		p.sends(401, una, una.Follow(p.bob.URI), at()...)
		if n := p.peer.Fetched(una.ID); n != 0 {
			p.Errorf("the key of a deleted account is asked for %d times", n)
		}
	})
}

// TestADeletedAccountComesBackOnlyWhenAskedFor: vera deletes herself, but her
// server still shows her, and she sends more.
func TestADeletedAccountComesBackOnlyWhenAskedFor(t *testing.T) {
	each(t, func(p *place) {
		known := func() bool {
			_, err := p.s.DB.AccountByURI(context.Background(), p.vera.ID)
			if err != nil && !errors.Is(err, db.ErrNotFound) {
				p.Fatal(err)
			}
			return err == nil
		}
		p.sends(202, p.vera, p.vera.Follow(p.bob.URI))
		p.worked()
		p.sends(202, p.vera, p.vera.Delete(p.vera.ID))
		servertest.Eventually(p, "vera is gone", func() bool { return !known() })
		p.sends(401, p.vera, p.vera.Delete(p.vera.ID+"/posts/1"))
		p.sends(202, p.vera, p.vera.Delete(p.vera.ID))
		if known() {
			p.Error("what comes late brings her back")
		}
		p.s.Find(p, p.s.Client("bob"), p.vera.Handle())
		p.sends(202, p.vera, p.vera.Follow(p.bob.URI))
	})
}

// TestAValidRequestClearsGoneInboxes: an inbox of vera's server is marked as
// gone. A validly signed request of the server clears the mark; a bad one does
// not.
func TestAValidRequestClearsGoneInboxes(t *testing.T) {
	each(t, func(p *place) {
		ctx, inbox := context.Background(), p.vera.ID+"/inbox"
		p.sends(202, p.vera, p.vera.Follow(p.bob.URI))
		gone := func() bool {
			all, err := p.s.DB.GoneInboxes(ctx, []string{inbox})
			if err != nil {
				p.Fatal(err)
			}
			return all[inbox]
		}
		mark := func() {
			p.Helper()
			if err := p.s.DB.StoreDeliveryResults(ctx, "", db.DeliveryResults{Gone: []db.GoneInbox{{Inbox: inbox, Host: p.peer.Host()}}}); err != nil {
				p.Fatal(err)
			}
		}
		mark()
		p.sends(401, p.vera, p.vera.Like(p.bob.URI, p.bob.URI), peer.WithKey(peer.FreshKey()))
		if !gone() {
			p.Error("a bad signature clears it")
		}
		p.sends(202, p.vera, p.vera.Like(p.bob.URI, p.bob.URI))
		if gone() {
			p.Error("an activity does not clear it")
		}
		mark()
		if got := p.vera.Get(p.bob.Outbox); got.Status != 200 || gone() {
			p.Errorf("a question does not clear it: %d", got.Status)
		}
	})
}

// TestAKeyThatCannotBeHadForNowIsAskedForLater: if the key of an activity
// cannot be fetched, the answer asks its sender to repeat it later.
func TestAKeyThatCannotBeHadForNowIsAskedForLater(t *testing.T) {
	each(t, func(p *place) {
		p.peer.Serve(p.vera.ID, peer.Page{Status: 502})
		got := p.vera.Send(p.inbox(), p.vera.Follow(p.bob.URI))
		if seconds, err := strconv.Atoi(got.Header.Get("Retry-After")); got.Status != 503 || err != nil || seconds < 30 || seconds > 3600 {
			p.Errorf("answered %d, Retry-After %q", got.Status, got.Header.Get("Retry-After"))
		}
		p.sends(503, p.vera, p.vera.Follow(p.bob.URI), peer.KeyID("http://127.0.0.9:1/users/x#main-key"))
		p.peer.Remove(p.vera.ID)
		p.s.Advance(remote.KeyRetry)
		p.sends(202, p.vera, p.vera.Follow(p.bob.URI), peer.At(p.s.DB.Now().Time))
	})
}

func TestASettingSaysHowOftenAnActivityIsTried(t *testing.T) {
	each(t, func(p *place) {
		set := func(tries int) {
			retries := client.Keyword(":retries", client.Keyword(":federator_incoming", tries))
			if _, err := p.s.Admin("root").Admin.Config.Set(context.Background(), ":svc", ":workers", retries); err != nil {
				p.Fatal(err)
			}
		}
		p.sends(202, p.vera, p.vera.Follow(p.bob.URI))
		p.worked()
		// A document that cannot be fetched now may be fetched later.
		down := func() peer.Doc {
			note := p.vera.Note("<p>hello</p>")
			p.peer.Serve(strings.TrimPrefix(note.Text("id"), p.peer.Base()), peer.Page{Status: 503})
			create := p.vera.Create(note)
			create["object"] = note.Text("id")
			return create
		}
		for _, tries := range []int{2, 1} {
			set(tries)
			p.sends(202, p.vera, down())
			p.worked()
			want := fmt.Sprintf("attempts=%d", tries)
			servertest.Eventually(p, want, func() bool { return len(p.s.Log.Lines("gave up an activity", want)) == 1 })
		}
	})
}

func TestReportsOfOtherServersArriveAsReports(t *testing.T) {
	each(t, func(p *place) {
		ctx := context.Background()
		bob, root := p.s.Client("bob"), p.s.Admin("root")
		first, err := bob.Statuses.Post(ctx, api.NewStatus{Status: "first"})
		if err != nil {
			p.Fatal(err)
		}
		second, err := bob.Statuses.Post(ctx, api.NewStatus{Status: "second"})
		if err != nil {
			p.Fatal(err)
		}
		instance := p.peer.ActorAt("/actor", "instance")
		instance.Edit(func(d peer.Doc) { d["type"] = "Application" })
		long := "bad<b>\nNote: " + second.URI + "\n" + strings.Repeat("ü", 6000)
		flag := instance.Activity("Flag", []string{p.bob.URI, first.URI, p.peer.URL("/notes/elsewhere")}).With("content", long)
		p.sends(202, instance, flag)
		var got client.Page[api.AdminReport]
		servertest.Eventually(p, "the report is filed", func() bool {
			got, err = root.Admin.Reports.List(api.ReportQuery{State: "open"}).Page(ctx)
			return err == nil && len(got.Items) == 1
		})
		report := got.Items[0]
		if report.Account.Acct != "bob" || report.Actor.Acct != instance.Handle() || len(report.Statuses) != 2 {
			p.Errorf("reported is %s by %s with %d statuses", report.Account.Acct, report.Actor.Acct, len(report.Statuses))
		}
		row, err := p.s.DB.Report(ctx, report.ID)
		if err != nil || len([]rune(row.Content)) != 5000 || !strings.HasPrefix(row.Content, "bad<b>\nNote: ") || row.URI != flag.Text("id") {
			p.Errorf("kept is %.50q by %s: %v", row.Content, row.URI, err)
		}
		// Reports without a local account are dropped, and the rest of a flood
		// is refused.
		p.sends(202, instance, instance.Activity("Flag", p.vera.ID))
		for range 40 {
			p.sends(202, instance, instance.Activity("Flag", p.bob.URI))
		}
		p.worked()
		if got, err = root.Admin.Reports.List(api.ReportQuery{State: "open"}).Page(ctx); err != nil || got.Total > 21 || got.Total < 10 {
			p.Errorf("a flood leaves %d reports: %v", got.Total, err)
		}
	})
}
