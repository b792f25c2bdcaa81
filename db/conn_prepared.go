package db

import (
	linked "container/list"
	"context"
	"database/sql/driver"
	"errors"
	"slices"
	"sync/atomic"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// keptStatements bounds the compiled statements of one SQLite connection. Lists
// of varying length make variants of a statement.
const keptStatements = 120

// keepStatements is a connector that compiles each statement once per
// connection and keeps it. For SQLite, compiling takes longer than most
// statements run, and database/sql keeps prepared statements only outside of a
// transaction.
type keepStatements struct {
	driver.Connector
	uninterrupted *atomic.Bool // statements run on when their context ends
}

// Connect opens a connection.
func (k keepStatements) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := k.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &keepingConn{driverConn: c.(driverConn), uninterrupted: k.uninterrupted, idle: map[string]*linked.Element{}}, nil
}

// driverConn is the driver's connection without its direct execution of text,
// which always goes through a kept statement.
type driverConn interface {
	driver.Conn
	driver.ConnPrepareContext
	driver.ConnBeginTx
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// keepingConn is used by one goroutine at a time, as all driver connections.
type keepingConn struct {
	driverConn
	idle  map[string]*linked.Element // by text; not those in use
	order linked.List                // of idle ones, the last used first

	uninterrupted *atomic.Bool
	in            bool  // a transaction
	lost          error // by which SQLite may have rolled it back
}

// PrepareContext takes a kept statement, or compiles one.
func (c *keepingConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	if e, ok := c.idle[query]; ok {
		delete(c.idle, query)
		return c.order.Remove(e).(*keptStmt), nil
	}
	s, err := c.driverConn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	return &keptStmt{driverStmt: s.(driverStmt), conn: c, query: query}, nil
}

// Prepare is PrepareContext without a deadline.
func (c *keepingConn) Prepare(query string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), query)
}

// BeginTx begins a transaction.
func (c *keepingConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	tx, err := c.driverConn.BeginTx(ctx, o)
	if err != nil {
		return nil, err
	}
	c.in, c.lost = true, nil
	return keptTx{tx, c}, nil
}

// keptTx is a transaction that is not committed, and runs no further statement, once
// SQLite may have rolled it back: what follows would be stored without what came before.
type keptTx struct {
	driver.Tx
	conn *keepingConn
}

// Commit keeps the changes.
func (t keptTx) Commit() error {
	if t.conn.lost != nil {
		return errors.Join(t.conn.lost, t.Rollback())
	}
	t.conn.in = false
	return t.Tx.Commit()
}

// Rollback drops the changes.
func (t keptTx) Rollback() error {
	lost := t.conn.lost
	t.conn.in, t.conn.lost = false, nil
	if err := t.Tx.Rollback(); lost == nil {
		return err
	}
	return nil // it may have been rolled back before
}

// losing are the codes after which SQLite may have rolled a transaction back. Source:
// https://www.sqlite.org/lang_transaction.html
var losing = append([]int{sqlite3.SQLITE_INTERRUPT}, passing...)

// before returns the context for a statement.
func (c *keepingConn) before(ctx context.Context) (context.Context, error) {
	if c.lost != nil {
		return nil, c.lost
	}
	if !c.uninterrupted.Load() {
		return ctx, nil
	}
	return context.WithoutCancel(ctx), ctx.Err()
}

// after notes whether a statement that failed may have cost the transaction.
func (c *keepingConn) after(err error) {
	var e *sqlite.Error
	switch {
	case err == nil || !c.in:
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded): // it was interrupted
		c.lost = err
	case errors.As(err, &e) && slices.Contains(losing, e.Code()&0xff):
		c.lost = err
	}
}

// Close drops the kept statements, then the connection.
func (c *keepingConn) Close() error {
	for c.order.Len() > 0 {
		_ = c.dropOldest()
	}
	return c.driverConn.Close()
}

func (c *keepingConn) dropOldest() error {
	s := c.order.Remove(c.order.Back()).(*keptStmt)
	delete(c.idle, s.query)
	return s.driverStmt.Close()
}

type driverStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

type keptStmt struct {
	driverStmt
	conn  *keepingConn
	query string
}

// ExecContext runs the statement.
func (s *keptStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	ctx, err := s.conn.before(ctx)
	if err != nil {
		return nil, err
	}
	r, err := s.driverStmt.ExecContext(ctx, args)
	s.conn.after(err)
	return r, err
}

// QueryContext runs the statement and returns its rows.
func (s *keptStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	ctx, err := s.conn.before(ctx)
	if err != nil {
		return nil, err
	}
	r, err := s.driverStmt.QueryContext(ctx, args)
	s.conn.after(err)
	return r, err
}

// Close returns the statement to the cache. A statement that was taken twice at
// once is kept once.
func (s *keptStmt) Close() error {
	if _, ok := s.conn.idle[s.query]; ok {
		return s.driverStmt.Close()
	}
	s.conn.idle[s.query] = s.conn.order.PushFront(s)
	if s.conn.order.Len() > keptStatements {
		return s.conn.dropOldest()
	}
	return nil
}
