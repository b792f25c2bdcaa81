package social_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/federation/outbox"
	"svc/server/platform/config"
	"svc/server/rules/social"
)

// world is a service with accounts for tests.
type world struct {
	*social.Service
	t        testing.TB
	d        *db.DB
	settings *config.Live
}

func newWorld(t testing.TB, d *db.DB) *world {
	t.Helper()
	live, err := config.NewLive(config.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	return &world{social.New(social.Parts{DB: d, Settings: live, Site: config.NewSite(dbtest.Base, false), Outbox: outbox.New(live, dbtest.Base), Now: time.Now}), t, d, live}
}

// each runs fn with a world on each database.
func each(t *testing.T, fn func(t *testing.T, w *world)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, d *db.DB) { fn(t, newWorld(t, d)) })
}

// person makes a local account with a user.
func (w *world) person(nickname string) *db.Account {
	w.t.Helper()
	a := dbtest.Account(w.t, w.d, nickname)
	w.must(w.d.CreateUser(w.t.Context(), &db.User{AccountID: a.ID, PasswordHash: "x"}))
	return a
}

// stranger makes an account on another server.
func (w *world) stranger(nickname, host string) *db.Account {
	w.t.Helper()
	a := db.NewAccount("https://"+host, nickname)
	a.Local, a.Domain, a.Nickname, a.NickKey = false, host, nickname+"@"+host, nickname+"@"+host
	w.must(w.d.CreateAccount(w.t.Context(), a))
	return a
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) post(by *db.Account, in social.NewStatus) *db.Status {
	w.t.Helper()
	s, err := w.PostStatus(w.t.Context(), by, in)
	w.must(err)
	return s
}

func (w *world) follow(by, target *db.Account) {
	w.t.Helper()
	w.must(w.Follow(w.t.Context(), by, target.ID, social.FollowOptions{}))
	if by.Local && !target.Local {
		if err := w.AuthorizeFollow(w.t.Context(), target, by.ID); !errors.Is(err, db.ErrNotFound) { // accepts as its server does; a second time there is no request
			w.must(err)
		}
	}
}

// reload returns an account as it is now.
func (w *world) reload(a *db.Account) *db.Account {
	w.t.Helper()
	a, err := w.d.Account(w.t.Context(), a.ID)
	w.must(err)
	return a
}

// counts of an account: followers, following, statuses.
func (w *world) counts(a *db.Account) [3]int64 {
	w.t.Helper()
	a = w.reload(a)
	return [3]int64{a.FollowersCount, a.FollowingCount, a.StatusesCount}
}

// home returns the ids on an account's home timeline, newest first.
func (w *world) home(a *db.Account) []string {
	w.t.Helper()
	page, err := w.d.HomeTimeline(w.t.Context(), w.viewer(a), db.TimelineFilter{}, db.Page{Limit: 1000})
	w.must(err)
	ids := []string{}
	for _, r := range page.Refs {
		ids = append(ids, r.ID)
	}
	return ids
}

// viewer returns an account with all kinds of its relations loaded.
func (w *world) viewer(a *db.Account) db.Viewer {
	return db.Viewer{ID: a.ID, Relations: db.Relations{Blocks: true, Mutes: true, DomainBlocks: true, ThreadMutes: true, HidesReblogs: true}}
}

// news returns the listed notifications of an account, newest first: type,
// nickname of the sender, and text of the status.
func (w *world) news(a *db.Account) []string {
	w.t.Helper()
	rows, err := w.d.Notifications(w.t.Context(), w.viewer(a), db.NotificationFilter{}, db.Page{Limit: 100})
	w.must(err)
	out := []string{}
	for _, n := range rows {
		from, err := w.d.Account(w.t.Context(), n.FromID)
		w.must(err)
		line := n.Type + " " + from.Nickname
		if n.StatusID != "" {
			s, err := w.d.StatusByID(w.t.Context(), n.StatusID)
			w.must(err)
			line += " " + s.Text
		}
		out = append(out, line)
	}
	return out
}

// rows returns the count that a query selects.
func (w *world) rows(query string, args ...any) int {
	w.t.Helper()
	if w.d.Dialect() == db.Postgres {
		query = numbered(query)
	}
	var n int
	w.must(w.d.Writer().QueryRowContext(w.t.Context(), query, args...).Scan(&n))
	return n
}

func numbered(query string) string {
	out, n := "", 0
	for _, r := range query {
		if r == '?' {
			n++
			out += fmt.Sprint("$", n)
			continue
		}
		out += string(r)
	}
	return out
}

func wantNotFound(t testing.TB, err error) {
	t.Helper()
	if !errors.Is(err, db.ErrNotFound) {
		t.Errorf("error is %v, want not found", err)
	}
}

func wantRefusal(t testing.TB, err error, message string) {
	t.Helper()
	if err == nil || err.Error() != message {
		t.Errorf("error is %v, want %q", err, message)
	}
}

func yes() *bool { b := true; return &b }
func no() *bool  { b := false; return &b }

// together runs fn n times at once.
func together(n int, fn func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { fn(i) })
	}
	wg.Wait()
}

// sql runs a statement that the operations do not offer.
func (w *world) sql(format string, args ...any) {
	w.t.Helper()
	_, err := w.d.Writer().ExecContext(w.t.Context(), fmt.Sprintf(format, args...))
	w.must(err)
}
