// Package dbtest gives each test an empty, migrated database of its own, and
// builders for the rows that a test needs.
package dbtest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // registers "pgx", to create databases

	"svc/db"
)

// Each runs fn on SQLite and, when SVC_TEST_POSTGRES is set, on PostgreSQL,
// as parallel subtests with a migrated database each.
func Each(t *testing.T, fn func(t *testing.T, d *db.DB)) {
	t.Helper()
	EachDSN(t, func(t *testing.T, dsn string) { fn(t, Open(t, dsn)) })
}

// EachDSN is Each with the address of an empty database, not migrated.
func EachDSN(t *testing.T, fn func(t *testing.T, dsn string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		fn(t, "sqlite:"+filepath.Join(t.TempDir(), "svc.db"))
	})
	if admin := os.Getenv("SVC_TEST_POSTGRES"); admin != "" {
		t.Run("postgres", func(t *testing.T) {
			t.Parallel()
			fn(t, postgres(t, admin))
		})
	}
}

// Postgres is the address of an empty database on PostgreSQL, "" when
// SVC_TEST_POSTGRES is not set: for benchmarks, which have no subtests by Each.
func Postgres(t testing.TB) string {
	t.Helper()
	admin := os.Getenv("SVC_TEST_POSTGRES")
	if admin == "" {
		return ""
	}
	return postgres(t, admin)
}

// New returns a migrated SQLite database: for what no dialect could change.
func New(t testing.TB) *db.DB {
	t.Helper()
	return Open(t, "sqlite:"+filepath.Join(t.TempDir(), "svc.db"))
}

// Open opens and migrates dsn until the test ends.
func Open(t testing.TB, dsn string) *db.DB {
	t.Helper()
	d, err := db.Open(t.Context(), dsn, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	if err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return d
}

// postgres creates a database of its own on the server of admin and drops it
// when the test ends.
func postgres(t testing.TB, admin string) string {
	t.Helper()
	var b [6]byte
	_, _ = rand.Read(b[:])
	name := "svc_test_" + hex.EncodeToString(b[:])
	run := func(query string) {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		c, err := sql.Open("pgx", admin)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		if _, err := c.ExecContext(ctx, query); err != nil {
			t.Errorf("%s: %v", query, err)
		}
	}
	run("CREATE DATABASE " + name)
	t.Cleanup(func() { run("DROP DATABASE " + name + " WITH (FORCE)") })
	u, err := url.Parse(admin)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return u.String()
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

// Exec runs one statement with ? placeholders, to lay out rows by hand.
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
