package db_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
)

// TestSendingReadsOnlyWhatIsDue holds the recurring queries of deliveries to
// indexes: with any length of the queue, no table is read whole, and no queue
// sorted.
func TestSendingReadsOnlyWhatIsDue(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		seedQueue(t, d)
		asks := map[string]func(ctx context.Context) error{
			"hosts": func(ctx context.Context) error { _, err := d.ClaimHosts(ctx, "me", 10); return err },
			"due": func(ctx context.Context) error {
				_, err := d.DueDeliveries(ctx, []string{"h1.example", "h2.example"})
				return err
			},
			"activity":   func(ctx context.Context) error { _, err := d.NextActivity(ctx, "me"); return err },
			"followers":  func(ctx context.Context) error { _, err := d.RemoteFollowers(ctx, "a", "", 10); return err },
			"rebloggers": func(ctx context.Context) error { _, err := d.RemoteRebloggers(ctx, "s", "", 10); return err },
			"admirers":   func(ctx context.Context) error { _, err := d.RemoteFavouriters(ctx, "s", "", 10); return err },
			"responders": func(ctx context.Context) error { _, err := d.RemoteReactors(ctx, "s", "", 10); return err },
			"repliers":   func(ctx context.Context) error { _, err := d.RemoteRepliers(ctx, "s", "", 10); return err },
			"fetchers":   func(ctx context.Context) error { _, err := d.FetcherInboxes(ctx, "s", "", 10); return err },
			"reached":    func(ctx context.Context) error { _, err := d.ReachedInboxes(ctx, "a", "", 10); return err },
			"shared":     func(ctx context.Context) error { _, err := d.SharedInboxes(ctx, "", 10); return err },
			"personal":   func(ctx context.Context) error { _, err := d.PersonalInboxes(ctx, "", 10); return err },
			"failing": func(ctx context.Context) error {
				_, err := d.HostStates(ctx, db.HostFilter{Kind: db.HostsFailing, Limit: 10})
				return err
			},
			"waiting": func(ctx context.Context) error {
				_, err := d.HostStates(ctx, db.HostFilter{Kind: db.HostsWaiting, Limit: 10})
				return err
			},
			"all hosts": func(ctx context.Context) error {
				_, err := d.HostStates(ctx, db.HostFilter{After: "h", Limit: 10})
				return err
			},
			"results": func(ctx context.Context) error {
				return d.StoreDeliveryResults(ctx, "me", db.DeliveryResults{Done: []int64{1, 2}, Retries: []db.DeliveryRetry{{ID: 3, Attempt: 1, NextAt: d.Now()}}, Behind: []db.DeliveryPredecessor{{ID: 4, Of: 3}},
					Reached: []db.ReachedInbox{{AccountID: "a", Inbox: "i"}}, Up: []string{"h1.example"}, Back: []string{"h1.example"},
					Down: []db.HostDown{{Host: "h2.example", Failures: 1, RetryAt: d.Now()}}, Gone: []db.GoneInbox{{Inbox: "i", Host: "h"}}, Release: []string{"h1.example"}})
			},
			"trim": func(ctx context.Context) error { _, err := d.TrimHost(ctx, "h3.example", 2); return err },
		}
		// A page of one host's deliveries is sorted, and so are the first hosts
		// of the five priorities.
		few := []string{"USE TEMP B-TREE FOR ORDER BY", "UNION USING TEMP B-TREE", "SCAN q", "SCAN d", "SCAN p1", "SCAN p2", "SCAN p3", "SCAN p4", "SCAN p5", "->  Sort", "Sort"}
		for name, ask := range asks {
			for sql, plan := range dbtest.Plans(t, d, func(ctx context.Context) {
				if err := ask(ctx); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}) {
				waste := slices.DeleteFunc(dbtest.Wasteful(plan), func(line string) bool {
					return slices.Contains(few, line) && (name == "hosts" || name == "due" || name == "trim") || strings.HasPrefix(line, "Sort Key") ||
						strings.HasPrefix(line, "SCAN CONSTANT") || strings.Contains(sql, "INSERT INTO")
				})
				if len(waste) > 0 {
					t.Errorf("%s: %q\n%q\n%s", name, waste, plan, sql)
				}
			}
		}
	})
}

// TestDueDeliveriesOfManyHostsAreReadTogether counts the statements on
// PostgreSQL, where each costs a round trip. Both databases return the same
// rows.
func TestDueDeliveriesOfManyHostsAreReadTogether(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		seedQueue(t, d)
		hosts := []string{"h1.example", "h2.example", "h3.example", "unknown.example"}
		var together map[string][]db.DueDelivery
		n := dbtest.Queries(t, func(ctx context.Context) {
			var err error
			if together, err = d.DueDeliveries(ctx, hosts); err != nil {
				t.Fatal(err)
			}
		})
		if d.Dialect() == db.Postgres && n != 1 {
			t.Errorf("%d statements", n)
		}
		some := 0
		for _, h := range hosts {
			alone, err := d.DueDeliveries(t.Context(), []string{h})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(alone[h], together[h]); diff != "" {
				t.Errorf("%s (-alone +together):\n%s", h, diff)
			}
			some += len(alone[h])
		}
		if some == 0 {
			t.Error("nothing is due")
		}
	})
}

// seedQueue inserts activities with deliveries to some hosts.
func seedQueue(t *testing.T, d *db.DB) {
	t.Helper()
	ctx := t.Context()
	for i := range 5 {
		a := &db.Activity{URI: fmt.Sprint("https://svc.example/activities/", i), AccountID: "a", Type: "Create", ObjectURI: "o", Body: "{}", Priority: 2}
		if err := d.QueueActivity(ctx, a); err != nil {
			t.Fatal(err)
		}
		if i == 4 {
			continue // it waits for its recipients
		}
		var rows []db.Delivery
		for h := range 20 {
			host := fmt.Sprintf("h%d.example", h)
			rows = append(rows, db.Delivery{Inbox: "https://" + host + "/inbox", Host: host, ObjectURI: "o", Priority: 2})
		}
		if mine, err := d.Distribute(ctx, db.Chunk{ActivityID: a.ID, Done: true, Deliveries: rows}); err != nil || !mine {
			t.Fatal(mine, err)
		}
	}
}

// TestAGoneInboxIsTriedAgain marks inboxes as gone. They are tried again after
// a week, or as soon as their host sends a valid request.
func TestAGoneInboxIsTriedAgain(t *testing.T) {
	dbtest.EachReady(t, func(t *testing.T, dsn string) {
		now := time.Now()
		d, ctx := dbtest.OpenAt(t, dsn, func() time.Time { return now }), t.Context()
		const one, two = "https://one.example/inbox", "https://two.example/inbox"
		mark := func() {
			t.Helper()
			gone := []db.GoneInbox{{Inbox: one, Host: "one.example"}, {Inbox: two, Host: "two.example"}}
			if err := d.StoreDeliveryResults(ctx, "", db.DeliveryResults{Gone: gone}); err != nil {
				t.Fatal(err)
			}
		}
		want := func(when string, inboxes ...string) {
			t.Helper()
			gone, err := d.GoneInboxes(ctx, []string{one, two, "https://three.example/inbox"})
			if got := slices.Sorted(maps.Keys(gone)); err != nil || !slices.Equal(got, inboxes) {
				t.Errorf("%s: gone are %v: %v", when, got, err)
			}
		}
		heard := func() {
			t.Helper()
			if err := d.HostSeen(ctx, "one.example"); err != nil {
				t.Fatal(err)
			}
		}
		heard()
		mark()
		want("at first", one, two)
		heard()
		want("once one host is heard of again", two)
		now = now.Add(8 * 24 * time.Hour)
		want("a week later")
		mark()
		want("when they are still gone", one, two)
	})
}

// TestABrokenActivityHoldsUpNoOther: an unreadable activity is skipped, and the
// next one is distributed.
func TestABrokenActivityHoldsUpNoOther(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for i, audience := range []string{"[7]", "{}"} {
			if err := dbtest.Exec(t, d, `INSERT INTO activities (id, uri, account_id, type, body, priority, audience, created_at) VALUES (?, ?, 'a', 'Create', '{}', 1, ?, 1)`,
				i+1, fmt.Sprint("https://svc.example/", i), audience); err != nil {
				t.Fatal(err)
			}
		}
		if a, err := d.NextActivity(t.Context(), "me"); err != nil || a.ID != 2 {
			t.Errorf("%+v, %v", a, err)
		}
	})
}

// TestAnActivityIsDistributedByOneHolder: others go on with the next ones, and take over
// from a holder that ended.
func TestAnActivityIsDistributedByOneHolder(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), dbtest.Open(t, onPostgres(t))
	queue := func(uri, object string, priority int) int64 {
		t.Helper()
		a := &db.Activity{URI: uri, AccountID: "a", Type: "Create", ObjectURI: object, Body: "{}", Priority: priority}
		must(t, d.Tx(ctx, func(tx *db.DB) error { return tx.QueueActivity(ctx, a) }))
		return a.ID
	}
	next := func(holder string, want int64) {
		t.Helper()
		a, err := d.NextActivity(ctx, holder)
		switch {
		case want == 0 && errors.Is(err, db.ErrNotFound):
		case err != nil || a.ID != want:
			t.Errorf("%s distributes %+v, %v, want %d", holder, a, err, want)
		}
	}
	one, about := queue("https://us.example/1", "https://us.example/o", db.PriorityPost), queue("https://us.example/2", "https://us.example/o", db.PriorityPost)
	two := queue("https://us.example/3", "", db.PriorityPost)
	next("p/1", one)
	next("p/1", one)
	next("q/1", two) // the second is about the object of the first
	next("r/1", 0)
	urgent := queue("https://us.example/4", "", db.PriorityPerson)
	next("p/1", urgent)
	next("r/1", 0)
	if mine, err := d.Distribute(ctx, db.Chunk{ActivityID: urgent, Done: true}); err != nil || !mine {
		t.Error(mine, err)
	}
	next("p/1", one)
	if mine, err := d.Distribute(ctx, db.Chunk{ActivityID: one, To: "followers:x"}); err != nil || !mine {
		t.Error(mine, err)
	}
	_, err := d.ReviveClaims(ctx, []string{"p/1"})
	must(t, err)
	next("r/1", one)
	if mine, err := d.Distribute(ctx, db.Chunk{ActivityID: one, From: "followers:x", Done: true}); err != nil || !mine {
		t.Error(mine, err)
	}
	next("q/1", about) // its process is unknown, and lost what it had too
	next("r/1", two)

	// Many at once: each activity has one holder.
	for i := range 20 {
		queue(fmt.Sprint("https://us.example/many/", i), "", db.PriorityPost)
	}
	var (
		mu  sync.Mutex
		all sync.WaitGroup
		by  = map[int64]string{}
	)
	for i := range 8 {
		all.Go(func() {
			holder := fmt.Sprint("z/", i)
			a, err := d.NextActivity(ctx, holder)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if other := by[a.ID]; other != "" {
				t.Errorf("%s and %s distribute %d", other, holder, a.ID)
			}
			by[a.ID] = holder
		})
	}
	all.Wait()
}
