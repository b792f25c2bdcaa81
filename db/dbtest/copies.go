package dbtest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	_ "github.com/jackc/pgx/v5/stdlib" // registers "pgx", to create databases

	"svc/db"
)

func sqlitePath(t testing.TB) string { return "sqlite:" + filepath.Join(t.TempDir(), "svc.db") }

// sqliteFile is a migrated SQLite database, made once per process.
var sqliteFile = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "svc")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "svc.db")
	if err := migrate("sqlite:" + path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func migrated(t testing.TB) []byte {
	t.Helper()
	file, err := sqliteFile()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func migrate(dsn string) error {
	ctx := context.Background()
	d, err := db.Open(ctx, dsn, db.Options{})
	if err != nil {
		return err
	}
	return errors.Join(d.Migrate(ctx), d.Close())
}

// lock keeps processes from making one template at once.
const lock = 7327171

// template returns the name of a migrated database to copy. It is made by the
// first process that needs this set of migrations, and stays for the others.
func template(t testing.TB, admin string) string {
	t.Helper()
	name := "svc_template_" + db.Fingerprint()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	c, err := sql.Open("pgx", admin)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	exists := func(q interface {
		QueryRowContext(context.Context, string, ...any) *sql.Row
	}) bool {
		var found bool
		if err := q.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)", name).Scan(&found); err != nil {
			t.Fatal(err)
		}
		return found
	}
	if exists(c) {
		return name
	}
	conn, err := c.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", lock); err != nil {
		t.Fatal(err)
	}
	if exists(conn) {
		return name
	}
	half := name + "_" + random()
	run := func(query string) {
		if err := patiently(ctx, conn, query); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	run("CREATE DATABASE " + half)
	if err := migrate(address(t, admin, half)); err != nil {
		t.Fatal(err)
	}
	run("ALTER DATABASE " + half + " RENAME TO " + name)
	return name
}

// create makes a database on the server of admin, a copy of from if that is
// given, and drops it when the test ends.
func create(t testing.TB, admin, from string) string {
	t.Helper()
	name := "svc_test_" + random()
	query := "CREATE DATABASE " + name
	if from != "" {
		query += " TEMPLATE " + from + " STRATEGY file_copy" // a third of the time that copying through the WAL takes
	}
	run := func(query string) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		c, err := sql.Open("pgx", admin)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		if err := patiently(ctx, c, query); err != nil {
			t.Errorf("%s: %v", query, err)
		}
	}
	run(query)
	t.Cleanup(func() { run("DROP DATABASE " + name + " WITH (FORCE)") })
	return address(t, admin, name)
}

// patiently repeats a statement while another session is connected to the
// database that it copies or renames: a closed session takes a moment to end.
func patiently(ctx context.Context, q interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
}, query string) error {
	for {
		_, err := q.ExecContext(ctx, query)
		var e *pgconn.PgError
		if !errors.As(err, &e) || e.Code != "55006" {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func random() string {
	var b [6]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// address is admin with another database.
func address(t testing.TB, admin, name string) string {
	t.Helper()
	u, err := url.Parse(admin)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + strings.TrimPrefix(name, "/")
	return u.String()
}
