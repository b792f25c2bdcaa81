package db_test

import (
	"context"
	"errors"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
)

// onPostgres returns the address of a new database on PostgreSQL.
func onPostgres(t *testing.T) string {
	t.Helper()
	dsn := dbtest.Postgres(t)
	if dsn == "" {
		t.Skip("SVC_TEST_POSTGRES is not set")
	}
	return dsn
}

// with returns dsn with further settings.
func with(t *testing.T, dsn string, pairs ...string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	for i := 0; i < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// TestSessionsAreBounded reads the limits of a session: the usual ones, or
// those in the address.
func TestSessionsAreBounded(t *testing.T) {
	dsn := onPostgres(t)
	show := func(d *db.DB) []string {
		var out []string
		for _, name := range []string{"statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout", "jit"} {
			var value string
			if err := d.Writer().QueryRowContext(t.Context(), "SELECT current_setting($1)", name).Scan(&value); err != nil {
				t.Fatal(err)
			}
			out = append(out, value)
		}
		return out
	}
	if diff := cmp.Diff([]string{"15s", "12s", "10s", "off"}, show(dbtest.Open(t, dsn))); diff != "" {
		t.Error(diff)
	}
	given := with(t, dsn, "statement_timeout", "40s", "lock_timeout", "0", "idle_in_transaction_session_timeout", "7000", "jit", "on")
	if diff := cmp.Diff([]string{"40s", "0", "7s", "on"}, show(dbtest.Open(t, given))); diff != "" {
		t.Error(diff)
	}
	// What the server refuses keeps nothing else from being set.
	refused := with(t, dsn, "statement_timeout", "40s", "enable_hashjoin", "perhaps")
	if diff := cmp.Diff([]string{"40s", "12s", "10s", "off"}, show(dbtest.Open(t, refused))); diff != "" {
		t.Error(diff)
	}
	if _, err := db.Open(t.Context(), with(t, dsn, "statement_timeout", "long"), db.Options{}); err == nil || !strings.Contains(err.Error(), "statement_timeout=long") {
		t.Errorf("a time that is none: %v", err)
	}
}

// TestATransactionThatHangsGivesItsLocksBack stops in the middle of a
// transaction, like a suspended process.
func TestATransactionThatHangsGivesItsLocksBack(t *testing.T) {
	dsn := onPostgres(t)
	ctx := t.Context()
	hanging := dbtest.Open(t, with(t, dsn, "idle_in_transaction_session_timeout", "100"))
	d := dbtest.Open(t, dsn)
	err := hanging.Tx(ctx, func(tx *db.DB) error {
		if err := tx.SetMeta(ctx, "row", "1"); err != nil {
			return err
		}
		if err := d.SetMeta(ctx, "row", "2"); err != nil {
			t.Errorf("the other did not get its turn: %v", err)
		}
		return tx.SetMeta(ctx, "row", "1")
	})
	if !errors.Is(err, db.ErrUnavailable) {
		t.Errorf("the transaction that hung: %v", err)
	}
	if v, err := hanging.Meta(ctx, "row"); err != nil || v != "2" {
		t.Errorf("%q, %v", v, err)
	}
}

// TestALockIsWaitedForInBounds waits for a lock that is never released.
func TestALockIsWaitedForInBounds(t *testing.T) {
	dsn := onPostgres(t)
	ctx := t.Context()
	d, waiting := dbtest.Open(t, dsn), dbtest.Open(t, with(t, dsn, "lock_timeout", "50"))
	err := d.Tx(ctx, func(tx *db.DB) error {
		if err := tx.SetMeta(ctx, "row", "1"); err != nil {
			return err
		}
		if err := waiting.SetMeta(ctx, "row", "2"); !errors.Is(err, db.ErrUnavailable) {
			t.Errorf("the lock is held: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestASilentServerIsGivenUp stops all traffic on open connections: calls
// without a deadline end in time, and work again once traffic resumes.
func TestASilentServerIsGivenUp(t *testing.T) {
	way, through := dbtest.NewProxy(t, onPostgres(t))
	through = with(t, through, "statement_timeout", "100", "connect_timeout", "1")
	ctx := t.Context()
	d := dbtest.Open(t, through)
	begun, stalled := make(chan struct{}, 2), make(chan struct{})
	ends := map[string]chan error{}
	for name, do := range map[string]func() error{
		"commit": func() error {
			return d.Tx(ctx, func(tx *db.DB) error {
				err := tx.SetMeta(ctx, "a", "1")
				begun <- struct{}{}
				<-stalled
				return err
			})
		},
		"transaction": func() error {
			return d.Tx(ctx, func(tx *db.DB) error {
				begun <- struct{}{}
				<-stalled
				return tx.SetMeta(ctx, "b", "1")
			})
		},
		"read":  func() error { <-stalled; return err1(d.Meta(ctx, "a")) },
		"write": func() error { <-stalled; return d.SetMeta(ctx, "c", "1") },
		"ping":  func() error { <-stalled; return d.Ping(ctx) },
		"open":  func() error { <-stalled; return err1(db.Open(ctx, through, db.Options{})) },
	} {
		end := make(chan error, 1)
		ends[name] = end
		go func() { end <- do() }()
	}
	<-begun
	<-begun
	way.Stall()
	close(stalled)
	for name, end := range ends {
		select {
		case err := <-end:
			if !errors.Is(err, db.ErrUnavailable) {
				t.Errorf("%s: %v", name, err)
			}
		case <-time.After(time.Minute):
			t.Errorf("%s does not end", name)
		}
	}
	way.Flow()
	if err := d.SetMeta(ctx, "a", "2"); err != nil {
		t.Errorf("bytes pass again: %v", err)
	}
}

// TestALeftStatementKeepsItsConnection leaves a statement as a client does that closes
// its connection: the session goes on with the next, unless the statement takes long.
func TestALeftStatementKeepsItsConnection(t *testing.T) {
	ctx := t.Context()
	c, err := dbtest.Open(t, onPostgres(t)).Writer().Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	session := func() (pid int, err error) {
		return pid, c.QueryRowContext(ctx, "SELECT pg_backend_pid()").Scan(&pid)
	}
	leave := func(seconds float64) {
		left, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		defer cancel()
		_, _ = c.ExecContext(left, "SELECT pg_sleep($1)", seconds)
	}
	before, err := session()
	if err != nil {
		t.Fatal(err)
	}
	leave(0.2)
	if after, err := session(); err != nil || after != before {
		t.Errorf("session %d, then %d: %v", before, after, err)
	}
	leave(60) // the test ends before
	if after, err := session(); err == nil {
		t.Errorf("session %d goes on as %d", before, after)
	}
}

// TestStatementsThatAreRightMayTakeLonger runs a statement longer than the
// usual limit, inside a transaction and outside. Afterwards the usual limit
// holds again.
func TestStatementsThatAreRightMayTakeLonger(t *testing.T) {
	d := dbtest.Open(t, with(t, onPostgres(t), "statement_timeout", "400"))
	d.Writer().SetMaxOpenConns(1)
	ctx := t.Context()
	const sleep = "SELECT pg_sleep(0.8)"
	long := db.Within(ctx, time.Minute)
	for range 2 {
		if _, err := d.Writer().ExecContext(long, sleep); err != nil {
			t.Errorf("outside: %v", err)
		}
		tx, err := d.Writer().BeginTx(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.ExecContext(long, sleep); err != nil {
			t.Errorf("inside: %v", err)
		}
		if _, err := tx.ExecContext(ctx, sleep); err == nil {
			t.Error("inside, the usual bound is gone")
		}
		_ = tx.Rollback()
		if _, err := d.Writer().ExecContext(ctx, sleep); err == nil {
			t.Error("outside, the usual bound is gone")
		}
	}
}

// TestEachHostGetsItsShare connects to an address with a host that accepts
// connections without an answer, and then a good host.
func TestEachHostGetsItsShare(t *testing.T) {
	dsn := onPostgres(t)
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{dsn, with(t, dsn, "connect_timeout", "1")} {
		address = strings.Replace(address, "@"+u.Host, "@"+silent.Addr().String()+","+u.Host, 1)
		// This is less than the time for all hosts together.
		ctx, cancel := context.WithTimeout(t.Context(), 9*time.Second)
		d, err := db.Open(ctx, address, db.Options{})
		if err != nil {
			t.Fatalf("%s: %v", address, err)
		}
		if err := d.SetMeta(ctx, "a", "1"); err != nil {
			t.Error(err)
		}
		_ = d.Close()
		cancel()
	}
}

// TestTheSettingBoundsTheConnections opens a pool of a set size.
func TestTheSettingBoundsTheConnections(t *testing.T) {
	d := dbtest.OpenWith(t, onPostgres(t), db.Options{Connections: 4})
	if n := d.Writer().Stats().MaxOpenConnections; n != 4 {
		t.Errorf("%d connections may be open", n)
	}
}
