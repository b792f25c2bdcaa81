package db

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// slow is the time above which a statement is logged.
const slow = 500 * time.Millisecond

type counterKey struct{}

// CountStatements returns a context that counts its statements. Tests hold
// lists to a fixed number of them.
func CountStatements(ctx context.Context) (context.Context, *atomic.Int64) {
	n := new(atomic.Int64)
	return context.WithValue(ctx, counterKey{}, n), n
}

type tripsKey struct{}

// CountRoundTrips returns a context that counts how often its statements wait for an
// answer of PostgreSQL, BEGIN and COMMIT among them. Statements that are prepared first
// take one more, which is not counted.
func CountRoundTrips(ctx context.Context) (context.Context, *atomic.Int64) {
	n := new(atomic.Int64)
	return context.WithValue(ctx, tripsKey{}, n), n
}

// countTrip counts a round trip.
func countTrip(ctx context.Context) {
	if n, ok := ctx.Value(tripsKey{}).(*atomic.Int64); ok {
		n.Add(1)
	}
}

type watcherKey struct{}

// WatchStatements returns a context that passes each statement to see once it
// was carried out, with its values. The statement's caller waits for see. It is
// for tests.
func WatchStatements(ctx context.Context, see func(statement string)) context.Context {
	return context.WithValue(ctx, watcherKey{}, see)
}

// RecordStatements returns a context that records its statements with their
// values, in order. It is for tests that look at query plans, and for one
// goroutine.
func RecordStatements(ctx context.Context) (context.Context, *[]string) {
	var list []string
	return WatchStatements(ctx, func(statement string) { list = append(list, statement) }), &list
}

// statementLog counts statements, and logs slow ones, without their values, and
// unreadable rows.
type statementLog struct {
	log        *slog.Logger
	unreadable *unreadableRows
	dialect    Dialect
	observe    func(context.Context, Statement)
}

// Statement is one that was carried out.
type Statement struct {
	Dialect Dialect
	Began   time.Time
	Text    func() string // without its values
	Failed  bool          // not for want of a row
}

func (l *statementLog) LogMode(logger.LogLevel) logger.Interface { return l }
func (l *statementLog) Info(context.Context, string, ...any)     {}
func (l *statementLog) Warn(context.Context, string, ...any)     {}
func (l *statementLog) Error(context.Context, string, ...any)    {}

// ParamsFilter removes the values from logged statements, except for a watcher.
func (l *statementLog) ParamsFilter(ctx context.Context, sql string, params ...any) (string, []any) {
	if ctx.Value(watcherKey{}) != nil {
		return sql, params
	}
	return sql, nil
}

func (l *statementLog) Trace(ctx context.Context, begin time.Time, fc func() (string, int64), err error) {
	if n, ok := ctx.Value(counterKey{}).(*atomic.Int64); ok {
		n.Add(1)
	}
	if see, ok := ctx.Value(watcherKey{}).(func(string)); ok {
		sql, _ := fc()
		see(sql)
	}
	if l.observe != nil {
		l.observe(ctx, Statement{Dialect: l.dialect, Began: begin, Failed: err != nil && !errors.Is(err, gorm.ErrRecordNotFound) && !errors.Is(err, sql.ErrNoRows),
			Text: func() string { text, _ := fc(); return text }})
	}
	if took := time.Since(begin); took >= slow {
		sql, rows := fc()
		l.log.WarnContext(ctx, "slow statement", "sql", sql, "rows", rows, "took", took)
	}
}
