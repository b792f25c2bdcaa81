package alive

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// hosts are the claims of a test, on hosts to send to.
type hosts struct {
	Known[string]
	woken chan struct{}
}

// process is one of those that share d, with a holder that is looked after when
// the test says so.
func process(t *testing.T, d *db.DB) (*Process, *Holder, *hosts) {
	t.Helper()
	p := New(d, slog.New(slog.DiscardHandler))
	h, known := holder(t, p)
	p.stop() // its heart; the test has it look
	p.done.Wait()
	return p, h, known
}

func holder(t *testing.T, p *Process) (*Holder, *hosts) {
	t.Helper()
	known := &hosts{woken: make(chan struct{}, 100)}
	h, err := Hold(t.Context(), p, Claims[string]{Held: p.db.HeldHosts, Knows: known.Has, Release: p.db.ReleaseHosts}, func() { known.woken <- struct{}{} })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.End(context.Background()) })
	return h, known
}

// looks has a process look once for rows without a holder.
func (p *Process) looks(t *testing.T) {
	t.Helper()
	heard := make(chan struct{}, 1)
	heard <- struct{}{}
	p.tend(t.Context(), heard)
}

func claim(t *testing.T, d *db.DB, host, holder string) {
	t.Helper()
	if err := dbtest.Exec(t, d, "INSERT INTO delivery_hosts (host, priority, due_at, waiting, holder) VALUES (?, 1, 0, 1, ?)", host, holder); err != nil {
		t.Fatal(err)
	}
}

func free(t *testing.T, d *db.DB, host string) bool {
	t.Helper()
	held, err := d.HeldHosts(t.Context(), holderOf(t, d, host))
	if err != nil {
		t.Fatal(err)
	}
	return len(held) == 0
}

func holderOf(t *testing.T, d *db.DB, host string) (holder string) {
	t.Helper()
	if err := d.Writer().QueryRowContext(t.Context(), "SELECT holder FROM delivery_hosts WHERE host = '"+host+"'").Scan(&holder); err != nil {
		t.Fatal(err)
	}
	return holder
}

func rows(t *testing.T, d *db.DB) (n int) {
	t.Helper()
	if err := d.Writer().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM processes").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// silent has a process not been seen for a while.
func silent(t *testing.T, d *db.DB, id string, d0 time.Duration) {
	t.Helper()
	if err := dbtest.Exec(t, d, "UPDATE processes SET seen_at = seen_at - ? WHERE id = ?", d0.Microseconds(), id); err != nil {
		t.Fatal(err)
	}
}

// old has a process been heard for a while.
func old(t *testing.T, d *db.DB, id string) {
	t.Helper()
	if err := dbtest.Exec(t, d, "UPDATE processes SET since = since - ? WHERE id = ?", time.Hour.Microseconds(), id); err != nil {
		t.Fatal(err)
	}
}

func TestUnknownClaimsAreReleasedAtTheSecondLook(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p, h, known := process(t, d)
		claim(t, d, "known", h.ID())
		claim(t, d, "forgotten", h.ID())
		known.Add("known")
		p.looks(t)
		if free(t, d, "forgotten") {
			t.Error("a claim is let go at the first look: it may be being made")
		}
		p.looks(t)
		if free(t, d, "known") || !free(t, d, "forgotten") {
			t.Errorf("held are %q and %q", holderOf(t, d, "known"), holderOf(t, d, "forgotten"))
		}
		<-known.woken
	})
}

func TestAProcessIsOneRowUntilItsLastHolderEnds(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p, first, _ := process(t, d)
		second, known := holder(t, p)
		claim(t, d, "first", first.ID())
		claim(t, d, "second", second.ID())
		known.Add("second")
		if first.ID() == second.ID() || rows(t, d) != 1 {
			t.Errorf("%d rows for %s and %s", rows(t, d), first.ID(), second.ID())
		}
		if err := first.End(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !free(t, d, "first") || free(t, d, "second") || rows(t, d) != 1 {
			t.Errorf("after one ended, held are %q and %q, and %d processes known", holderOf(t, d, "first"), holderOf(t, d, "second"), rows(t, d))
		}
		// As at a restart within the process: rows that others hold are not taken.
		third, _ := holder(t, p)
		if free(t, d, "second") {
			t.Error("a new holder takes from the others of its process")
		}
		for _, h := range []*Holder{second, third} {
			if err := h.End(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if !free(t, d, "second") || rows(t, d) != 0 {
			t.Errorf("at the end %q is held, and %d processes known", holderOf(t, d, "second"), rows(t, d))
		}
	})
}

func TestClaimsOfAnEndedHolderAreReleasedLater(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p, first, _ := process(t, d)
		holder(t, p)
		claim(t, d, "first", first.ID())
		ended, cancel := context.WithCancel(t.Context())
		cancel() // as if the database were away
		if err := first.End(ended); err == nil || free(t, d, "first") {
			t.Fatalf("it is let go: %v", err)
		}
		p.looks(t)
		if !free(t, d, "first") {
			t.Error("it is not let go")
		}
	})
}

func TestTheDeadAreTakenOverFromAtTheStart(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		claim(t, d, "left", "killed/7")
		if d.Dialect() != db.Postgres { // its row is there still: nobody else can be there
			if _, err := d.ProcessSeen(t.Context(), "killed", lapse); err != nil {
				t.Fatal(err)
			}
		}
		process(t, d)
		if !free(t, d, "left") {
			t.Error("it is held")
		}
	})
}

func TestASilentProcessLosesWhatItHolds(t *testing.T) {
	d := onPostgres(t)
	a, h, known := process(t, d)
	b, _, _ := process(t, d)
	claim(t, d, "host", h.ID())
	known.Add("host")
	lease := h.Lease()
	ctx := Under(t.Context(), lease)
	old(t, d, b.ID())
	b.looks(t)
	if free(t, d, "host") || !lease.Good() || Sure(ctx) != nil {
		t.Fatal("it is lost while its process is heard")
	}
	silent(t, d, a.ID(), lifetime+time.Second)
	b.looks(t)
	if !free(t, d, "host") {
		t.Error("the silent process still has it")
	}
	// It is heard again, and learns of it before it does anything.
	if err := a.say(t.Context()); err != nil {
		t.Fatal(err)
	}
	if lease.Good() || !lease.Lost() || !errors.Is(Sure(ctx), ErrLost) || !errors.Is(Sure(context.WithValue(ctx, leaseKey{}, lease)), ErrLost) {
		t.Error("the old lease is good")
	}
	if again, err := h.Confirm(t.Context()); err != nil || !again.Good() {
		t.Errorf("a new one is not: %v", err)
	}
}

func TestAfterAnOutageNoProcessCountsAsDead(t *testing.T) {
	d := onPostgres(t)
	a, h, known := process(t, d)
	b, _, _ := process(t, d)
	claim(t, d, "host", h.ID())
	known.Add("host")
	old(t, d, b.ID())
	for _, p := range []*Process{a, b} { // the database was away
		silent(t, d, p.ID(), time.Minute)
	}
	if err := b.say(t.Context()); err != nil { // it is back, and one of them is quicker
		t.Fatal(err)
	}
	b.looks(t)
	if free(t, d, "host") {
		t.Error("what a living process holds is taken")
	}
}

func TestALeaseIsNotTrustedWhileTheDatabaseIsAway(t *testing.T) {
	d := onPostgres(t)
	p, h, _ := process(t, d)
	lease := h.Lease()
	p.mu.Lock()
	p.heard = time.Now().Add(-lapse)
	p.mu.Unlock()
	if lease.Good() || lease.Lost() {
		t.Errorf("good: %t, lost: %t", lease.Good(), lease.Lost())
	}
	if err := p.say(t.Context()); err != nil || !lease.Good() {
		t.Errorf("not good again, %v", err)
	}
}

func onPostgres(t *testing.T) *db.DB {
	t.Helper()
	dsn := dbtest.Postgres(t)
	if dsn == "" {
		t.Skip("SVC_TEST_POSTGRES is not set")
	}
	t.Parallel()
	return dbtest.Open(t, dsn)
}
