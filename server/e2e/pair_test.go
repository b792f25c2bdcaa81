package e2e

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // to look at a database beside the service

	"svc/client"
	"svc/client/api"
	"svc/db/dbtest"
)

// onPostgres is the address of an empty database on PostgreSQL.
func onPostgres(t *testing.T) string {
	t.Helper()
	dsn := dbtest.Postgres(t)
	if dsn == "" {
		t.Skip("SVC_TEST_POSTGRES is not set")
	}
	return dsn
}

func openPostgres(t *testing.T, dsn string) *sql.DB {
	t.Helper()
	pool, err := sql.Open("pgx", dsn)
	must(t, err)
	t.Cleanup(func() { _ = pool.Close() })
	return pool
}

// TestTwoServersActAsOne runs two svcd on one PostgreSQL, started at once on an
// empty database.
func TestTwoServersActAsOne(t *testing.T) {
	t.Parallel()
	dsn := onPostgres(t)
	a, b := newProcess(t, shortDir(t), dsn), newProcess(t, shortDir(t), dsn)
	a.launch()
	b.launch()
	a.waitReady()
	b.waitReady()
	a.user("alice")
	b.user("bob")
	a.user("root", "--admin")
	ctx := t.Context()
	alice, bob, root := a.logIn("alice"), b.logIn("bob"), a.logIn("root")
	both := func(token string) (onA, onB *client.Client) { return a.client(token), b.client(token) }
	aliceA, aliceB := both(alice)
	bobA, bobB := both(bob)
	rootA, rootB := both(root)
	me, err := aliceB.Accounts.Verify(ctx)
	must(t, err)
	pool := openPostgres(t, dsn)

	t.Run("rows are seen at once", func(t *testing.T) {
		must(t, err1(bobB.Accounts.Follow(ctx, me.ID, api.Follow{})))
		for i := range 10 {
			text := fmt.Sprintf("on A, %d", i)
			posted, err := aliceA.Statuses.Post(ctx, api.NewStatus{Status: text})
			must(t, err)
			seen, err := bobB.Statuses.Get(ctx, posted.ID)
			must(t, err)
			home, err := bobB.Timelines.Home(api.TimelineQuery{}).Page(ctx)
			must(t, err)
			if seen.Content != text || home.Items[0].ID != posted.ID {
				t.Errorf("B shows %q, and home begins with %q", seen.Content, home.Items[0].Content)
			}
			// B has it in its cache now; changes by A must show all the same.
			must(t, err1(bobA.Statuses.Favourite(ctx, posted.ID)))
			if seen, err = aliceB.Statuses.Get(ctx, posted.ID); err != nil || seen.FavouritesCount != 1 {
				t.Errorf("B counts %d favourites, %v", seen.FavouritesCount, err)
			}
			hidden := true
			must(t, err1(rootA.Admin.Statuses.Update(ctx, posted.ID, api.StatusUpdate{Sensitive: &hidden})))
			if seen, err = aliceB.Statuses.Get(ctx, posted.ID); err != nil || !seen.Sensitive {
				t.Errorf("B does not show that A made it sensitive: %v", err)
			}
			name := fmt.Sprintf("Alice %d", i)
			must(t, err1(aliceA.Accounts.UpdateCredentials(ctx, api.UpdateCredentials{DisplayName: &name})))
			if seen, err = bobB.Statuses.Get(ctx, posted.ID); err != nil || seen.Account.DisplayName != name {
				t.Errorf("B shows it by %q, %v", seen.Account.DisplayName, err)
			}
			if i%2 == 0 {
				must(t, err1(aliceA.Statuses.Delete(ctx, posted.ID)))
				if _, err := bobB.Statuses.Get(ctx, posted.ID); !errors.Is(err, client.ErrNotFound) {
					t.Errorf("B still has what A deleted: %v", err)
				}
			}
		}
	})

	t.Run("a key counts on both", func(t *testing.T) {
		var wg sync.WaitGroup
		ids := make([]string, 8)
		for i := range ids {
			p := a
			if i%2 == 0 {
				p = b
			}
			wg.Go(func() {
				s, err := p.client(alice).Statuses.Post(context.WithoutCancel(ctx), api.NewStatus{Status: "once"}, client.IdempotencyKey("both"))
				if err != nil {
					t.Error(err)
					return
				}
				ids[i] = s.ID
			})
		}
		wg.Wait()
		for _, id := range ids {
			if id != ids[0] {
				t.Errorf("one key made several statuses: %v", ids)
				break
			}
		}
	})

	t.Run("jobs run once", func(t *testing.T) {
		// So many followers that a job does the rest. Both servers hear of it,
		// as they do of changes made by commands.
		_, err := pool.ExecContext(ctx, "UPDATE accounts SET followers_count = 1000000 WHERE id = $1", me.ID)
		must(t, err)
		_, err = pool.ExecContext(ctx, "INSERT INTO events (kind, subject, account_id, data, created_at) VALUES ('notice.account', $1, '', '', 0)", me.ID)
		must(t, err)
		eventually(t, 20*time.Second, "the news is numbered", func() bool {
			var waiting int
			must(t, pool.QueryRowContext(ctx, "SELECT COUNT(*) FROM events WHERE seq IS NULL").Scan(&waiting))
			return waiting == 0
		})
		posted := map[string]string{}
		for i := range 10 {
			for name, c := range map[string]*client.Client{"A": aliceA, "B": aliceB} {
				text := fmt.Sprintf("to a crowd by %s, %d", name, i)
				s, err := c.Statuses.Post(ctx, api.NewStatus{Status: text})
				must(t, err)
				posted[text] = s.ID
			}
		}
		var begun, done, tries int
		eventually(t, 20*time.Second, "all jobs are done", func() bool {
			must(t, pool.QueryRowContext(ctx, `SELECT COUNT(*), COUNT(*) FILTER (WHERE state = 'completed'), COALESCE(SUM(attempt), 0)
				FROM river_job WHERE kind = 'fan_out'`).Scan(&begun, &done, &tries))
			return done >= begun
		})
		if begun < len(posted)-4 || begun > len(posted) || tries != done { // the first ones may come before the news
			t.Errorf("%d jobs for %d statuses, %d done in %d tries", begun, len(posted), done, tries)
		}
		home, err := bobA.Timelines.Home(api.TimelineQuery{PageQuery: api.PageQuery{Limit: 40}}).Page(ctx)
		must(t, err)
		seen := map[string]int{}
		for _, s := range home.Items {
			if _, ok := posted[s.Content]; ok {
				seen[s.Content]++
			}
		}
		once(t, "posts on the follower's timeline", posted, seen)
	})

	t.Run("what is taken away is gone within a second", func(t *testing.T) {
		second := a.logIn("bob")
		for _, p := range []*process{a, b} {
			must(t, err1(p.client(second).Accounts.Verify(ctx)))
		}
		hc := a.http()
		postForm(t, hc, base+"/oauth/revoke", url.Values{"token": {second}})
		eventually(t, time.Second, "the token revoked on A is refused on B", func() bool {
			_, err := b.client(second).Accounts.Verify(ctx)
			return client.Status(err) == 401
		})
		must(t, err1(bobB.Accounts.Verify(ctx)))
		must(t, err1(rootA.Admin.Users.Deactivate(ctx, "bob")))
		eventually(t, time.Second, "bob, deactivated on A, is refused on B", func() bool {
			_, err := bobB.Accounts.Verify(ctx)
			return client.Status(err) == 401
		})
		must(t, err1(rootB.Admin.Users.Activate(ctx, "bob")))
		eventually(t, time.Second, "bob, activated on B, is let in on A", func() bool {
			_, err := bobA.Accounts.Verify(ctx)
			return err == nil
		})
		b.run("user", "set", "root", "--admin=false")
		eventually(t, time.Second, "root, no admin any more, is refused on both", func() bool {
			_, errA := rootA.Admin.Users.Get(ctx, "bob")
			_, errB := rootB.Admin.Users.Get(ctx, "bob")
			return client.Status(errA) == 403 && client.Status(errB) == 403
		})
	})

	t.Run("what runs by the clock runs in one of them", func(t *testing.T) {
		var sweeps int
		eventually(t, 30*time.Second, "a sweep is begun", func() bool {
			must(t, pool.QueryRowContext(ctx, "SELECT COUNT(*) FROM river_job WHERE kind = 'sweep'").Scan(&sweeps))
			return sweeps > 0
		})
		if sweeps != 1 {
			t.Errorf("%d sweeps were begun", sweeps)
		}
	})

	t.Run("one goes on when the other dies", func(t *testing.T) {
		a.kill()
		s, err := aliceB.Statuses.Post(ctx, api.NewStatus{Status: "still here"})
		must(t, err)
		a.start()
		if seen, err := a.client(bob).Statuses.Get(ctx, s.ID); err != nil || seen.Content != "still here" {
			t.Errorf("%v", err)
		}
	})
}
