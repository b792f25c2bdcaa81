package db_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// TestOtherProcessesHearWhoseCountsChanged announces changed counts in one
// process. Another process gets them once they are committed, also more of them
// than fit one notification.
func TestOtherProcessesHearWhoseCountsChanged(t *testing.T) {
	dsn := onPostgres(t)
	here, there := dbtest.Open(t, dsn), dbtest.Open(t, dsn)
	var mu sync.Mutex
	heard := map[string]bool{}
	there.Subscribe(func(topic, payload string) {
		mu.Lock()
		defer mu.Unlock()
		if topic == db.CountsChanged {
			for _, id := range strings.Split(payload, ",") {
				heard[id] = true
			}
		}
	})
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for _, d := range []*db.DB{here, there} {
		running.Go(func() { d.Listen(ctx) })
	}
	defer running.Wait()
	defer stop()
	count := func(d *db.DB, id string) {
		t.Helper()
		if err := d.AddCounts(ctx, id, db.Counts{Statuses: 1}); err != nil {
			t.Error(err)
		}
	}
	hears := func(id string) {
		t.Helper()
		for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			mu.Lock()
			ok := heard[id]
			mu.Unlock()
			switch {
			case ok:
				return
			case time.Now().After(end):
				t.Fatalf("%s is not heard of", id)
			}
		}
	}
	// The listener needs a moment to start.
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		count(here, "first")
		mu.Lock()
		ok := heard["first"]
		mu.Unlock()
		if ok {
			break
		}
	}
	_ = here.Tx(ctx, func(tx *db.DB) error {
		count(tx, "undone")
		return errors.New("no")
	})
	for i := range 700 { // more than one notification holds
		count(here, fmt.Sprintf("a%017d", i))
	}
	for i := range 700 {
		hears(fmt.Sprintf("a%017d", i))
	}
	mu.Lock()
	defer mu.Unlock()
	if heard["undone"] {
		t.Error("what was rolled back is told")
	}
}

func TestASubscriberThatPanicsEndsNothing(t *testing.T) {
	dbtest.EachReady(t, func(t *testing.T, dsn string) {
		here, there := dbtest.Open(t, dsn), dbtest.Open(t, dsn)
		if here.Dialect() == db.SQLite {
			there = here // where one process serves
		}
		heard := make(chan string, 100)
		there.Subscribe(func(topic, _ string) { panic("cannot hear " + topic) })
		there.Subscribe(func(topic, payload string) {
			if topic == db.AccountChanged {
				heard <- payload
			}
		})
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { there.Listen(ctx) })
		defer running.Wait()
		defer stop()
		for range 2 {
			for end := time.After(10 * time.Second); ; {
				if err := here.Announce(t.Context(), db.AccountChanged, "ann"); err != nil {
					t.Fatal(err)
				}
				select {
				case <-heard:
				case <-time.After(10 * time.Millisecond):
					continue
				case <-end:
					t.Fatal("nothing is heard any more")
				}
				break
			}
		}
	})
}

// TestALostAnswerToCommitIsHeardOfOnce cuts a process off while it waits for the answer to
// a COMMIT. The process hears of what it announced, and of notices with an answer once
// too, though it reads them back as well.
func TestALostAnswerToCommitIsHeardOfOnce(t *testing.T) {
	dsn := onPostgres(t)
	way, through := dbtest.NewProxy(t, dsn)
	here, other := dbtest.Open(t, through), dbtest.Open(t, dsn)
	for _, q := range []string{
		"CREATE TABLE slow (n INTEGER)",
		"CREATE FUNCTION wait() RETURNS TRIGGER LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(1); RETURN NULL; END'",
		"CREATE CONSTRAINT TRIGGER waits AFTER INSERT ON slow DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait()",
	} {
		if err := dbtest.Exec(t, other, q); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	heard := map[string]int{}
	here.Subscribe(func(topic, payload string) {
		mu.Lock()
		defer mu.Unlock()
		heard[topic+" "+payload]++
	})
	times := func(what string) int {
		mu.Lock()
		defer mu.Unlock()
		return heard[what]
	}
	w := watch(t, here)
	announce := func(d *db.DB, payload string) error { return d.Announce(t.Context(), db.AccountChanged, payload) }
	if err := errors.Join(announce(here, "alone"), here.Tx(t.Context(), func(tx *db.DB) error {
		return errors.Join(announce(tx, "twice"), announce(tx, "twice"), announce(tx, "another"))
	}), announce(here, "alone")); err != nil {
		t.Fatal(err)
	}
	for what, want := range map[string]int{"account alone": 2, "account twice": 1, "account another": 1} {
		if n := times(what); n != want {
			t.Errorf("%q is told %d times at once, want %d", what, n, want)
		}
	}
	lost := make(chan error, 1)
	go func() {
		lost <- here.Tx(t.Context(), func(tx *db.DB) error {
			raw, err := tx.SQLTx()
			if err == nil {
				_, err = raw.ExecContext(t.Context(), "INSERT INTO slow VALUES (1)")
			}
			return errors.Join(err, announce(tx, "lost"))
		})
	}()
	until := func(query string) {
		t.Helper()
		for n := 0; n == 0; time.Sleep(10 * time.Millisecond) {
			if err := other.Writer().QueryRowContext(t.Context(), query).Scan(&n); err != nil {
				t.Fatal(err)
			}
		}
	}
	until("SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'")
	way.Stall()
	until("SELECT COUNT(*) FROM slow")
	way.Cut()
	way.Flow()
	if err := <-lost; !errors.Is(err, db.ErrUnavailable) {
		t.Errorf("the COMMIT ended with %v", err)
	}
	if n := times("account lost"); n != 0 {
		t.Errorf("what has no answer is told %d times", n)
	}
	way.Open()
	for end := time.Now().Add(time.Minute); times("account lost") == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it never hears of what it did")
		}
	}
	emit(t, here, "end")
	for w.subjects(6)[5] != "end" {
		t.Fatalf("read %v", w.subjects(6))
	}
	for what, want := range map[string]int{"account alone": 2, "account twice": 1, "account another": 1, "account lost": 1} {
		if n := times(what); n != want {
			t.Errorf("%q is told %d times, want %d", what, n, want)
		}
	}
}
