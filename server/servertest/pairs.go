package servertest

import (
	"context"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
)

// EachPair runs fn with two services that know nothing of each other, on SQLite
// and, when SVC_TEST_POSTGRES is set, on PostgreSQL, in parallel. They listen on
// 127.0.0.1 and 127.0.0.2, so that their names differ by more than a port.
func EachPair(t *testing.T, fn func(t *testing.T, a, b *Server), edit ...func(*config.Settings)) {
	t.Helper()
	dbtest.EachReady(t, func(t *testing.T, dsn string) {
		fn(t, AtHost(t, dsn, "127.0.0.1", edit...), AtHost(t, Another(t, dsn), "127.0.0.2", edit...))
	})
}

// Pair is EachPair on SQLite alone, without a subtest.
func Pair(t *testing.T, edit ...func(*config.Settings)) (a, b *Server) {
	t.Helper()
	return AtHost(t, dbtest.Ready(t), "127.0.0.1", edit...), AtHost(t, dbtest.Ready(t), "127.0.0.2", edit...)
}

// Another returns the address of a migrated database of the same kind as dsn.
func Another(t testing.TB, dsn string) string {
	t.Helper()
	if strings.HasPrefix(dsn, "sqlite:") {
		return dbtest.Ready(t)
	}
	return dbtest.Postgres(t)
}

// AtHost runs a service on the database dsn that listens on this address of the
// machine. The address is also its host name.
func AtHost(t testing.TB, dsn, host string, edit ...func(*config.Settings)) *Server {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatal(err)
	}
	return at(t, dsn, l, "http://"+l.Addr().String(), nil, nil, edit...)
}

// Host is the name of the service, with its port.
func (s *Server) Host() string {
	u, err := url.Parse(s.Base())
	if err != nil {
		s.t.Fatal(err)
	}
	return u.Host
}

// Handle is the address of a local user for users of other services.
func (s *Server) Handle(nickname string) string { return nickname + "@" + s.Host() }

// Actor is the id of a user.
func (s *Server) Actor(nickname string) string { return s.Base() + "/users/" + nickname }

// Find looks a handle or an id of another service up, as a user of this one. It
// fails unless it finds one account.
func (s *Server) Find(t testing.TB, as *client.Client, what string) *api.Account {
	t.Helper()
	found, err := as.Search.Find(t.Context(), api.SearchQuery{Q: what, Type: "accounts", Resolve: true})
	if err != nil {
		t.Fatalf("find %s: %v", what, err)
	}
	if len(found.Accounts) != 1 {
		t.Fatalf("%s finds %d accounts\n%s", what, len(found.Accounts), s.Log)
	}
	return &found.Accounts[0]
}

// FindStatus is Find for a status.
func (s *Server) FindStatus(t testing.TB, as *client.Client, uri string) *api.Status {
	t.Helper()
	found, err := as.Search.Find(t.Context(), api.SearchQuery{Q: uri, Type: "statuses", Resolve: true})
	if err != nil {
		t.Fatalf("find %s: %v", uri, err)
	}
	if len(found.Statuses) != 1 {
		t.Fatalf("%s finds %d statuses\n%s", uri, len(found.Statuses), s.Log)
	}
	return &found.Statuses[0]
}

// Advance sets the service's clock forward, and runs the work that became due.
func (s *Server) Advance(d time.Duration) {
	s.t.Helper()
	s.ahead.Add(int64(d))
	if err := s.DB.Announce(context.Background(), db.ActivityQueued, ""); err != nil {
		s.t.Fatal(err)
	}
}

// Eventually repeats ok until it is true, and fails after patience.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); !ok(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

// patience bounds Eventually, with time for a busy machine.
const patience = time.Minute
