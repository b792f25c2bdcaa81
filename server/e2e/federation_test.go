package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"svc/client"
	"svc/client/api"
	"svc/server/platform/config"
	"svc/server/servertest"
)

// scene is one story between two servers, with its own people. Acts happen at
// home, and their effects are checked away.
type scene struct {
	*testing.T
	home, away *servertest.Server
	people     *atomic.Int64
}

// person is somebody with our own client.
type person struct {
	*client.Client
	at     *servertest.Server
	nick   string
	handle string // of other servers
	actor  string
	id     string // at their own server
}

// secure has other servers sign their requests.
func secure(s *config.Settings) { s.ActivityPub.SecureMode = true }

// between tells stories between two servers, one way in the open and the other way in
// secure mode: both servers are the same program.
func between(t *testing.T, stories map[string]func(*scene), edit ...func(*config.Settings)) {
	t.Helper()
	for mode, edits := range map[string][]func(*config.Settings){"open": edit, "secure": append(slices.Clone(edit), secure)} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			servertest.EachPair(t, func(t *testing.T, a, b *servertest.Server) {
				logsOf(t, a, b)
				people := new(atomic.Int64)
				home, away := a, b
				if mode == "secure" {
					home, away = b, a
				}
				for name, tell := range stories {
					t.Run(name, func(t *testing.T) {
						t.Parallel()
						tell(&scene{T: t, home: home, away: away, people: people})
					})
				}
			}, edits...)
		})
	}
}

// logsOf shows the logs of servers if the test fails.
func logsOf(t *testing.T, servers ...*servertest.Server) {
	t.Helper()
	t.Cleanup(func() {
		if !t.Failed() {
			return
		}
		for _, s := range servers {
			lines := s.Log.Lines()
			t.Logf("%s logged:\n%s", s.Host(), strings.Join(lines[max(0, len(lines)-60):], "\n"))
		}
	})
}

// ctx is the context of all calls.
func (s *scene) ctx() context.Context { return s.Context() }

// person is somebody new at a server.
func (s *scene) person(at *servertest.Server, name string) *person {
	s.Helper()
	nick := fmt.Sprintf("%s%d", name, s.people.Add(1))
	return known(s.T, at, nick)
}

// known is the person of a nickname.
func known(t *testing.T, at *servertest.Server, nick string) *person {
	t.Helper()
	a := at.User(nick)
	return &person{Client: at.Client(nick), at: at, nick: nick, handle: at.Handle(nick), actor: at.Actor(nick), id: a.ID}
}

// admin creates an admin with all rights at a server.
func (s *scene) admin(at *servertest.Server) *client.Client {
	s.Helper()
	return at.Admin(fmt.Sprintf("root%d", s.people.Add(1)))
}

// good returns v if err is nil.
func good[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// sees is the id that somebody has at the server of p.
func (s *scene) sees(p, somebody *person) string {
	s.Helper()
	if p.at == somebody.at {
		return somebody.id
	}
	return p.at.Find(s, p.Client, somebody.handle).ID
}

// rel is how p stands to somebody, as their own server tells.
func (s *scene) rel(p, somebody *person) api.Relationship {
	s.Helper()
	all := good(p.Accounts.Relationships(s.ctx(), s.sees(p, somebody)))(s)
	if len(all) != 1 {
		s.Fatalf("%d relationships", len(all))
	}
	return all[0]
}

// until waits for something that other servers do.
func (s *scene) until(what string, ok func() bool) {
	s.Helper()
	servertest.Eventually(s, what, ok)
}

// follow has p follow somebody, and waits until both servers know.
func (s *scene) follow(p, somebody *person) {
	s.Helper()
	must(s.T, err1(p.Accounts.Follow(s.ctx(), s.sees(p, somebody), api.Follow{})))
	s.until(p.nick+" follows "+somebody.nick, func() bool {
		return s.rel(p, somebody).Following && s.rel(somebody, p).FollowedBy
	})
}

// post is a status of p's.
func (s *scene) post(p *person, form api.NewStatus) *api.Status {
	s.Helper()
	return good(p.Statuses.Post(s.ctx(), form))(s)
}

// says is a public status of p's.
func (s *scene) says(p *person, text string) *api.Status {
	s.Helper()
	return s.post(p, api.NewStatus{Status: text})
}

// home is p's home timeline.
func (s *scene) timeline(p *person) []api.Status {
	s.Helper()
	return good(p.Timelines.Home(api.TimelineQuery{PageQuery: api.PageQuery{Limit: 40}}).Page(s.ctx()))(s).Items
}

// arrives waits until a status stands in p's home timeline, and returns it as
// it stands there.
func (s *scene) arrives(p *person, uri string) *api.Status {
	s.Helper()
	var found *api.Status
	s.until(uri+" at "+p.nick+"'s home", func() bool {
		found = byURI(s.timeline(p), uri)
		return found != nil
	})
	return found
}

// byURI is the status with this uri.
func byURI(list []api.Status, uri string) *api.Status {
	if i := slices.IndexFunc(list, func(st api.Status) bool { return st.URI == uri }); i >= 0 {
		return &list[i]
	}
	return nil
}

// notified are p's notifications of a type.
func (s *scene) notified(p *person, kind string) []api.Notification {
	s.Helper()
	return good(p.Notifications.List(api.NotificationQuery{IncludeTypes: []string{kind}}).Page(s.ctx()))(s).Items
}

// tells waits until p has n notifications of a type.
func (s *scene) tells(p *person, kind string, n int) []api.Notification {
	s.Helper()
	var all []api.Notification
	s.until(fmt.Sprintf("%d notifications of %s for %s", n, kind, p.nick), func() bool {
		all = s.notified(p, kind)
		return len(all) >= n
	})
	if len(all) != n {
		s.Fatalf("%d notifications of %s for %s, want %d", len(all), kind, p.nick, n)
	}
	return all
}

// content is the text of a status without its markup.
func content(st *api.Status) string { return st.Svc.Content.Plain }
