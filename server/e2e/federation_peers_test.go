package e2e

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svc/client"
	"svc/client/api"
	"svc/server/platform/config"
	"svc/server/servertest"
	"svc/server/servertest/peer"
)

// village is one of our servers, with bob, and peers that are none of ours:
// vera's, which is as it should be, and mallory's.
type village struct {
	*scene
	bob           *person
	good, evil    *peer.Peer
	vera, mallory *peer.Actor
}

// among runs fn in a new village on each database.
func among(t *testing.T, fn func(*village), edit ...func(*config.Settings)) {
	t.Helper()
	t.Parallel()
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		logsOf(t, s)
		fn(settleDown(t, s))
	}, edit...)
}

// amongOnSQLite is among for a story in which the database plays no part.
func amongOnSQLite(t *testing.T, fn func(*village), edit ...func(*config.Settings)) {
	t.Helper()
	t.Parallel()
	s := servertest.Start(t, edit...)
	logsOf(t, s)
	fn(settleDown(t, s))
}

// settleDown is a village around s.
func settleDown(t *testing.T, s *servertest.Server) *village {
	v := &village{scene: &scene{T: t, home: s, away: s, people: new(atomic.Int64)}, good: peer.Start(t, "127.0.0.3"), evil: peer.Start(t, "127.0.0.4")}
	v.bob = v.person(s, "bob")
	v.vera, v.mallory = v.good.Actor("vera"), v.evil.Actor("mallory")
	return v
}

// url is an address at our server.
func (v *village) url(path string) string { return v.home.Base() + path }

// shared is our shared inbox.
func (v *village) shared() string { return v.url("/inbox") }

// send posts an activity to bob's inbox, which must be taken.
func (v *village) send(by *peer.Actor, activity peer.Doc, options ...peer.Option) {
	v.Helper()
	v.answered(http.StatusAccepted, by.Send(v.bob.actor+"/inbox", activity, options...))
}

// answered wants a status.
func (v *village) answered(status int, got peer.Answer) {
	v.Helper()
	if got.Status != status {
		v.Errorf("answered %d %.200s, want %d", got.Status, got.Body, status)
	}
}

// settle waits until all earlier activities of an actor are processed: they are
// processed in order.
func (v *village) settle(by *peer.Actor, options ...peer.Option) {
	v.Helper()
	note := by.Note("<p>that is all</p>").To([]string{v.bob.actor}, nil).Mentioning(v.bob.actor, v.bob.handle)
	v.send(by, by.Create(note), options...)
	v.until("the last of "+by.ID+" arrives", func() bool { return v.known(note.Text("id")) != nil })
}

// known is the status of an id, as bob sees it, without asking for it anywhere;
// nil where there is none.
func (v *village) known(uri string) *api.Status {
	v.Helper()
	return v.knownTo(v.bob, uri)
}

func (v *village) knownTo(p *person, uri string) *api.Status {
	v.Helper()
	found := good(p.Search.Find(v.ctx(), api.SearchQuery{Q: uri, Type: "statuses"}))(v)
	if len(found.Statuses) == 0 {
		return nil
	}
	return &found.Statuses[0]
}

// looksUp asks for an address, as bob, and returns how many accounts and
// statuses it leads to.
func (v *village) looksUp(address string) int {
	v.Helper()
	found := good(v.bob.Search.Find(v.ctx(), api.SearchQuery{Q: address, Resolve: true}))(v)
	return len(found.Accounts) + len(found.Statuses)
}

// account is an actor's account at our server.
func (v *village) account(of *peer.Actor) *api.Account {
	v.Helper()
	return v.home.Find(v, v.bob.Client, of.ID)
}

// follows makes bob follow an actor of a peer, who accepts.
func (v *village) follows(of *peer.Actor) {
	v.Helper()
	v.followedBy(v.bob, of)
}

func (v *village) followedBy(p *person, of *peer.Actor) {
	v.Helper()
	there := v.home.Find(v, p.Client, of.ID)
	must(v.T, err1(p.Accounts.Follow(v.ctx(), there.ID, api.Follow{})))
	var follow peer.Doc
	v.until("the follow arrives", func() bool {
		for _, f := range of.Received("Follow") {
			if f.Text("actor") == p.actor {
				follow = f
			}
		}
		return follow != nil
	})
	v.answered(http.StatusAccepted, of.Send(p.actor+"/inbox", of.Accept(follow)))
	v.until("the follow is accepted", func() bool { return v.relation(p, of).Following })
}

// relation is how p stands to an actor of a peer's.
func (v *village) relation(p *person, to *peer.Actor) api.Relationship {
	v.Helper()
	there := v.home.Find(v, p.Client, to.ID)
	return good(p.Accounts.Relationships(v.ctx(), there.ID))(v)[0]
}

// followsBob has an actor of a peer's follow bob.
func (v *village) followsBob(by *peer.Actor) peer.Doc {
	v.Helper()
	follow := by.Follow(v.bob.actor)
	v.send(by, follow)
	v.until("he follows", func() bool { return v.relation(v.bob, by).FollowedBy })
	return follow
}

// publishes has an actor write a note that is served at its id, and wait until
// bob has it.
func (v *village) publishes(by *peer.Actor, note peer.Doc) *api.Status {
	v.Helper()
	by.Peer.Publish(note)
	v.send(by, by.Create(note))
	var got *api.Status
	v.until("the note arrives", func() bool { got = v.known(note.Text("id")); return got != nil })
	return got
}

// anonymous is a caller without a token.
func (v *village) anonymous() *client.Client { return v.home.Anonymous() }

// inAnHour is when polls of peers end.
func inAnHour() time.Time { return time.Now().Add(time.Hour) }

// fileOf is a file to upload.
func fileOf(name, content string) client.File {
	return client.File{Name: name, Content: strings.NewReader(content)}
}
