package e2e

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/jobs"
	"svc/server/servertest"
	"svc/server/servertest/peer"
)

// outage is a way in which a database goes away, and comes back.
type outage struct {
	name   string
	begin  func()
	end    func()
	rounds int
	lasts  time.Duration
}

// outagesOf are those of a database, which is used at the address that is
// returned. direct reaches PostgreSQL meanwhile.
func outagesOf(t *testing.T, dsn string) (through string, direct *sql.DB, of func(s *servertest.Server) []outage) {
	t.Helper()
	if strings.HasPrefix(dsn, "sqlite:") {
		return dsn, nil, func(s *servertest.Server) []outage {
			pragma := func(text string) func() {
				return func() {
					_, err := s.DB.Writer().ExecContext(context.Background(), "PRAGMA "+text)
					must(t, err)
				}
			}
			return []outage{
				{name: "the file cannot grow", begin: pragma("max_page_count = 1"), end: pragma("max_page_count = 1000000000"), rounds: 3, lasts: 2 * time.Second},
				{name: "nothing can be written", begin: pragma("query_only = 1"), end: pragma("query_only = 0"), rounds: 3, lasts: 2 * time.Second},
			}
		}
	}
	way, through := dbtest.NewProxy(t, dsn)
	pool := openPostgres(t, dsn)
	return through, pool, func(*servertest.Server) []outage {
		return []outage{
			{name: "sessions are ended", begin: func() {
				_, err := pool.ExecContext(context.Background(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
				must(t, err)
			}, end: func() {}, rounds: 20, lasts: 150 * time.Millisecond},
			{name: "the way is cut", begin: way.Cut, end: way.Open, rounds: 4, lasts: time.Second},
			{name: "nothing comes through", begin: way.Stall, end: way.Flow, rounds: 2, lasts: 3 * time.Second},
			{name: "away for longer", begin: way.Cut, end: way.Open, rounds: 1, lasts: 12 * time.Second},
		}
	}
}

// work is the background work of a server while its database goes away, as far
// as it was acknowledged.
type work struct {
	*testing.T
	s       *servertest.Server
	far     *peer.Peer
	direct  *sql.DB // past the proxy; nil for SQLite
	explain sync.Once
	stop    context.CancelFunc
	ended   sync.WaitGroup
	made    atomic.Int64 // so that each is another

	mu                  sync.Mutex
	notes, posts, mails map[string]bool
}

func (w *work) took(list map[string]bool, what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	list[what] = true
}

// insist calls until the server accepts the call, and reports whether it did.
func (w *work) insist(what string, call func(context.Context) error) bool {
	var err error
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		err = call(ctx)
		cancel()
		if err == nil {
			return true
		}
	}
	w.Errorf("%s is not taken: %v", what, err)
	w.explain.Do(w.showWaits)
	return false
}

// showWaits logs what the goroutines of the server and the sessions of its
// database wait for.
func (w *work) showWaits() {
	stacks := make([]byte, 4<<20)
	w.Logf("goroutines:\n%s", stacks[:runtime.Stack(stacks, true)])
	if w.s.DB.Dialect() != db.Postgres {
		return
	}
	rows, err := w.direct.QueryContext(context.Background(), `SELECT pid, state, wait_event_type, wait_event, pg_blocking_pids(pid),
		clock_timestamp() - xact_start, clock_timestamp() - state_change, query FROM pg_stat_activity WHERE datname = current_database()`)
	must(w.T, err)
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var session [8]sql.NullString
		must(w.T, rows.Scan(&session[0], &session[1], &session[2], &session[3], &session[4], &session[5], &session[6], &session[7]))
		line := make([]string, len(session))
		for i := range session {
			line[i] = session[i].String
		}
		w.Logf("session: %s", strings.Join(line, " | "))
	}
	must(w.T, rows.Err())
}

func (w *work) begin() {
	const pace = 30 * time.Millisecond // the outages come amid work, which need not be much
	ctx, stop := context.WithCancel(context.Background())
	w.stop = stop
	for i := range 3 {
		author := w.far.Actor(fmt.Sprint("author", i))
		w.ended.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				note := author.Note(fmt.Sprintf("<p>note %d of %d</p>", n, i)).Mentioning(w.s.Actor("bob"), "bob")
				create := author.Create(note)
				if w.insist(note.Text("id"), func(context.Context) error {
					if got := author.Send(w.s.URL+"/inbox", create); got.Status != http.StatusAccepted {
						return fmt.Errorf("answered %d %s", got.Status, got.Body)
					}
					return nil
				}) {
					w.took(w.notes, note.Text("id"))
				}
				time.Sleep(pace)
			}
		})
	}
	alice := w.s.Client("alice")
	post := func() {
		for ctx.Err() == nil {
			text := fmt.Sprint("post ", w.made.Add(1))
			var posted *api.Status
			if w.insist(text, func(ctx context.Context) (err error) {
				posted, err = alice.Statuses.Post(ctx, api.NewStatus{Status: text}, client.IdempotencyKey(text))
				return err
			}) {
				w.took(w.posts, posted.URI)
			}
			time.Sleep(pace)
		}
	}
	for range 3 {
		w.ended.Go(post)
	}
	w.ended.Go(func() {
		for ctx.Err() == nil {
			to := fmt.Sprintf("m%d@example.org", w.made.Add(1))
			err := w.s.DB.Tx(ctx, func(tx *db.DB) error {
				return jobs.Enqueue(ctx, tx, jobs.SendMail{To: to, Template: "approval_pending", Data: map[string]string{"nickname": "m"}})
			})
			if err == nil {
				w.took(w.mails, to)
			}
			time.Sleep(pace)
		}
	})
}

// left counts the acknowledged work that is not done yet.
func (w *work) left() (notes, posts, mails int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id := range w.notes {
		if _, err := w.s.DB.StatusByURI(context.Background(), id); err != nil {
			notes++
		}
	}
	arrived := map[string]bool{}
	for _, c := range w.far.Received("Create") {
		arrived[c.Text("object", "id")] = true
	}
	for id := range w.posts {
		if !arrived[id] {
			posts++
		}
	}
	for to := range w.mails {
		if len(w.s.Mailbox.To(to)) == 0 {
			mails++
		}
	}
	return notes, posts, mails
}

// TestWorkGoesOnWhenTheDatabaseIsBack takes the database away in several ways
// from a server that takes activities, sends them and mails: within a minute of
// its return everything is done that was acknowledged, without a restart, and no
// mail goes out twice.
func TestWorkGoesOnWhenTheDatabaseIsBack(t *testing.T) {
	t.Parallel()
	dbtest.EachReady(t, func(t *testing.T, dsn string) {
		through, direct, of := outagesOf(t, dsn)
		w := &work{T: t, direct: direct, s: servertest.On(t, through, servertest.WithMail), far: peer.Start(t, "127.0.0.3"),
			notes: map[string]bool{}, posts: map[string]bool{}, mails: map[string]bool{}}
		w.s.User("bob")
		w.s.User("alice")
		fan := w.far.Actor("fan")
		if got := fan.Send(w.s.URL+"/inbox", fan.Follow(w.s.Actor("alice"))); got.Status != http.StatusAccepted {
			t.Fatalf("the follow is answered %d", got.Status)
		}
		servertest.Eventually(t, "alice is followed", func() bool { return len(fan.Received("Accept")) == 1 })
		for _, o := range of(w.s) {
			w.begin()
			for range o.rounds {
				time.Sleep(200 * time.Millisecond)
				o.begin()
				time.Sleep(o.lasts)
				o.end()
			}
			w.stop()
			w.ended.Wait()
			back := time.Now()
			for {
				notes, posts, mails := w.left()
				if notes+posts+mails == 0 {
					break
				}
				if time.Since(back) > time.Minute {
					w.explain.Do(w.showWaits)
					t.Errorf("%s: of %d activities %d are not worked off, of %d posts %d not sent, of %d mails %d", o.name, len(w.notes), notes, len(w.posts), posts, len(w.mails), mails)
					return
				}
				time.Sleep(50 * time.Millisecond)
			}
			t.Logf("%s: all is done after %s: %d activities, %d posts, %d mails", o.name, time.Since(back).Round(time.Millisecond), len(w.notes), len(w.posts), len(w.mails))
		}
		// Outcomes are stored, so that no work is repeated.
		servertest.Eventually(t, "no mail counts as being sent", func() bool {
			var running int
			err := w.s.DB.Writer().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM river_job WHERE kind = 'send_mail' AND state <> 'completed'").Scan(&running)
			return err == nil && running == 0
		})
		for to := range w.mails {
			if n := len(w.s.Mailbox.To(to)); n != 1 {
				t.Errorf("%s got %d mails", to, n)
			}
		}
	})
}
