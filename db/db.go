// Package db holds svc's rows, the queries over them, transactions and
// migrations, on SQLite and PostgreSQL alike. It leaves every rule to the
// operations above it and imports none of them.
package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/riverqueue/river"
	"gorm.io/gorm"
)

// ErrNotFound and ErrDuplicate are the outcomes that callers act upon, and
// ErrUnavailable is one that passes. Every other error is a fault of the store.
var (
	ErrNotFound  = errors.New("not found")
	ErrDuplicate = errors.New("already exists")
)

// Dialect is a kind of database.
type Dialect string

// The databases svc runs on.
const (
	SQLite   Dialect = "sqlite"
	Postgres Dialect = "postgres"
)

// Options are the parameters of Open beside the address.
type Options struct {
	Log *slog.Logger     // slow statements; nil discards
	Now func() time.Time // nil is time.Now
	// Observe sees each statement that was carried out; nil for nobody. Those of the job
	// runner are not among them.
	Observe func(ctx context.Context, s Statement)
	// Worker is the 48 bits of flake ids that tell processes apart, and the seed of
	// UUIDs. 0 draws both. Only sample data sets it, to be reproducible.
	Worker uint64
	// Bulk is for a single writer of much data that can be written again. It uses
	// more memory, and a crash may lose the last commits.
	Bulk bool
	// Connections is the size of the pool for PostgreSQL; 0 is 12.
	Connections int
}

// DB is the pool, or one transaction of it. Both have the same methods, so that
// a query or operation works with either.
type DB struct {
	pool *pool
	orm  *gorm.DB // for reads outside a transaction
	wrt  *gorm.DB // for writes; inside a transaction both are the transaction
	tx   *txn     // nil outside
}

type pool struct {
	dialect    Dialect
	dsn        string
	write      *sql.DB
	read       *sql.DB // the same as write on PostgreSQL
	now        func() time.Time
	ids        flakes
	uuids      uuids
	log        *slog.Logger
	bulk       bool
	size       int // of the pool for PostgreSQL
	observe    func(context.Context, Statement)
	notices    notices
	own        ownNotices
	events     eventReader
	facts      facts
	waiting    lastWork
	unreadable unreadableRows
	owning     owning
	sharing    sharing

	migrations fs.FS

	jobsOnce sync.Once
	jobs     *river.Client[*sql.Tx]
	jobsErr  error
}

// txn is the common state of joined transactions.
type txn struct {
	after  []func()
	events []Event // stored last
	notice string  // names the notices of this transaction, see Announce
	told   map[Event]bool
	failed error
	whole  bool            // all but its COMMIT was done
	held   map[string]bool // accounts, see conn_held.go
}

// Open connects to dsn: "sqlite:PATH" or "postgres://…". It does not migrate.
func Open(ctx context.Context, dsn string, o Options) (*DB, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	p := &pool{dsn: dsn, now: o.Now, log: o.Log, bulk: o.Bulk, size: o.Connections, observe: o.Observe, migrations: migrations}
	p.ids.init(o.Worker)
	p.uuids.init(o.Worker)
	p.events.woken = make(chan struct{}, 1)
	p.own.init()
	p.facts.init()
	var (
		d   *DB
		err error
	)
	switch {
	case strings.HasPrefix(dsn, "sqlite:"):
		d, err = openSQLite(p, strings.TrimPrefix(dsn, "sqlite:"))
	case strings.HasPrefix(dsn, "postgres://"), strings.HasPrefix(dsn, "postgresql://"):
		d, err = openPostgres(p, dsn)
	default:
		return nil, fmt.Errorf("database %q: want sqlite:PATH or postgres://…", Redact(dsn))
	}
	if err != nil {
		return nil, opening(dsn, err)
	}
	if err := d.Ping(ctx); err != nil {
		_ = d.Close()
		return nil, opening(dsn, err)
	}
	return d, nil
}

// opening names the database that could not be opened; the driver of PostgreSQL
// does so itself.
func opening(dsn string, err error) error {
	if path, ok := strings.CutPrefix(dsn, "sqlite:"); ok && !strings.Contains(err.Error(), path) {
		return fmt.Errorf("open database %s: %w", path, outage(err))
	}
	return fmt.Errorf("open database: %w", outage(err))
}

// Redact keeps the parts of an address that tell databases apart, and drops
// possible passwords.
func Redact(dsn string) string {
	if i := strings.LastIndex(dsn, "@"); i >= 0 {
		if j := strings.Index(dsn, "://"); j >= 0 && j < i {
			return dsn[:j+3] + "…" + dsn[i:]
		}
	}
	return dsn
}

// Close ends all connections.
func (d *DB) Close() error {
	err := d.pool.write.Close()
	if d.pool.read != d.pool.write {
		err = errors.Join(err, d.pool.read.Close())
	}
	return errors.Join(err, d.pool.owning.disown())
}

// Ping asks the database for one answer.
func (d *DB) Ping(ctx context.Context) error {
	var one int
	return outage(d.pool.read.QueryRowContext(ctx, "SELECT 1").Scan(&one))
}

// Dialect tells which database this is.
func (d *DB) Dialect() Dialect { return d.pool.dialect }

// DSN is the address given to Open.
func (d *DB) DSN() string { return d.pool.dsn }

// Now is the clock that stamps rows.
func (d *DB) Now() Time { return At(d.pool.now()) }

// NewID returns a flake id for the present moment.
func (d *DB) NewID() string { return d.pool.ids.next(d.pool.now()) }

// Writer is the pool that a job runner works on: a single connection on
// SQLite, where only one can write.
func (d *DB) Writer() *sql.DB { return d.pool.write }

// InTx reports whether d is a transaction.
func (d *DB) InTx() bool { return d.tx != nil }

// Tx runs fn in a transaction and commits if it returns nil. Inside fn only tx
// may be used. Within a transaction Tx joins it, and a joined fn that fails
// makes the whole fail. A transaction runs again that lost a deadlock or a
// serialisation race on PostgreSQL, or was undone with one that it shared a commit
// with on SQLite, so fn must have no effect but rows.
func (d *DB) Tx(ctx context.Context, fn func(tx *DB) error) error {
	if d.tx != nil {
		if err := fn(d); err != nil {
			d.tx.failed = err
			return err
		}
		return nil
	}
	var err error
	for attempt := range 10 {
		began := time.Now()
		err = d.once(ctx, attempt > 0 || d.pool.alone(ctx), fn)
		d.yield(ctx, time.Since(began))
		if err == nil || !retryable(err) || ctx.Err() != nil {
			return err
		}
		// The pause is random, so that the two transactions do not meet again.
		rest(ctx, time.Duration(rand.Int64N(int64(attempt+1)*int64(10*time.Millisecond))))
	}
	return err
}

// Steps runs step in transactions of its own as long as it reports that there is
// more.
func (d *DB) Steps(ctx context.Context, step func(tx *DB) (more bool, err error)) error {
	return StepsFrom(ctx, d, false, func(tx *DB, _ bool) (bool, error) { return step(tx) })
}

// StepsFrom is Steps for rows in the order of a key: each step returns the key that
// the next one goes on from, zero at the end. A step that is tried again begins where
// it began before.
func StepsFrom[K comparable](ctx context.Context, d *DB, from K, step func(tx *DB, from K) (next K, err error)) error {
	var end K
	for {
		next := end
		err := d.Tx(ctx, func(tx *DB) (err error) {
			next, err = step(tx, from)
			return err
		})
		if err != nil || next == end {
			return err
		}
		from = next
	}
}

func (d *DB) once(ctx context.Context, alone bool, fn func(tx *DB) error) error {
	t := &txn{}
	run := func(orm *gorm.DB) error {
		tx := &DB{pool: d.pool, orm: orm, wrt: orm, tx: t}
		if err := fn(tx); err != nil {
			return err
		}
		if t.failed != nil {
			return t.failed
		}
		err := tx.writeEvents(ctx, t.events)
		t.whole = err == nil
		return err
	}
	var err error
	if d.pool.dialect == SQLite {
		err = d.inTurn(ctx, alone, run)
	} else {
		err = d.wrt.WithContext(pipelined(ctx)).Transaction(run)
	}
	if errors.Is(err, sql.ErrTxDone) && ctx.Err() != nil {
		err = fmt.Errorf("%w: %w", ctx.Err(), err) // ended with its context
	}
	if err != nil {
		if t.whole {
			d.pool.facts.forget()
		}
		return wrap(err, "transaction")
	}
	for _, f := range t.after {
		f()
	}
	return nil
}

// AfterCommit runs fn once the transaction is committed, and never if it is
// rolled back. Outside of a transaction it runs at once.
func (d *DB) AfterCommit(fn func()) {
	if d.tx == nil {
		fn()
		return
	}
	d.tx.after = append(d.tx.after, fn)
}

// SQLTx is the driver's transaction under d, for the job queue to join.
func (d *DB) SQLTx() (*sql.Tx, error) {
	if d.tx == nil {
		return nil, errors.New("not in a transaction")
	}
	if t, ok := d.orm.Statement.ConnPool.(*sql.Tx); ok {
		return t, nil
	}
	return nil, fmt.Errorf("unknown transaction %T", d.orm.Statement.ConnPool)
}

// writer binds a context; inserts and updates start from it.
func (d *DB) writer(ctx context.Context) *gorm.DB { return d.wrt.WithContext(ctx) }

// writing is d with all statements on the writing connection: for statements
// with RETURNING, and for reads that must see the latest write.
func (d *DB) writing() *DB { return &DB{pool: d.pool, orm: d.wrt, wrt: d.wrt, tx: d.tx} }

// create inserts one row.
func create[T any](ctx context.Context, d *DB, row *T, what string, args ...any) error {
	return wrap(d.writer(ctx).Create(row).Error, what, args...)
}

// exec runs a statement and returns how many rows it touched.
func (d *DB) exec(ctx context.Context, what, query string, args ...any) (int64, error) {
	res := d.writer(ctx).Exec(query, args...)
	return res.RowsAffected, wrap(res.Error, "%s", what)
}

// notFound is ErrNotFound with the name of the missing row.
func notFound(what string, args ...any) error {
	return fmt.Errorf(what+": %w", append(args, ErrNotFound)...)
}

// wrap turns a driver's error into ErrDuplicate, ErrUnavailable, ErrUnreadable
// or its cause, with the operation in its text.
func wrap(err error, what string, args ...any) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrNotFound), errors.Is(err, ErrDuplicate):
		return err
	case errors.Is(err, gorm.ErrDuplicatedKey), isDuplicate(err):
		return fmt.Errorf(what+": %w", append(args, ErrDuplicate)...)
	}
	err = outage(err)
	if isUnreadable(err) {
		err = unreadable{err}
	}
	if what == "transaction" {
		return err
	}
	return fmt.Errorf(what+": %w", append(args, err)...)
}
