package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/platform/jobs"
	"svc/server/platform/mail/mailtest"
	"svc/server/servertest"
	"svc/server/servertest/peer"
)

// mails has a mail sent to each of some addresses.
func mails(t *testing.T, d *db.DB, to ...string) {
	t.Helper()
	must(t, d.Tx(t.Context(), func(tx *db.DB) error {
		for _, address := range to {
			if err := jobs.Enqueue(t.Context(), tx, jobs.SendMail{To: address, Template: "approval_pending", Data: map[string]string{"nickname": "m"}}); err != nil {
				return err
			}
		}
		return nil
	}))
}

// addresses are n of them.
func addresses(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("m%d@example.org", i)
	}
	return out
}

// eachOnce holds a relay to have got one mail for each address.
func eachOnce(t *testing.T, box *mailtest.Mailbox, to []string) {
	t.Helper()
	for _, address := range to {
		if n := len(box.To(address)); n != 1 {
			t.Errorf("%s got %d mails", address, n)
		}
	}
}

// TestAStoppedProcessSendsNoMailThatOthersSent stops a process, by SIGSTOP, right
// before it hands mails to a relay: another takes them over, and the first one,
// which goes on then, sends none of them.
func TestAStoppedProcessSendsNoMailThatOthersSent(t *testing.T) {
	t.Parallel()
	ctx, dsn := t.Context(), onPostgres(t)
	box := mailtest.Start(t)
	var s config.Settings
	box.Use(&s)
	a, b := newProcess(t, shortDir(t), dsn), newProcess(t, shortDir(t), dsn)
	for _, p := range []*process{a, b} {
		p.env = append(p.env, "SVC_SMTP_HOST="+s.Mailer.Relay, "SVC_SMTP_PORT="+strconv.Itoa(s.Mailer.Port), "SVC_SMTP_TLS=none", "SVC_LOG=error")
	}
	a.start()
	d, pool := dbtest.Open(t, dsn), openPostgres(t, dsn)
	link := func(nickname string) {
		t.Helper()
		account, err := d.AccountByNickname(ctx, nickname)
		must(t, err)
		must(t, d.Tx(ctx, func(tx *db.DB) error {
			return jobs.Enqueue(ctx, tx, jobs.SendLink{AccountID: account.ID, Purpose: db.TokenPasswordReset})
		}))
	}
	names := []string{"ann", "bob", "cat", "dan"}
	for _, name := range names {
		a.user(name)
	}
	// The jobs wait for the rows of their mails.
	held, err := pool.BeginTx(ctx, nil)
	must(t, err)
	_, err = held.ExecContext(ctx, "LOCK TABLE users IN ACCESS EXCLUSIVE MODE")
	must(t, err)
	for _, name := range names[:3] {
		link(name)
	}
	eventually(t, 20*time.Second, "the jobs wait", func() bool {
		var waiting int
		must(t, pool.QueryRowContext(ctx, "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").Scan(&waiting))
		return waiting == 3
	})
	a.signal(syscall.SIGSTOP)
	defer a.signal(syscall.SIGCONT)
	must(t, held.Rollback())
	b.start()
	to := func(name string) int { return len(box.To(name + "@example.org")) }
	eventually(t, 90*time.Second, "the other process sends them", func() bool { return to("ann")+to("bob")+to("cat") == 3 })
	a.signal(syscall.SIGCONT)
	b.signal(syscall.SIGSTOP)
	defer b.signal(syscall.SIGCONT)
	// It ends its running work, and takes new work.
	link("dan")
	box.Wait("dan@example.org", 1)
	count := func(where string) (n int) {
		must(t, pool.QueryRowContext(ctx, "SELECT COUNT(*) FROM river_job WHERE kind = $1 AND "+where, jobs.SendLink{}.Kind()).Scan(&n))
		return n
	}
	// B may not have stored its outcomes. Those of the first process must not take their place.
	eventually(t, 20*time.Second, "the outcomes of the first process are stored", func() bool { return count("state = 'completed' AND attempt = 1") > 0 })
	if again := count("state NOT IN ('running', 'completed')"); again > 0 {
		t.Errorf("%d mails are to be sent again", again)
	}
	for _, name := range names {
		if n := to(name); n != 1 {
			t.Errorf("%s got %d mails", name, n)
		}
	}
}

// TestClocksThatDifferDoNothingTwice has two servers on one database, one of
// them a minute ahead: work of one that takes longer than a few heartbeats is
// not taken over by the other.
func TestClocksThatDifferDoNothingTwice(t *testing.T) {
	t.Parallel()
	const long = 7 * time.Second
	for name, ahead := range map[string]time.Duration{"ahead": time.Minute, "behind": -time.Minute} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := servertest.On(t, onPostgres(t), servertest.WithMail)
			b := a.Second(t)
			b.Advance(ahead)
			// All work takes long.
			var calls sync.Map
			slowly := func(what string) {
				n, _ := calls.LoadOrStore(what, new(atomic.Int64))
				n.(*atomic.Int64).Add(1)
				time.Sleep(long)
			}
			a.Mailbox.Refuse(func(to string) error { slowly("mail to " + to); return nil })
			far := peer.Start(t, map[string]string{"ahead": "127.0.0.3", "behind": "127.0.0.4"}[name])
			fan := far.Actor("fan")
			a.User("alice")
			if got := fan.Send(a.URL+"/inbox", fan.Follow(a.Actor("alice"))); got.Status != http.StatusAccepted {
				t.Fatalf("the follow is answered %d", got.Status)
			}
			servertest.Eventually(t, "alice is followed", func() bool { return len(fan.Received("Accept")) == 1 })
			far.Answer(func(r peer.Request) peer.Page {
				slowly(r.URI)
				return peer.Page{Status: http.StatusAccepted}
			})
			to := addresses(4)
			for round := range 2 {
				mails(t, a.DB, to[2*round], to[2*round+1])
				for _, s := range []*servertest.Server{a, b} {
					good(s.Client("alice").Statuses.Post(t.Context(), api.NewStatus{Status: fmt.Sprint(round, s.URL)}))(t)
				}
			}
			servertest.Eventually(t, "all is sent", func() bool {
				return len(far.Received("Create")) >= 4 && !slices.ContainsFunc(to, func(address string) bool { return len(a.Mailbox.To(address)) == 0 })
			})
			eachOnce(t, a.Mailbox, to)
			calls.Range(func(what, n any) bool {
				if want := map[bool]int64{true: 4, false: 1}[what == "/inbox" || what == "/users/fan/inbox"]; n.(*atomic.Int64).Load() != want {
					t.Errorf("%s: %d times, want %d", what, n.(*atomic.Int64).Load(), want)
				}
				return true
			})
		})
	}
}
