package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"gorm.io/gorm"
)

// SQLite has one writer, and a commit writes each changed page to the log and waits for
// the disk. Transactions that wait for the writer share a commit: they run one after the
// other in one transaction of the database, each but the first in a savepoint of its own,
// so that one that fails is undone alone. None returns before the commit, and if it fails,
// all fail. One that failed waits for it too: it may have failed by what others of the same
// commit wrote, which its caller then looks for. Who holds the turn passes it to the next in line, and commits if nobody waits,
// or if the shared transaction is full: one without others never waits for any.

// The bounds of a shared transaction. Once either is reached nobody joins it.
const (
	mostShare = 64                    // transactions in it
	shareTime = 20 * time.Millisecond // since it began
)

// sharing is the line in front of the writer.
type sharing struct {
	write *sql.DB
	// uninterrupted is set while a shared one is open: SQLite rolls the whole transaction back if a
	// statement is interrupted.
	uninterrupted atomic.Bool
	longest       time.Duration // shareTime
	lost          func()        // hears that others than the one who failed were undone

	mu    sync.Mutex
	taken bool // somebody has the turn
	line  []chan struct{}
	open  *shared // touched by who has the turn

	waits  atomic.Int64
	waited atomic.Int64 // nanoseconds
}

// shared is one transaction of the database, shared by the transactions of several.
type shared struct {
	conn    *sql.Conn
	tx      *sql.Tx
	alone   bool // nobody joins it
	began   time.Time
	members int           // that are done, and wait for the commit
	done    chan struct{} // closed once err is final
	err     error
}

// undone is the error of a transaction that had succeeded, and was undone because of
// another in the same shared one. It runs again, alone.
type undone struct{ error }

func (u undone) Unwrap() error { return u.error }

// alone reports whether a transaction shares no commit: others would wait for the end of
// bulk work.
func (p *pool) alone(ctx context.Context) bool {
	return p.bulk || ctx.Value(withinKey{}) != nil || ctx.Value(yieldingKey{}) != nil
}

// transaction runs fn on the transaction shared by all who wait for the writer, or alone
// on one of its own.
func (s *sharing) transaction(ctx context.Context, alone bool, fn func(tx *sql.Tx) error) error {
	if err := s.turn(ctx); err != nil {
		return err
	}
	of, err := s.run(ctx, alone, fn)
	if of == nil || ctx.Err() != nil && err != nil {
		return err
	}
	<-of.done
	if of.err != nil {
		return of.err
	}
	return err
}

// run runs fn, whose turn it is, and passes the turn, however fn ends. It returns what fn
// had a part in, unless that was undone because of fn.
func (s *sharing) run(ctx context.Context, alone bool, fn func(tx *sql.Tx) error) (of *shared, err error) {
	defer s.pass()
	if of, err = s.join(ctx, alone); err != nil {
		return nil, err
	}
	kept := false
	defer func() { // also if fn panics
		if !kept && !s.leave(of) {
			of = nil
		}
	}()
	if err := fn(of.tx); err != nil {
		return of, err
	}
	if err := ctx.Err(); err != nil {
		return of, err
	}
	if of.members > 0 {
		if _, err := of.tx.Exec("RELEASE one"); err != nil {
			return of, err
		}
	}
	of.members++
	kept = true
	return of, nil
}

// turn waits in line.
func (s *sharing) turn(ctx context.Context) error {
	s.mu.Lock()
	if !s.taken {
		s.taken = true
		s.mu.Unlock()
		return nil
	}
	mine := make(chan struct{})
	s.line = append(s.line, mine)
	s.mu.Unlock()
	s.waits.Add(1)
	defer func(since time.Time) { s.waited.Add(int64(time.Since(since))) }(time.Now())
	select {
	case <-mine:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	at := slices.Index(s.line, mine)
	if at >= 0 {
		s.line = slices.Delete(s.line, at, at+1)
	}
	s.mu.Unlock()
	if at < 0 { // it came in the same moment
		s.pass()
	}
	return ctx.Err()
}

// pass gives the turn to the next in line.
func (s *sharing) pass() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of := s.open; of != nil && (of.alone || len(s.line) == 0 || of.members >= mostShare || time.Since(of.began) >= s.longest) {
		s.mu.Unlock()
		s.end(of, of.tx.Commit())
		s.mu.Lock()
	}
	if s.taken = len(s.line) > 0; s.taken {
		close(s.line[0])
		s.line = s.line[1:]
	}
}

// join begins a transaction, or a savepoint in the shared one. The first has none: if it
// fails, there is nothing else to keep.
func (s *sharing) join(ctx context.Context, alone bool) (*shared, error) {
	if s.open != nil && alone {
		s.end(s.open, s.open.tx.Commit())
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if of := s.open; of != nil {
		if _, err := of.tx.Exec("SAVEPOINT one"); err != nil {
			s.fail(of, err)
			return nil, err
		}
		return of, nil
	}
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return nil, err
	}
	// The end of the first one's context is not that of the others.
	tx, err := conn.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	s.uninterrupted.Store(!alone)
	s.open = &shared{conn: conn, tx: tx, alone: alone, began: time.Now(), done: make(chan struct{})}
	return s.open, nil
}

// leave undoes what one has done that failed. If it cannot, the others fail too, and it
// returns false.
func (s *sharing) leave(of *shared) bool {
	if of.members == 0 {
		_ = of.tx.Rollback()
		s.end(of, nil)
		return true
	}
	_, err := of.tx.Exec("ROLLBACK TO one")
	if err == nil {
		_, err = of.tx.Exec("RELEASE one")
	}
	if err != nil {
		s.fail(of, err)
	}
	return err == nil
}

// fail undoes the work of all.
func (s *sharing) fail(of *shared, err error) {
	_ = of.tx.Rollback()
	s.end(of, undone{fmt.Errorf("shared with a transaction that failed: %w", err)})
}

// end lets all know what became of the shared transaction.
func (s *sharing) end(of *shared, err error) {
	s.open = nil
	s.uninterrupted.Store(false)
	_ = of.conn.Close() // returns it to the pool
	of.err = err
	if err != nil && of.members > 0 {
		s.lost()
	}
	close(of.done)
}

// inTurn is fn in a transaction of SQLite.
func (d *DB) inTurn(ctx context.Context, alone bool, fn func(orm *gorm.DB) error) error {
	return d.pool.sharing.transaction(ctx, alone, func(tx *sql.Tx) error {
		orm := d.wrt.Session(&gorm.Session{Context: ctx, NewDB: true})
		orm.Statement.ConnPool = tx
		return fn(orm)
	})
}

// WriterWaits returns how often, and how long in all, work waited for a connection that
// writes, or for its turn on it.
func (d *DB) WriterWaits() (times int64, took time.Duration) {
	stats, s := d.pool.write.Stats(), &d.pool.sharing
	return stats.WaitCount + s.waits.Load(), stats.WaitDuration + time.Duration(s.waited.Load())
}
