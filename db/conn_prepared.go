package db

import (
	linked "container/list"
	"context"
	"database/sql/driver"
)

// keptStatements bounds the compiled statements of one SQLite connection. Lists
// of varying length make variants of a statement.
const keptStatements = 120

// keepStatements is a connector that compiles each statement once per
// connection and keeps it. For SQLite, compiling takes longer than most
// statements run, and database/sql keeps prepared statements only outside of a
// transaction.
type keepStatements struct{ driver.Connector }

// Connect opens a connection.
func (k keepStatements) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := k.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &keepingConn{driverConn: c.(driverConn), idle: map[string]*linked.Element{}}, nil
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
