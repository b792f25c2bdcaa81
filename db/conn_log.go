package db

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"gorm.io/gorm/logger"
)

// slow is from when on a statement is worth a line in the log.
const slow = 500 * time.Millisecond

type counterKey struct{}

// CountStatements returns a context whose statements add to the counter.
// Lists are held to a fixed number of them by tests.
func CountStatements(ctx context.Context) (context.Context, *atomic.Int64) {
	n := new(atomic.Int64)
	return context.WithValue(ctx, counterKey{}, n), n
}

type recorderKey struct{}

// RecordStatements returns a context whose statements are written down with
// their values, in order: for tests that ask how they are carried out. It is
// for one goroutine.
func RecordStatements(ctx context.Context) (context.Context, *[]string) {
	var list []string
	return context.WithValue(ctx, recorderKey{}, &list), &list
}

// statementLog tells of slow statements, without their values, and of rows that
// cannot be read, and counts.
type statementLog struct {
	log    *slog.Logger
	spoilt *unreadableRows
}

func (l *statementLog) LogMode(logger.LogLevel) logger.Interface { return l }
func (l *statementLog) Info(context.Context, string, ...any)     {}
func (l *statementLog) Warn(context.Context, string, ...any)     {}
func (l *statementLog) Error(context.Context, string, ...any)    {}

// ParamsFilter keeps values out of what fc renders, but for a recorder.
func (l *statementLog) ParamsFilter(ctx context.Context, sql string, params ...any) (string, []any) {
	if ctx.Value(recorderKey{}) != nil {
		return sql, params
	}
	return sql, nil
}

func (l *statementLog) Trace(ctx context.Context, begin time.Time, fc func() (string, int64), err error) {
	if n, ok := ctx.Value(counterKey{}).(*atomic.Int64); ok {
		n.Add(1)
	}
	if list, ok := ctx.Value(recorderKey{}).(*[]string); ok {
		sql, _ := fc()
		*list = append(*list, sql)
	}
	if took := time.Since(begin); took >= slow {
		sql, rows := fc()
		l.log.WarnContext(ctx, "slow statement", "sql", sql, "rows", rows, "took", took)
	}
}
