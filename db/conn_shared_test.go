package db_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// line puts transactions in line behind one that holds the writer of SQLite, so that
// they share a commit.
type line struct {
	t       *testing.T
	d       *db.DB
	resume  chan struct{}
	members sync.WaitGroup
}

var errHeld = errors.New("held")

// newLine begins a transaction that holds the writer until run.
func newLine(t *testing.T, d *db.DB) *line {
	t.Helper()
	l := &line{t: t, d: d, resume: make(chan struct{})}
	d.ShareFor(time.Minute)
	began := make(chan struct{})
	l.members.Go(func() { // it fails, so that the others begin a shared transaction
		err := d.Tx(t.Context(), func(*db.DB) error { close(began); <-l.resume; return errHeld })
		if !errors.Is(err, errHeld) {
			t.Error("the first:", err)
		}
	})
	<-began
	return l
}

// add begins a transaction, which waits behind those before, and passes its outcome to
// ended.
func (l *line) add(ctx context.Context, fn func(tx *db.DB) error, ended func(err error)) {
	l.t.Helper()
	before, _ := l.d.WriterWaits()
	l.members.Go(func() {
		var err error
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panicked: %v", p)
			}
			ended(err)
		}()
		err = l.d.Tx(ctx, fn)
	})
	for waits := before; waits == before; waits, _ = l.d.WriterWaits() {
		time.Sleep(time.Millisecond)
	}
}

// run has them all run, and waits for the last.
func (l *line) run() {
	close(l.resume)
	l.members.Wait()
}

// write stores a row that has a name.
func write(ctx context.Context, tx *db.DB, name string) error {
	return tx.CreateAccount(ctx, db.NewAccount(dbtest.Base, name))
}

// written returns which of the names have a row that others see.
func written(t *testing.T, d *db.DB, names ...string) (out []string) {
	t.Helper()
	for _, name := range names {
		_, err := d.AccountByNickname(context.WithoutCancel(t.Context()), name)
		if err == nil {
			out = append(out, name)
		} else if !errors.Is(err, db.ErrNotFound) {
			t.Error(err)
		}
	}
	return out
}

// inTx runs a statement that the package has no method for.
func inTx(ctx context.Context, tx *db.DB, query string) error {
	raw, err := tx.SQLTx()
	if err == nil {
		_, err = raw.ExecContext(ctx, query)
	}
	return err
}

// TestOneThatFailsFailsAloneAmongThoseWhoShareACommit also has none return before the
// commit, and the functions of AfterCommit run after it.
func TestOneThatFailsFailsAloneAmongThoseWhoShareACommit(t *testing.T) {
	d := dbtest.New(t)
	ctx, boom := t.Context(), errors.New("boom")
	names := []string{"kept", "failed", "panicked", "cancelled", "joined", "last"}
	var (
		l       = newLine(t, d)
		mu      sync.Mutex
		errs    = map[string]error{}
		heard   []string
		ended   atomic.Int64
		leaving context.CancelFunc
	)
	add := func(ctx context.Context, name string, then func(tx *db.DB) error) {
		l.add(ctx, func(tx *db.DB) error {
			tx.AfterCommit(func() {
				mu.Lock()
				defer mu.Unlock()
				heard = append(heard, name)
				if len(written(t, d, name)) == 0 {
					t.Errorf("%s was told before its commit", name)
				}
			})
			if err := write(t.Context(), tx, name); err != nil {
				return err
			}
			return then(tx)
		}, func(err error) {
			mu.Lock()
			defer mu.Unlock()
			ended.Add(1)
			errs[name] = err
		})
	}
	add(ctx, "kept", func(*db.DB) error { return nil })
	add(ctx, "failed", func(*db.DB) error { return boom })
	add(ctx, "panicked", func(*db.DB) error { panic(boom) })
	left, leaving := context.WithCancel(ctx)
	add(left, "cancelled", func(*db.DB) error { leaving(); return nil })
	add(ctx, "joined", func(tx *db.DB) error { return tx.Tx(ctx, func(*db.DB) error { return nil }) })
	add(ctx, "last", func(tx *db.DB) error {
		time.Sleep(100 * time.Millisecond) // for those who would return too early
		if got := ended.Load(); got != 2 {
			t.Errorf("%d ended before the commit, want the two that panicked and left", got)
		}
		if early := written(t, d, names...); early != nil {
			t.Errorf("%v seen before the commit", early)
		}
		if seen := written(t, tx, names...); !slices.Equal(seen, []string{"kept", "joined", "last"}) {
			t.Errorf("the last sees %v", seen)
		}
		return nil
	})
	l.run()
	want := []string{"kept", "joined", "last"}
	if got := written(t, d, names...); !slices.Equal(got, want) {
		t.Errorf("stored: %v, want %v", got, want)
	}
	for _, name := range want {
		if errs[name] != nil {
			t.Errorf("%s: %v", name, errs[name])
		}
	}
	if !errors.Is(errs["failed"], boom) || !errors.Is(errs["cancelled"], context.Canceled) || errs["panicked"] == nil || !strings.HasPrefix(errs["panicked"].Error(), "panicked") {
		t.Errorf("failed: %v", errs)
	}
	if slices.Sort(heard); !slices.Equal(heard, []string{"joined", "kept", "last"}) {
		t.Errorf("told: %v", heard)
	}
}

// TestACommitThatFailsFailsAllWhoShareIt has one break a key at which SQLite looks when
// it commits.
func TestACommitThatFailsFailsAllWhoShareIt(t *testing.T) {
	d := dbtest.New(t)
	ctx, told := t.Context(), atomic.Int64{}
	if err := dbtest.Exec(t, d, "CREATE TABLE deferred (account_id TEXT REFERENCES accounts (id) DEFERRABLE INITIALLY DEFERRED)"); err != nil {
		t.Fatal(err)
	}
	d.Subscribe(func(topic, _ string) {
		if topic == db.AnythingMissed {
			told.Add(1)
		}
	})
	l := newLine(t, d)
	fails := func(err error) {
		if err == nil || !strings.Contains(err.Error(), "FOREIGN KEY") {
			t.Errorf("%v, want a broken key", err)
		}
	}
	one := func(name string, more string) {
		l.add(ctx, func(tx *db.DB) error {
			tx.AfterCommit(func() { t.Error(name, "was told of a commit") })
			return errors.Join(write(ctx, tx, name), inTx(ctx, tx, more))
		}, fails)
	}
	one("ann", "SELECT 1")
	one("bob", "INSERT INTO deferred (account_id) VALUES ('nobody')")
	one("cid", "SELECT 1")
	l.run()
	if got := written(t, d, "ann", "bob", "cid"); got != nil {
		t.Errorf("stored: %v", got)
	}
	if told.Load() == 0 {
		t.Error("caches were not told")
	}
	if err := d.Tx(ctx, func(tx *db.DB) error { return write(ctx, tx, "ann") }); err != nil {
		t.Error("afterwards:", err)
	}
}

// TestWhoIsUndoneWithAnotherRunsAgain has the file of the database end at its size: SQLite
// undoes the whole transaction of the one who meets that.
func TestWhoIsUndoneWithAnotherRunsAgain(t *testing.T) {
	d := dbtest.New(t)
	ctx, l := t.Context(), newLine(t, d)
	runs := 0
	l.add(ctx, func(tx *db.DB) error { runs++; return write(ctx, tx, "small") }, func(err error) {
		if err != nil {
			t.Error("the one that fits:", err)
		}
	})
	l.add(ctx, func(tx *db.DB) error {
		defer func() {
			// It must not be stored alone after the rest was undone.
			if err := write(ctx, tx, "after"); err == nil {
				t.Error("a lost transaction goes on")
			}
		}()
		return errors.Join(inTx(ctx, tx, "PRAGMA max_page_count = 1"), write(ctx, tx, "large"),
			inTx(ctx, tx, "INSERT INTO meta (key, value) VALUES ('large', CAST(zeroblob(1000000) AS TEXT))"))
	}, func(err error) {
		if !db.IsFull(err) {
			t.Errorf("the one that does not fit: %v", err)
		}
		if err := dbtest.Exec(t, d, "PRAGMA max_page_count = 1000000000"); err != nil {
			t.Error(err)
		}
	})
	l.run()
	if got := written(t, d, "small", "large", "after"); !slices.Equal(got, []string{"small"}) || runs != 2 {
		t.Errorf("stored: %v, the one that fits ran %d times", got, runs)
	}
}

// TestWhoLeavesTheLineIsNotWaitedFor has one leave in line, and another while a statement
// of theirs runs: SQLite undoes a whole transaction of which a statement is interrupted.
func TestWhoLeavesTheLineIsNotWaitedFor(t *testing.T) {
	d := dbtest.New(t)
	ctx, l := t.Context(), newLine(t, d)
	fine := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	gone := func(err error) {
		if !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, want the end of its context", err)
		}
	}
	runs := 0
	l.add(ctx, func(tx *db.DB) error { runs++; return write(ctx, tx, "ann") }, fine)
	left, leave := context.WithCancel(ctx)
	away := make(chan struct{})
	l.add(left, func(*db.DB) error { t.Error("one that left has run"); return nil }, func(err error) { gone(err); close(away) })
	slow, end := context.WithCancel(ctx)
	defer end()
	l.add(slow, func(tx *db.DB) error {
		if err := write(slow, tx, "slow"); err != nil {
			return err
		}
		time.AfterFunc(20*time.Millisecond, end)
		return inTx(slow, tx, `INSERT INTO meta (key, value) SELECT 'counted', CAST(MAX(n) AS TEXT) FROM
			(WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 1000000) SELECT n FROM c)`)
	}, gone)
	l.add(ctx, func(tx *db.DB) error { return write(ctx, tx, "bob") }, fine)
	leave()
	<-away
	l.run()
	if got := written(t, d, "ann", "slow", "bob"); !slices.Equal(got, []string{"ann", "bob"}) || runs != 1 {
		t.Errorf("stored: %v, the first ran %d times", got, runs)
	}
}

// TestBulkWorkSharesNoCommit has bulk work in line behind one that is stored by then.
func TestBulkWorkSharesNoCommit(t *testing.T) {
	for name, bulk := range map[string]context.Context{"yielding": db.Yielding(t.Context()), "within": db.Within(t.Context(), time.Minute)} {
		t.Run(name, func(t *testing.T) {
			d := dbtest.New(t)
			l := newLine(t, d)
			fine := func(err error) {
				if err != nil {
					t.Error(err)
				}
			}
			l.add(t.Context(), func(tx *db.DB) error { return write(t.Context(), tx, "ann") }, fine)
			l.add(bulk, func(*db.DB) error {
				if written(t, d, "ann") == nil {
					t.Error("one waits for the end of bulk work")
				}
				return nil
			}, fine)
			l.run()
		})
	}
}

// TestASharedCommitIsBounded counts those who wait for it.
func TestASharedCommitIsBounded(t *testing.T) {
	d := dbtest.New(t)
	l := newLine(t, d)
	// Each emits an event, so that the number of the last one counts them.
	head := func(d *db.DB) int64 {
		at, err := d.EventHead(t.Context())
		if err != nil {
			t.Error(err)
		}
		return at.Seq
	}
	var most int64
	for i := range 150 {
		l.add(t.Context(), func(tx *db.DB) error {
			most = max(most, head(tx)-head(d))
			return tx.Emit(t.Context(), db.Event{Kind: db.EventRoom, Subject: strconv.Itoa(i)})
		}, func(err error) {
			if err != nil {
				t.Error(err)
			}
		})
	}
	l.run()
	if got := head(d); got != 150 || most < 1 || most > 63 {
		t.Errorf("%d are stored; up to %d were before one in a shared commit, want 1 to 63", got, most)
	}
}
