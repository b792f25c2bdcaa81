package db_test

import (
	"database/sql"
	"os"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

// TestTheLogOfWritesShrinksAgain writes during a read, so that the write-ahead
// log cannot be reset, and checks its size after the read ended.
func TestTheLogOfWritesShrinksAgain(t *testing.T) {
	ctx, dsn := t.Context(), dbtest.Ready(t)
	d := dbtest.Open(t, dsn)
	log := strings.TrimPrefix(dsn, "sqlite:") + "-wal"
	size := func() int64 {
		t.Helper()
		info, err := os.Stat(log)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	reads, err := sql.Open("sqlite", "file:"+strings.TrimPrefix(dsn, "sqlite:"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reads.Close() }()
	conn, err := reads.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := conn.QueryRowContext(ctx, "SELECT COUNT(*) FROM meta").Scan(&n); err != nil {
		t.Fatal(err)
	}
	write := func(rows int) {
		t.Helper()
		for range rows {
			if err := dbtest.Exec(t, d, "INSERT INTO meta (key, value) VALUES (hex(randomblob(8)), hex(zeroblob(500000)))"); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(40)
	if grown := size(); grown < 32<<20 {
		t.Fatalf("the log has %d bytes while somebody reads", grown)
	}
	if err := conn.Rollback(); err != nil {
		t.Fatal(err)
	}
	write(2) // the first goes through the log, the second begins it anew
	if left := size(); left > 16<<20 {
		t.Errorf("the log still has %d bytes", left)
	}
}

// TestOwningEndsWithTheDatabase takes the lock again after the database was
// closed. A test in server/e2e takes it in two processes.
func TestOwningEndsWithTheDatabase(t *testing.T) {
	dbtest.EachReady(t, func(t *testing.T, dsn string) {
		for range 2 {
			d, err := db.Open(t.Context(), dsn, db.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := d.LockForServing(); err != nil {
					t.Error(err)
				}
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}
