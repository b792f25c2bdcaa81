package db_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// watch reads the events of d while the test runs.
func watch(t *testing.T, d *db.DB) *watcher {
	t.Helper()
	w := &watcher{t: t}
	d.OnEvents(func(_ string, events []db.Event) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.missed = w.missed || len(events) == 0
		w.seen = append(w.seen, events...)
	})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); d.Listen(ctx) }()
	t.Cleanup(func() { stop(); <-ended })
	for d.EventCursor().Epoch == "" {
		time.Sleep(time.Millisecond)
	}
	return w
}

type watcher struct {
	t      *testing.T
	mu     sync.Mutex
	seen   []db.Event
	missed bool
}

// subjects waits for n events and returns their subjects.
func (w *watcher) subjects(n int) []string {
	w.t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(2 * time.Millisecond) {
		w.mu.Lock()
		seen := slices.Clone(w.seen)
		w.mu.Unlock()
		var out []string
		for i, e := range seen {
			if i > 0 && e.Seq != seen[i-1].Seq+1 {
				w.t.Fatalf("number %d follows %d", e.Seq, seen[i-1].Seq)
			}
			out = append(out, e.Subject)
		}
		if len(out) >= n {
			return out
		}
		if time.Now().After(end) {
			w.t.Fatalf("%d events, want %d: %v", len(out), n, out)
		}
	}
}

func emit(t *testing.T, d *db.DB, subject string) {
	t.Helper()
	if err := d.Emit(t.Context(), db.Event{Kind: db.EventStatus, Subject: subject}); err != nil {
		t.Error(err)
	}
}

// TestEventsAreToldOnceTheyAreCommitted stores events in transactions that
// commit and in one that rolls back.
func TestEventsAreToldOnceTheyAreCommitted(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := watch(t, d)
		undone := d.Tx(t.Context(), func(tx *db.DB) error {
			emit(t, tx, "undone")
			return errors.New("no")
		})
		if undone == nil {
			t.Fatal("the transaction was committed")
		}
		err := d.Tx(t.Context(), func(tx *db.DB) error {
			emit(t, tx, "a")
			emit(t, tx, "a") // told once
			emit(t, tx, "b")
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		emit(t, d, "c")
		if got := w.subjects(3); !slices.Equal(got, []string{"a", "b", "c"}) {
			t.Errorf("told %v", got)
		}
	})
}

// TestATransactionThatCommitsLateIsMissedByNobody commits events in another
// order than they were stored in, while a further transaction stays open.
func TestATransactionThatCommitsLateIsMissedByNobody(t *testing.T) {
	dsn := onPostgres(t)
	d, other := dbtest.Open(t, dsn), dbtest.Open(t, dsn)
	w := watch(t, d)
	// Events are the last statement of a transaction. These are stored by hand, so
	// that others can commit before.
	insertEvent(t, other, "open")
	late := insertEvent(t, other, "late")
	emit(t, d, "early")
	if got := w.subjects(1); !slices.Equal(got, []string{"early"}) {
		t.Errorf("told %v", got)
	}
	late() // committed by a process that sends no notification
	if got := w.subjects(2); !slices.Equal(got, []string{"early", "late"}) {
		t.Errorf("told %v", got)
	}
}

// TestTwoProcessesNumberEachEventOnce: two processes store and number events at
// once, and both read all of them in one order.
func TestTwoProcessesNumberEachEventOnce(t *testing.T) {
	dsn := onPostgres(t)
	processes := []*db.DB{dbtest.Open(t, dsn), dbtest.Open(t, dsn)}
	watchers := []*watcher{watch(t, processes[0]), watch(t, processes[1])}
	const writers, each = 4, 50
	var writing sync.WaitGroup
	for k := range writers {
		writing.Go(func() {
			for i := range each {
				emit(t, processes[k%2], fmt.Sprintf("%d-%d", k, i))
			}
		})
	}
	writing.Wait()
	first, second := watchers[0].subjects(writers*each), watchers[1].subjects(writers*each)
	if !slices.Equal(first, second) {
		t.Error("two processes tell events in different orders")
	}
	slices.Sort(first)
	if n := len(slices.Compact(first)); n != writers*each {
		t.Errorf("%d events, want %d", n, writers*each)
	}
}

// TestEventsAreKeptForAWhile sweeps events; later numbers continue.
func TestEventsAreKeptForAWhile(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		w := watch(t, d)
		emit(t, d, "a")
		w.subjects(1)
		before, err := d.EventHead(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.SweepEvents(ctx, db.At(d.Now().Time.Add(time.Hour))); err != nil {
			t.Fatal(err)
		}
		head, err := d.EventHead(ctx)
		if err != nil || head != before {
			t.Errorf("the head is %v (%v), was %v", head, err, before)
		}
		emit(t, d, "b")
		if got := w.subjects(2); !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("told %v", got)
		}
		w.mu.Lock()
		if w.missed {
			t.Error("it says that events were missed")
		}
		w.mu.Unlock()
	})
}

// TestWhoWasAwayWhileEventsWereSweptTrustsNothing stops a listener, sweeps the
// events that it did not read, and starts it again without a new event.
func TestWhoWasAwayWhileEventsWereSweptTrustsNothing(t *testing.T) {
	dsn := onPostgres(t)
	d, other := dbtest.Open(t, dsn), dbtest.Open(t, dsn)
	missed, passed := make(chan struct{}, 10), make(chan []db.Event, 10)
	d.Subscribe(func(topic, _ string) {
		if topic == db.AnythingMissed {
			missed <- struct{}{}
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
	emit(t, d, "heard")
	if got := <-passed; len(got) != 1 || got[0].Subject != "heard" {
		t.Fatalf("heard %+v", got)
	}
	stop()
	w := watch(t, other)
	if err := other.Announce(t.Context(), db.RelaysChanged, ""); err != nil {
		t.Fatal(err)
	}
	w.subjects(1)
	if err := other.SweepEvents(t.Context(), db.At(time.Now().Add(time.Hour))); err != nil {
		t.Fatal(err)
	}
	defer listen()()
	select {
	case <-missed:
	case <-time.After(time.Minute):
		t.Fatal("it trusts what it knew before")
	}
	if got := <-passed; len(got) != 0 {
		t.Errorf("passed on %+v", got)
	}
}

// TestEventsForAReaderAreFoundByTheirNumbers: what is passed over is read in the order of
// the index.
func TestEventsForAReaderAreFoundByTheirNumbers(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := watch(t, d)
		for _, e := range []db.Event{{Kind: "notice.x", Subject: "notice"}, {Kind: db.EventStatus, Subject: "public"}, {Kind: db.EventChat, Subject: "mine", AccountID: "me"},
			{Kind: db.EventChat, Subject: "theirs", AccountID: "they"}, {Kind: db.EventStatus, Subject: "later"}, {Kind: db.EventStatus, Subject: "last"}} {
			if err := d.Emit(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
		w.subjects(6)
		for me, want := range map[string][]string{"me": {"public", "mine", "later"}, "": {"public", "later"}} {
			var got []string
			for sql, plan := range dbtest.Plans(t, d, func(ctx context.Context) {
				events, err := d.EventsFor(ctx, me, 0, 5, 10)
				if err != nil {
					t.Error(err)
				}
				for _, e := range events {
					got = append(got, e.Subject)
				}
			}) {
				if waste := dbtest.Wasteful(plan); len(waste) > 0 {
					t.Errorf("%q\n%q\n%s", waste, plan, sql)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q reads %v, want %v", me, got, want)
			}
		}
	})
}

// TestPositionsAreText reads positions back, and refuses anything else.
func TestPositionsAreText(t *testing.T) {
	p := db.EventPosition{Epoch: "ab12", Seq: 7}
	if got, ok := db.ParseEventPosition(p.String()); !ok || got != p {
		t.Errorf("%v became %v, %v", p, got, ok)
	}
	for _, text := range []string{"", "7", ".7", "ab.", "ab.x", "ab.-1", "ab.99999999999999999999"} {
		if got, ok := db.ParseEventPosition(text); ok {
			t.Errorf("%q is %v", text, got)
		}
	}
}
