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
