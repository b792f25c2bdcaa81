package e2e

import (
	"testing"
	"time"
)

// TestAtRestPostgreSQLIsAskedLittle counts the transactions of a server that nobody uses:
// each statement outside of a transaction is one. When each kind of work was looked for by
// itself there were 21 a second.
func TestAtRestPostgreSQLIsAskedLittle(t *testing.T) {
	t.Parallel()
	dsn := onPostgres(t)
	p := newProcess(t, shortDir(t), dsn)
	p.start()
	pool := openPostgres(t, dsn)
	const window, most = 5 * time.Second, 30 // 3.9 a second, what this test asks, and PostgreSQL's own
	committed := func() (n int64) {
		must(t, pool.QueryRowContext(t.Context(), "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()").Scan(&n))
		return n
	}
	var n int64
	for range 12 { // until what begins with the start has ended
		before := committed()
		select {
		case <-t.Context().Done():
			return
		case <-time.After(window):
		}
		if n = committed() - before; n <= most {
			return
		}
	}
	t.Errorf("%d transactions in %s", n, window)
}
