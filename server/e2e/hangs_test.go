package e2e

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"svc/client"
	"svc/client/api"
)

// bounds are short limits of a session, for tests that wait for them.
const bounds = "&statement_timeout=3000&idle_in_transaction_session_timeout=2000&connect_timeout=2"

// TestADatabaseThatHangsIsToldOf suspends PostgreSQL under a server: requests
// end with 503, and another svcd says why it does not start. When PostgreSQL
// goes on, so does everything else, and acknowledged writes are there once.
func TestADatabaseThatHangsIsToldOf(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	p := newProcess(t, shortDir(t), c.dsn+bounds)
	p.env = append(p.env, "SVC_LOG=error")
	p.user("alice")
	p.user("root", "--admin")
	p.start()
	alice, root := p.logIn("alice"), p.logIn("root")
	ctx := t.Context()

	var (
		mu      sync.Mutex
		acked   = map[string]string{}
		refused = map[int]bool{}
		workers sync.WaitGroup
	)
	load, stop := context.WithCancel(ctx)
	defer stop()
	for worker := range 4 {
		posting := p.client(alice)
		workers.Go(func() {
			for n := 0; load.Err() == nil; n++ {
				text := fmt.Sprintf("post %d of worker %d", n, worker)
				for tries := 0; ; tries++ {
					s, err := posting.Statuses.Post(context.WithoutCancel(ctx), api.NewStatus{Status: text}, client.IdempotencyKey(text))
					mu.Lock()
					if err == nil {
						acked[text] = s.ID
					} else {
						refused[worker] = true
					}
					mu.Unlock()
					if err == nil {
						break
					}
					away(t, text, err)
					if t.Failed() || tries > 20 {
						t.Errorf("%s is not acknowledged: %v", text, err)
						return
					}
					time.Sleep(100 * time.Millisecond)
				}
			}
		})
	}
	count := func(of func() int) int {
		mu.Lock()
		defer mu.Unlock()
		return of()
	}
	posted := func() int { return count(func() int { return len(acked) }) }
	eventually(t, 30*time.Second, "posts are taken", func() bool { return posted() > 10 || t.Failed() })
	c.hang()
	away(t, "the public timeline", err1(p.client("").Timelines.Public(api.TimelineQuery{}).Page(ctx)))
	away(t, "reports", err1(p.client(root).Admin.Reports.List(api.ReportQuery{}).Page(ctx)))
	eventually(t, 60*time.Second, "all posts are refused", func() bool {
		return count(func() int { return len(refused) }) == 4 || t.Failed()
	})
	second := newProcess(t, shortDir(t), c.dsn+bounds)
	second.launch()
	if code := second.wait(60 * time.Second); code != 1 {
		t.Errorf("a second svcd: exit code %d", code)
	}
	if said := second.stderr.String(); !strings.HasPrefix(said, "svcd: open database: ") || strings.Count(said, "\n") != 1 {
		t.Errorf("a second svcd says %s", said)
	}
	c.goOn()
	from := posted()
	eventually(t, 60*time.Second, "posts are taken again", func() bool { return posted() > from+10 || t.Failed() })
	stop()
	workers.Wait()
	me, err := p.client(alice).Accounts.Verify(ctx)
	must(t, err)
	posts := map[string]int{}
	for s, err := range p.client(alice).Accounts.Statuses(me.ID, api.AccountStatusQuery{}).All(ctx) {
		must(t, err)
		posts[s.Content]++
	}
	once(t, "posts", acked, posts)
	// The connection that hears of other processes is there again.
	p.run("user", "set", "alice", "--active=false")
	eventually(t, 30*time.Second, "alice, deactivated by a command, is refused", func() bool {
		_, err := p.client(alice).Accounts.Verify(ctx)
		return client.Status(err) == 401
	})
}

// TestAStoppedProcessKeepsNobodyFromPosting suspends one of two servers in the
// middle of a transaction that holds the author's row.
func TestAStoppedProcessKeepsNobodyFromPosting(t *testing.T) {
	t.Parallel()
	dsn := onPostgres(t)
	limited := dsn + bounds
	a, b := newProcess(t, shortDir(t), limited), newProcess(t, shortDir(t), limited)
	a.user("alice")
	a.start()
	b.start()
	ctx := t.Context()
	alice := a.logIn("alice")
	onA, onB := a.client(alice), b.client(alice)
	must(t, err1(onB.Accounts.Verify(ctx)))

	pool := openPostgres(t, dsn)
	hold, err := pool.BeginTx(ctx, nil)
	must(t, err)
	must(t, err1(hold.ExecContext(ctx, "SELECT 1 FROM accounts WHERE nickname = 'alice' FOR UPDATE")))
	sessions := func(what string) bool {
		var n int
		must(t, pool.QueryRowContext(ctx, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'svcd' AND "+what).Scan(&n))
		return n > 0
	}
	first := make(chan error, 1)
	go func() {
		first <- err1(onA.Statuses.Post(ctx, api.NewStatus{Status: "first"}, client.IdempotencyKey("first")))
	}()
	eventually(t, 20*time.Second, "A waits for the author", func() bool { return sessions("wait_event_type = 'Lock'") })
	a.signal(syscall.SIGSTOP)
	t.Cleanup(func() { _ = a.cmd.Process.Signal(syscall.SIGCONT) })
	must(t, hold.Commit())
	eventually(t, 20*time.Second, "A holds the author", func() bool { return sessions("state = 'idle in transaction'") })
	must(t, err1(onB.Statuses.Post(ctx, api.NewStatus{Status: "second"})))
	a.signal(syscall.SIGCONT)
	if err := <-first; err != nil {
		away(t, "the post of the process that was stopped", err)
		must(t, err1(onA.Statuses.Post(ctx, api.NewStatus{Status: "first"}, client.IdempotencyKey("first"))))
	}
	me, err := onB.Accounts.Verify(ctx)
	must(t, err)
	posts := map[string]int{}
	for s, err := range onB.Accounts.Statuses(me.ID, api.AccountStatusQuery{}).All(ctx) {
		must(t, err)
		posts[s.Content]++
	}
	once(t, "posts", map[string]string{"first": "", "second": ""}, posts)
}
