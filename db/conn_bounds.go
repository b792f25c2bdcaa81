package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// A connection to PostgreSQL is bounded on both sides. The server ends
// statements, waits for locks and idle transactions by the settings below, so
// that a stopped process gives its locks back. The client ends a call that the
// server does not answer a while later, since a server that hangs cannot end
// anything.
const (
	statementTimeout = 15 * time.Second
	// idleTimeout ends the transaction of a process that hangs, so that a status
	// waiting for its locks gets its turn.
	idleTimeout = 10 * time.Second
	lockTimeout = 12 * time.Second
	// answerTime is added to a statement's own time for the round trip.
	answerTime = 5 * time.Second
	// leftTime is how long a statement may go on once nobody waits for it: its client left,
	// for example. To give it up closes its connection, and a new one costs the server more
	// than nearly every statement, so that clients who leave at once, again and again,
	// would slow everybody down.
	leftTime = time.Second
	// connectTimeout bounds the attempts at all hosts of an address together.
	connectTimeout = 10 * time.Second
	// connectionLife bounds the age of a connection. After a failover none stays
	// with the old server for longer.
	connectionLife = 30 * time.Minute
	// connectionRest is how long a connection that nobody needs stays open. The last
	// used is taken first, so that a quiet server keeps few.
	connectionRest = 2 * time.Minute
)

const statementSetting = "statement_timeout"

// limits are the settings of a session that bound it, unless the address has
// others.
var limits = []setting{
	{statementSetting, millis(statementTimeout)}, {"lock_timeout", millis(lockTimeout)},
	{"idle_in_transaction_session_timeout", millis(idleTimeout)},
}

func millis(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

type withinKey struct{}

// Within returns a context that allows each statement up to bound on
// PostgreSQL, in place of the usual few seconds. It is for migrations and for
// jobs that read or write much at once; no request needs it.
func Within(ctx context.Context, bound time.Duration) context.Context {
	return context.WithValue(ctx, withinKey{}, bound)
}

type yieldingKey struct{}

// Yielding returns a context for bulk work: on SQLite, which has one writer, a
// transaction with it is followed by a pause of yieldShare times its duration, so that
// requests write in between.
func Yielding(ctx context.Context) context.Context {
	return context.WithValue(ctx, yieldingKey{}, true)
}

const (
	yieldShare = 2
	yieldMost  = time.Second // of one pause
)

// yield pauses after a transaction of bulk work.
func (d *DB) yield(ctx context.Context, took time.Duration) {
	if bulk, _ := ctx.Value(yieldingKey{}).(bool); bulk && d.pool.dialect == SQLite {
		rest(ctx, min(yieldShare*took, yieldMost))
	}
}

// reindexTime bounds the rebuilding of an index by the job queue.
const reindexTime = 2 * time.Minute

// bounded makes connections with a time limit on every call.
type bounded struct {
	driver.Connector
	connect time.Duration // for all hosts, and setting the session up
	usual   time.Duration // for a statement; 0 is no bound
	changed atomic.Int64  // changes of the schema that connections met
}

// Connect opens a connection.
func (b *bounded) Connect(ctx context.Context) (driver.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, b.connect)
	defer cancel()
	c, err := b.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &boundedConn{Conn: c.(*stdlib.Conn), of: b, usual: b.usual, session: b.usual, changed: b.changed.Load()}, nil
}

// boundedConn is used by one goroutine at a time, as all driver connections.
type boundedConn struct {
	*stdlib.Conn
	of    *bounded
	usual time.Duration
	// session is the server's own time-out; local is the one of the current
	// transaction.
	session  time.Duration
	local    *time.Duration
	unusable bool // the server refused a write: it became a replica
	changed  int64
	unsent   []unsent // of the current transaction
}

// IsValid reports whether the pool may use the connection again.
func (c *boundedConn) IsValid() bool { return !c.unusable && !c.Conn.Conn().IsClosed() }

// ResetSession asks whether a connection that was idle still lives.
func (c *boundedConn) ResetSession(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	if err := c.Conn.ResetSession(ctx); err != nil || c.changed == c.of.changed.Load() {
		return err
	}
	if c.forget(ctx) != nil {
		return driver.ErrBadConn
	}
	return nil
}

// Ping waits for one answer of the server.
func (c *boundedConn) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	return c.Conn.Ping(ctx)
}

// ExecContext runs a statement, or keeps one of execLater.
func (c *boundedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	later, keep := ctx.Value(laterKey{}).(string)
	ctx, cancel, err := c.bind(ctx, query)
	if err != nil {
		return nil, err
	}
	defer cancel()
	switch {
	case keep && c.local != nil:
		c.postpone(later, query, argsOf(args)...)
		return driver.RowsAffected(0), nil
	case len(c.unsent) > 0 && len(args) > 0:
		tag, err := c.execTogether(ctx, query, argsOf(args)...)
		return driver.RowsAffected(tag.RowsAffected()), err
	}
	// Without values it may be several statements, which are sent as they are.
	if err := c.flush(ctx); err != nil {
		return nil, err
	}
	countTrip(ctx)
	res, err := c.Conn.ExecContext(ctx, query, args)
	return res, c.refuseReadOnly(err)
}

// QueryContext runs a statement and returns its rows, which end in time too.
func (c *boundedConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	ctx, cancel, err := c.bind(ctx, query)
	if err != nil {
		return nil, err
	}
	if len(c.unsent) > 0 {
		rows, err := c.queryTogether(ctx, cancel, query, argsOf(args))
		if err != nil {
			cancel()
		}
		return rows, err
	}
	countTrip(ctx)
	rows, err := c.Conn.QueryContext(ctx, query, args)
	if c.meets(err) && c.local == nil {
		if err = c.forget(ctx); err == nil {
			rows, err = c.Conn.QueryContext(ctx, query, args)
		}
	}
	if err != nil {
		cancel()
		return nil, c.refuseReadOnly(err)
	}
	return boundedRows{rows.(*stdlib.Rows), cancel}, nil
}

// PrepareContext refuses to prepare a statement in a transaction, which would not be sent
// after those that are unsent. The driver prepares statements by itself.
func (c *boundedConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	if c.local != nil {
		return nil, errors.New("a transaction prepares no statements")
	}
	return c.Conn.PrepareContext(ctx, query)
}

// meets notes that a newer program changed the columns of a table: the server
// refuses the prepared statements that return them from then on. Outside a
// transaction the caller prepares the statement again, and within one the
// transaction runs again (see retryable). Other connections do so before they
// are used next.
func (c *boundedConn) meets(err error) bool {
	is := isStalePlan(err)
	if is && c.changed == c.of.changed.Load() {
		c.of.changed.Add(1)
	}
	return is
}

// forget drops the prepared statements of the connection.
func (c *boundedConn) forget(ctx context.Context) error {
	c.changed = c.of.changed.Load()
	return c.refuseReadOnly(c.Conn.Conn().DeallocateAll(ctx))
}

// isStalePlan recognises "cached plan must not change result type", which has no
// code of its own.
func isStalePlan(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.Code == "0A000" && refused.Routine == "RevalidateCachedQuery"
}

type boundedRows struct {
	*stdlib.Rows
	cancel context.CancelFunc
}

// Close ends the reading.
func (r boundedRows) Close() error {
	defer r.cancel()
	return r.Rows.Close()
}

// bind bounds a statement here and on the server.
func (c *boundedConn) bind(ctx context.Context, query string) (context.Context, context.CancelFunc, error) {
	bound := c.usual
	if d, ok := ctx.Value(withinKey{}).(time.Duration); ok {
		bound = d
	} else if strings.HasPrefix(query, "REINDEX ") {
		bound = reindexTime
	}
	if err := c.setTimeout(ctx, bound); err != nil {
		return nil, nil, err
	}
	if bound == 0 {
		return ctx, func() {}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, bound+answerTime)
	return ctx, cancel, nil
}

// setTimeout makes the server end a statement after bound.
func (c *boundedConn) setTimeout(ctx context.Context, bound time.Duration) error {
	armed := &c.session
	if c.local != nil {
		armed = c.local
	}
	if *armed == bound || c.Conn.Conn().IsClosed() {
		return nil
	}
	if c.local != nil {
		c.postpone("", "SET LOCAL "+statementSetting+" = "+millis(bound))
		*armed = bound
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	if _, err := c.Conn.Conn().Exec(ctx, "SET "+statementSetting+" = "+millis(bound)); err != nil {
		return c.refuseReadOnly(err)
	}
	*armed = bound
	return nil
}

// refuseReadOnly marks a connection as unusable if its server no longer takes
// writes.
func (c *boundedConn) refuseReadOnly(err error) error {
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == "25006" { // read_only_sql_transaction
		c.unusable = true
	}
	return err
}

// BeginTx begins a transaction. Its commit has a time limit of its own,
// independent of ctx.
func (c *boundedConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	if c.Conn.Conn().IsClosed() {
		return nil, driver.ErrBadConn
	}
	if o.Isolation != 0 || o.ReadOnly {
		return nil, fmt.Errorf("transactions have no options here: %v", o)
	}
	bound, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	if err := c.begin(bound); err != nil {
		if pgconn.SafeToRetry(err) {
			return nil, driver.ErrBadConn
		}
		return nil, c.refuseReadOnly(err)
	}
	local := c.session
	c.local = &local
	return &boundedTx{c, context.WithoutCancel(ctx)}, nil
}

type boundedTx struct {
	conn *boundedConn
	ctx  context.Context
}

// Commit keeps the changes.
func (t *boundedTx) Commit() error { return t.end(t.conn.commit) }

// Rollback drops the changes.
func (t *boundedTx) Rollback() error { return t.end(t.conn.rollback) }

func (t *boundedTx) end(how func(context.Context) error) error {
	t.conn.local = nil
	ctx, cancel := context.WithTimeout(t.ctx, max(t.conn.usual, answerTime)+answerTime)
	defer cancel()
	return how(ctx)
}
