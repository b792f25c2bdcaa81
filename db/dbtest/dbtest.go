// Package dbtest gives each test an empty, migrated database of its own, and
// builders for the rows that a test needs.
package dbtest

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"svc/db"
)

// Each runs fn on SQLite and, when SVC_TEST_POSTGRES is set, on PostgreSQL,
// as parallel subtests with a migrated database each.
func Each(t *testing.T, fn func(t *testing.T, d *db.DB)) {
	t.Helper()
	EachReady(t, func(t *testing.T, dsn string) { fn(t, Open(t, dsn)) })
}

// EachReady is Each with the address of a migrated database.
func EachReady(t *testing.T, fn func(t *testing.T, dsn string)) {
	t.Helper()
	each(t, Ready, copied, fn)
}

// EachDSN is Each with the address of an empty database, not migrated.
func EachDSN(t *testing.T, fn func(t *testing.T, dsn string)) {
	t.Helper()
	each(t, sqlitePath, func(t testing.TB) string { return create(t, "") }, fn)
}

func each(t *testing.T, sqlite, postgres func(t testing.TB) string, fn func(t *testing.T, dsn string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		fn(t, sqlite(t))
	})
	if server() != "" {
		t.Run("postgres", func(t *testing.T) {
			t.Parallel()
			fn(t, postgres(t))
		})
	}
}

// Postgres returns the address of a migrated database on PostgreSQL, "" without
// SVC_TEST_POSTGRES. It is for benchmarks, which have no subtests by Each.
func Postgres(t testing.TB) string {
	t.Helper()
	if server() == "" {
		return ""
	}
	return copied(t)
}

// server returns the server for new databases.
func server() string { return os.Getenv("SVC_TEST_POSTGRES") }

// Ready returns the address of a new, migrated SQLite database. It is a copy of one
// that was migrated before: migrating takes longer than most tests.
func Ready(t testing.TB) string {
	t.Helper()
	file, err := sqliteFile()
	if err != nil {
		t.Fatal(err)
	}
	dsn := sqlitePath(t)
	if err := os.WriteFile(strings.TrimPrefix(dsn, "sqlite:"), file, 0o600); err != nil {
		t.Fatal(err)
	}
	return dsn
}

// copied is Ready on PostgreSQL.
func copied(t testing.TB) string {
	t.Helper()
	from, err := template()
	if err != nil {
		t.Fatal(err)
	}
	return create(t, from)
}

// New returns a migrated SQLite database, for tests that do not depend on the
// dialect.
func New(t testing.TB) *db.DB {
	t.Helper()
	return Open(t, Ready(t))
}

// Open opens dsn until the test ends, and applies missing migrations.
func Open(t testing.TB, dsn string) *db.DB {
	t.Helper()
	return OpenAt(t, dsn, nil)
}

// OpenAt is Open with the clock of the test.
func OpenAt(t testing.TB, dsn string, now func() time.Time) *db.DB {
	t.Helper()
	return OpenWith(t, dsn, db.Options{Now: now})
}

// OpenWith is Open with other options.
func OpenWith(t testing.TB, dsn string, o db.Options) *db.DB {
	t.Helper()
	d, err := db.Open(t.Context(), dsn, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	if err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return d
}

// Base is the public base URL of accounts made here.
const Base = "https://svc.example"

// Account makes a confirmed local account.
func Account(t testing.TB, d *db.DB, nickname string) *db.Account {
	t.Helper()
	a := db.NewAccount(Base, nickname)
	if err := d.CreateAccount(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	return a
}

// Queries runs fn and returns how many statements it sent.
func Queries(t testing.TB, fn func(ctx context.Context)) int64 {
	t.Helper()
	ctx, n := db.CountStatements(t.Context())
	fn(ctx)
	return n.Load()
}

// FewestQueries is Queries of the cheapest of several runs. The first of them fills the
// caches that fn reads; in any other one of their entries may end, by its time, by an event
// or by a job.
func FewestQueries(t testing.TB, fn func(ctx context.Context)) int64 {
	t.Helper()
	fewest := Queries(t, fn)
	for range 4 {
		fewest = min(fewest, Queries(t, fn))
	}
	return fewest
}

// Exec runs one statement with ? placeholders, for rows that no method inserts.
func Exec(t testing.TB, d *db.DB, query string, args ...any) error {
	t.Helper()
	if d.Dialect() == db.Postgres {
		for n := 1; strings.Contains(query, "?"); n++ {
			query = strings.Replace(query, "?", "$"+strconv.Itoa(n), 1)
		}
	}
	_, err := d.Writer().ExecContext(t.Context(), query, args...)
	return err
}
