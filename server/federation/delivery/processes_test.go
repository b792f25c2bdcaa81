package delivery_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

func TestARestartGoesOnWhereTheOldProcessStopped(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		p := newPeer(t)
		p.hold = make(chan struct{})
		w.follower(p, "bob")
		if err := w.Start(context.Background()); err != nil {
			t.Fatal(err)
		}
		const posts = 30 // few, since the first ones are held for less than the time that a call may take
		for i := range posts {
			w.queue("Create", fmt.Sprint(i), public)
		}
		w.until("some are under way", func() bool { _, calls := p.all(); return len(calls) == 4 && w.depth().Undistributed == 0 })
		// Deliveries under way may end, and so may those that begin until then; the rest
		// stays.
		stopped := make(chan struct{})
		go func() { w.end(w.Service); close(stopped) }()
		close(p.hold)
		<-stopped
		before, _ := p.all()
		if n := len(before); n < 4 || n == posts || w.depth().Deliveries != int64(posts-n) {
			t.Errorf("%d came, %+v waits", len(before), w.depth())
		}
		w.make()
		w.start()
		w.idle()
		once(t, p, posts)
	})
}

// once holds a peer to have taken so many activities, each once.
func once(t *testing.T, p *peer, n int) {
	t.Helper()
	taken, _ := p.all()
	var ids []string
	for _, g := range taken {
		ids = append(ids, g.ID+g.Path)
	}
	slices.Sort(ids)
	if len(ids) != n || len(slices.Compact(ids)) != n {
		t.Errorf("%d came, want %d, each once", len(taken), n)
	}
}

func TestTheHostsOfADeadProcessAreTakenOver(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		p := newPeer(t)
		w.follower(p, "bob")
		a := w.queue("Create", "o", public)
		// A process claimed the host, and was never seen again.
		if _, err := w.db.Distribute(t.Context(), db.Chunk{ActivityID: a.ID, Done: true, Deliveries: []db.Delivery{
			{Inbox: p.url + "/inbox", Host: p.host, ObjectURI: "o", Priority: db.PriorityPost},
		}}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.db.ProcessSeen(t.Context(), "dead", time.Minute); err != nil {
			t.Fatal(err)
		}
		claimed, err := w.db.ClaimHosts(t.Context(), "dead/1", 10)
		if err != nil || len(claimed) != 1 {
			t.Fatalf("claimed %v %v", claimed, err)
		}
		if w.db.Dialect() == db.Postgres { // on SQLite there is no other process
			w.start()
			w.until("a look", func() bool { return w.depth().Deliveries == 1 })
			if taken, _ := p.all(); len(taken) > 0 {
				t.Errorf("taken from a living process: %v", taken)
			}
			w.end(w.Service)
			w.make()
			if err := w.db.ProcessGone(t.Context(), "dead"); err != nil {
				t.Fatal(err)
			}
		}
		w.start()
		w.idle()
		once(t, p, 1)
	})
}

func TestTwoProcessesDeliverEachActivityOnce(t *testing.T) {
	dbtest.EachReady(t, func(t *testing.T, dsn string) {
		c := newClock()
		w := newWorld(t, dsn, c)
		if w.db.Dialect() != db.Postgres {
			return // there one process serves
		}
		other := newWorld(t, dsn, c)
		var peers []*peer
		for range 5 {
			p := newPeer(t)
			for i := range 5 {
				w.follower(p, fmt.Sprint("f", i))
			}
			peers = append(peers, p)
		}
		w.start()
		other.start()
		const posts = 40
		for i := range posts {
			w.queue("Create", fmt.Sprint(i), public)
			if i%4 == 0 {
				other.queue("Create", fmt.Sprint("copy", i), db.Audience{Followers: true, Personal: true})
			}
		}
		w.until("all came", func() bool { other.Wake(); return w.depth() == db.QueueDepth{} })
		for _, p := range peers {
			once(t, p, posts+posts/4*5)
			if p.most > 4 {
				t.Errorf("%d calls at once", p.most)
			}
		}
		// Who has a host keeps it while there is something to send, so that one of
		// them may do all.
		if n := w.Counts().Delivered + other.Counts().Delivered; n != int64(len(peers)*(posts+posts/4*5)) {
			t.Errorf("%d deliveries: %+v %+v", n, w.Counts(), other.Counts())
		}
	})
}

func TestDeliveriesForADeadHostAreBounded(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		p := newPeer(t)
		w.follower(p, "bob")
		a := w.queue("Create", "o", db.Audience{})
		var rows []db.Delivery
		for i := range 300 {
			rows = append(rows, db.Delivery{Inbox: fmt.Sprint(p.url, "/", i), Host: p.host, Priority: db.PriorityPerson + i%5})
		}
		if _, err := w.db.Distribute(t.Context(), db.Chunk{ActivityID: a.ID, Done: true, Deliveries: rows}); err != nil {
			t.Fatal(err)
		}
		n, err := w.db.TrimHost(t.Context(), p.host, 100)
		if err != nil || n != 200 {
			t.Errorf("dropped %d, %v", n, err)
		}
		left := w.deliveries()
		for _, x := range left {
			if x.Priority > db.PriorityPost {
				t.Errorf("%+v is left", x)
			}
		}
		if len(left) != 100 || w.depth().Deliveries != 100 {
			t.Errorf("%d left, %+v", len(left), w.depth())
		}
	})
}

func TestOldActivitiesAreSwept(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		p := newPeer(t)
		p.answers(http.StatusInternalServerError)
		w.follower(p, "bob")
		w.start()
		w.queue("Create", "1", public)
		w.until("it failed", func() bool {
			return w.Counts().Failed == 1 && len(w.deliveries()) == 1 && w.deliveries()[0].Attempt == 1
		})
		w.queue("Create", "2", db.Audience{})
		w.until("it is distributed", func() bool { return w.depth().Undistributed == 0 })
		rest := func() (n int) {
			if err := w.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := w.db.Writer().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM activities").Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		if n := rest(); n != 2 {
			t.Errorf("%d activities on the first day", n)
		}
		w.end(w.Service)
		w.clock.add(8 * 24 * time.Hour)
		if n := rest(); n != 1 {
			t.Errorf("%d activities after a week, want the one that waits", n)
		}
		w.clock.add(30 * 24 * time.Hour)
		if n := rest(); n != 0 || w.depth() != (db.QueueDepth{}) && w.depth().Deliveries > 0 {
			t.Errorf("%d activities after a month, %+v", n, w.depth())
		}
	})
}

func TestAHostThatItsHolderDoesNotKnowOfIsLetGo(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		p := newPeer(t)
		w.start()
		a := &db.Activity{URI: base + "/activities/1", AccountID: w.author.ID, Type: "Create", ObjectURI: "o", Body: `{"id":"1"}`, Priority: db.PriorityPost}
		// The claim of a host is committed, and its answer is lost.
		var process string
		if err := w.db.Writer().QueryRowContext(t.Context(), "SELECT id FROM processes").Scan(&process); err != nil {
			t.Fatal(err)
		}
		err := w.db.Tx(t.Context(), func(tx *db.DB) error {
			if err := tx.QueueActivity(t.Context(), a); err != nil {
				return err
			}
			if _, err := tx.Distribute(t.Context(), db.Chunk{ActivityID: a.ID, Done: true, Deliveries: []db.Delivery{
				{Inbox: p.url + "/inbox", Host: p.host, ObjectURI: "o", Priority: db.PriorityPost},
			}}); err != nil {
				return err
			}
			_, err := tx.ClaimHosts(t.Context(), process+"/1", 10)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		w.idle()
		once(t, p, 1)
	})
}
