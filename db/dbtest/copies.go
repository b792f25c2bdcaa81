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

// creators are the connections that create and drop databases: opening one for each
// takes as long as many a test.
var creators = sync.OnceValues(func() (*sql.DB, error) {
	c, err := sql.Open("pgx", server())
	if err == nil {
		c.SetMaxIdleConns(4)
	}
	return c, err
})

// template is the name of a migrated database to copy. It is made by the first
// process that needs this set of migrations, and stays for the others.
var template = sync.OnceValues(func() (string, error) {
	name := "svc_template_" + db.Fingerprint()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	c, err := creators()
	if err != nil {
		return "", err
	}
	conn, err := c.Conn(ctx)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", lock); err != nil {
		return "", err
	}
	defer func() { _, _ = conn.ExecContext(ctx, "SELECT pg_advisory_unlock($1)", lock) }()
	var found bool
	err = conn.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)", name).Scan(&found)
	if err != nil || found {
		return name, err
	}
	half := name + "_" + random()
	if err := patiently(ctx, conn, "CREATE DATABASE "+half); err != nil {
		return "", err
	}
	dsn, err := address(half)
	if err == nil {
		err = migrate(dsn)
	}
	if err != nil {
		return "", err
	}
	return name, patiently(ctx, conn, "ALTER DATABASE "+half+" RENAME TO "+name)
})

// create makes a database on PostgreSQL, a copy of from if that is given, and drops
// it when the test ends.
func create(t testing.TB, from string) string {
	t.Helper()
	name := "svc_test_" + random()
	query := "CREATE DATABASE " + name
	if from != "" {
		query += " TEMPLATE " + from + " STRATEGY file_copy" // a third of the time that copying through the WAL takes
	}
	run := func(query string) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		c, err := creators()
		if err == nil {
			err = patiently(ctx, c, query)
		}
		if err != nil {
			t.Errorf("%s: %v", query, err)
		}
	}
	run(query)
	t.Cleanup(func() { run("DROP DATABASE " + name + " WITH (FORCE)") })
	dsn, err := address(name)
	if err != nil {
		t.Fatal(err)
	}
	return dsn
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

// address is that of another database on the server.
func address(name string) (string, error) {
	u, err := url.Parse(server())
	if err != nil {
		return "", err
	}
	u.Path = "/" + name
	return u.String(), nil
}
