package db_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// insertEvent stores an event as a process does that ends before it wakes anybody, and
// leaves the transaction open.
func insertEvent(t *testing.T, d *db.DB, subject string) (commit func()) {
	t.Helper()
	tx, err := d.Writer().BeginTx(t.Context(), nil)
	if err == nil {
		_, err = tx.ExecContext(t.Context(), "INSERT INTO events (kind, subject, account_id, data, created_at) VALUES ('status', $1, '', '', 0)", subject)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback() })
	return func() {
		if err := tx.Commit(); err != nil {
			t.Error(err)
		}
	}
}

// TestAListenerThatIsCutOffMissesNothing cuts all connections of a process again and
// again, while another one stores events.
func TestAListenerThatIsCutOffMissesNothing(t *testing.T) {
	dsn := onPostgres(t)
	way, through := dbtest.NewProxy(t, dsn)
	d, other := dbtest.Open(t, through), dbtest.Open(t, dsn)
	here, there := watch(t, d), watch(t, other)
	n := 0
	for range 3 {
		for range 20 {
			emit(t, other, strconv.Itoa(n))
			n++
		}
		way.Cut()
		for range 20 {
			emit(t, other, strconv.Itoa(n))
			n++
		}
		there.subjects(n)
		way.Open()
		here.subjects(n)
	}
	if got, want := here.subjects(n), there.subjects(n); !slices.Equal(got, want) {
		t.Errorf("told %v, want %v", got, want)
	}
	here.mu.Lock()
	defer here.mu.Unlock()
	if here.missed {
		t.Error("it says that events were missed")
	}
}

// TestEventsOfAProcessThatEndedBeforeTheirNumbersAreTold stores an event where no process
// numbers any, and ends.
func TestEventsOfAProcessThatEndedBeforeTheirNumbersAreTold(t *testing.T) {
	dsn := onPostgres(t)
	killed, err := db.Open(t.Context(), dsn, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	emit(t, killed, "left")
	if err := killed.Close(); err != nil {
		t.Fatal(err)
	}
	if got := watch(t, dbtest.Open(t, dsn)).subjects(1); !slices.Equal(got, []string{"left"}) {
		t.Errorf("told %v", got)
	}
}

// TestAWriteAfterASweepTellsOfTheGap stops a listener, sweeps what it did not read, and
// stores another event before it listens again.
func TestAWriteAfterASweepTellsOfTheGap(t *testing.T) {
	dbtest.EachReady(t, func(t *testing.T, dsn string) {
		d := dbtest.Open(t, dsn)
		missed, passed := 0, make(chan []db.Event, 10)
		d.Subscribe(func(topic, _ string) {
			if topic == db.AnythingMissed {
				missed++
			}
		})
		d.OnEvents(func(_ string, events []db.Event) { passed <- events })
		listen := func() (stop func()) {
			ctx, cancel := context.WithCancel(context.Background())
			ended := make(chan struct{})
			go func() { defer close(ended); d.Listen(ctx) }()
			return func() { cancel(); <-ended }
		}
		stop := listen()
		for d.EventCursor().Epoch == "" {
			time.Sleep(time.Millisecond)
		}
		emit(t, d, "heard")
		<-passed
		stop()
		there := d // the process that numbers events meanwhile
		numbered := func(int) {}
		if d.Dialect() == db.Postgres {
			there = dbtest.Open(t, dsn)
			w := watch(t, there)
			numbered = func(n int) { w.subjects(n) }
		}
		emit(t, there, "swept")
		numbered(1)
		if err := there.SweepEvents(t.Context(), db.At(time.Now().Add(time.Hour))); err != nil {
			t.Fatal(err)
		}
		emit(t, there, "after")
		numbered(2)
		stop = listen()
		defer stop()
		if got := <-passed; len(got) != 0 || missed != 1 {
			t.Errorf("first it passed on %v, and %d times says that events were missed", got, missed)
		}
		if got := <-passed; len(got) != 1 || got[0].Subject != "after" {
			t.Errorf("then it passed on %v", got)
		}
	})
}

// TestALongTransactionHoldsNothingBack leaves a transaction with an event open. Each of
// the events that are committed meanwhile is found by a read without a notification, so
// that there are several of those before it commits.
func TestALongTransactionHoldsNothingBack(t *testing.T) {
	dsn := onPostgres(t)
	d, other := dbtest.Open(t, dsn), dbtest.Open(t, dsn)
	w := watch(t, d)
	long := insertEvent(t, other, "long")
	for i, subject := range []string{"one", "two", "three"} {
		insertEvent(t, other, subject)()
		if got := w.subjects(i + 1); got[i] != subject {
			t.Errorf("told %v", got)
		}
	}
	long()
	if got := w.subjects(4); !slices.Equal(got, []string{"one", "two", "three", "long"}) {
		t.Errorf("told %v", got)
	}
}

// TestTwoProcessesNumberManyEventsOnce: each of two processes stores more events at once
// than one numbering takes.
func TestTwoProcessesNumberManyEventsOnce(t *testing.T) {
	dsn := onPostgres(t)
	processes := []*db.DB{dbtest.Open(t, dsn), dbtest.Open(t, dsn)}
	watchers := []*watcher{watch(t, processes[0]), watch(t, processes[1])}
	const each = 3500
	var writing sync.WaitGroup
	for k, d := range processes {
		events := make([]db.Event, each)
		for i := range events {
			events[i] = db.Event{Kind: db.EventStatus, Subject: fmt.Sprintf("%d-%d", k, i)}
		}
		writing.Go(func() {
			if err := d.Emit(t.Context(), events...); err != nil {
				t.Error(err)
			}
		})
	}
	writing.Wait()
	first, second := watchers[0].subjects(2*each), watchers[1].subjects(2*each)
	if !slices.Equal(first, second) {
		t.Error("two processes tell events in different orders")
	}
	slices.Sort(first)
	if n := len(slices.Compact(first)); n != 2*each {
		t.Errorf("%d events, want %d", n, 2*each)
	}
}

// TestACopyThatIsPutBackIsAGap puts a database back under a process that reads its events:
// the numbers of later ones were given before. It reads on from there, says that some were
// missed, and their epoch is another, as it is after one was drawn by hand.
func TestACopyThatIsPutBackIsAGap(t *testing.T) {
	dbtest.EachReady(t, func(t *testing.T, dsn string) {
		d := dbtest.Open(t, dsn)
		w := watch(t, d)
		for _, subject := range []string{"a", "b", "c", "d"} {
			emit(t, d, subject)
		}
		w.subjects(4)
		before := d.EventCursor()
		again := func(subject string) {
			t.Helper()
			for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
				w.mu.Lock()
				missed, seen := w.missed, slices.ContainsFunc(w.seen, func(e db.Event) bool { return e.Subject == subject })
				w.mu.Unlock()
				switch {
				case missed && seen && d.EventCursor().Epoch != before.Epoch:
					return
				case time.Now().After(end):
					t.Fatalf("missed: %v, %q is read: %v, at %v after %v", missed, subject, seen, d.EventCursor(), before)
				case missed && !seen: // it goes on from now
					emit(t, d, subject)
				}
			}
		}
		head := "UPDATE sqlite_sequence SET seq = 2 WHERE name = 'events'"
		if d.Dialect() == db.Postgres {
			head = "UPDATE event_head SET seq = 2"
		}
		for _, q := range []string{"DELETE FROM events WHERE seq > 2", head} {
			if err := dbtest.Exec(t, d, q); err != nil {
				t.Fatal(err)
			}
		}
		again("after")
		before = d.EventCursor()
		w.mu.Lock()
		w.missed = false
		w.mu.Unlock()
		if err := d.DrawEventEpoch(t.Context(), "another"); err != nil {
			t.Fatal(err)
		}
		if now, err := d.EventHead(t.Context()); err != nil || now.Epoch != before.Epoch {
			t.Errorf("drawn by who does not know the one of before: %v, %v", now, err)
		}
		if err := d.DrawEventEpoch(t.Context(), before.Epoch); err != nil {
			t.Fatal(err)
		}
		again("drawn")
	})
}
