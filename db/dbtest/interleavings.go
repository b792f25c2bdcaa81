package dbtest

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/db"
)

// Between runs second during first: after the first statement of first that
// contains part. first continues as soon as second has ended, or waits for a
// lock, which only first can hold. It returns the errors of both.
//
// SQLite has one writer, so second waits whenever the statement is in a
// transaction. There the test covers the reads of first before its transaction.
func Between(t testing.TB, d *db.DB, part string, first, second func(ctx context.Context) error) (err1, err2 error) {
	t.Helper()
	reached, resume, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	var once sync.Once
	ctx := db.WatchStatements(t.Context(), func(statement string) {
		if strings.Contains(statement, part) {
			once.Do(func() { close(reached); <-resume })
		}
	})
	go func() { ended <- first(ctx) }()
	select {
	case <-reached:
	case err := <-ended:
		t.Fatalf("it ended without a statement that contains %q: %v", part, err)
	}
	queued, _ := d.WriterWaits()
	other := make(chan error, 1)
	go func() { other <- second(t.Context()) }()
	look := time.NewTicker(2 * time.Millisecond)
	defer look.Stop()
	for waits := false; !waits; {
		select {
		case err2 = <-other:
			close(resume)
			return <-ended, err2
		case <-look.C:
			waits = waiting(t, d, queued)
		}
	}
	close(resume)
	return <-ended, <-other
}

// waiting reports whether a statement waits for the transaction of another.
func waiting(t testing.TB, d *db.DB, queued int64) bool {
	t.Helper()
	if d.Dialect() == db.SQLite {
		n, _ := d.WriterWaits()
		return n > queued
	}
	var n int
	if err := d.Writer().QueryRowContext(t.Context(), `SELECT COUNT(*) FROM pg_stat_activity
		WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&n); err != nil {
		t.Error(err)
		return true
	}
	return n > 0
}
