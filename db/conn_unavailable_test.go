package db_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// TestNoAnswerInTimeIsUnavailable waits for a row that another transaction
// holds, with a short deadline; on SQLite for the one writing connection. A
// caller that cancels gets its own error.
func TestNoAnswerInTimeIsUnavailable(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		held, release, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		go func() {
			done <- d.Tx(ctx, func(tx *db.DB) error {
				err := tx.SetMeta(ctx, "held", "1")
				close(held)
				<-release
				return err
			})
		}()
		<-held
		for _, waiting := range []func(ctx context.Context) error{
			func(ctx context.Context) error { return d.SetMeta(ctx, "held", "2") },
			func(ctx context.Context) error {
				return d.Tx(ctx, func(tx *db.DB) error { return tx.SetMeta(ctx, "held", "2") })
			},
		} {
			short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
			if err := waiting(short); !errors.Is(err, db.ErrUnavailable) {
				t.Errorf("past the deadline: %v", err)
			}
			cancel()
			gone, leave := context.WithCancel(ctx)
			time.AfterFunc(20*time.Millisecond, leave)
			if err := waiting(gone); err == nil || errors.Is(err, context.Canceled) && errors.Is(err, db.ErrUnavailable) {
				t.Errorf("after the caller left: %v", err)
			}
		}
		close(release)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	})
}

// TestAFullOrBrokenDiskIsUnavailable has SQLite's file not grow any more, and PostgreSQL
// report what it does then: of a full disk, a file that cannot be written, and no memory.
func TestAFullOrBrokenDiskIsUnavailable(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		long := strings.Repeat("x", 1<<20)
		for name, write := range map[string]func(d *db.DB) error{
			"a row": func(d *db.DB) error { return d.SetMeta(ctx, "alone", long) },
			"a transaction": func(d *db.DB) error {
				return d.Tx(ctx, func(tx *db.DB) error { return tx.SetMeta(ctx, "within", long) })
			},
		} {
			full, room := []string{"PRAGMA max_page_count = 1"}, "PRAGMA max_page_count = 1000000"
			if d.Dialect() == db.Postgres {
				full, room = nil, "DROP FUNCTION full_disk() CASCADE"
				for _, code := range []string{"53100", "58030", "53200"} {
					full = append(full, `CREATE OR REPLACE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
						BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = '`+code+`'; END $$;
						CREATE OR REPLACE TRIGGER full_disk BEFORE INSERT ON meta FOR EACH ROW EXECUTE FUNCTION full_disk()`)
				}
			}
			for _, full := range full {
				if _, err := d.Writer().ExecContext(ctx, full); err != nil {
					t.Fatal(err)
				}
				if err := write(d); !errors.Is(err, db.ErrUnavailable) || !db.IsTemporary(err) {
					t.Errorf("%s: %v", name, err)
				} else if noRoom := d.Dialect() == db.SQLite || strings.Contains(full, "53100"); db.IsFull(err) != noRoom {
					t.Errorf("%s: a full disk is %v: %v", name, !noRoom, err)
				}
			}
			if _, err := d.Writer().ExecContext(ctx, room); err != nil {
				t.Fatal(err)
			}
			if err := write(d); err != nil {
				t.Errorf("%s, with room again: %v", name, err)
			}
		}
	})
}

// TestABrokenConnectionIsUnavailable ends sessions of PostgreSQL from the
// server's side, in a transaction and outside, and then cuts the network.
func TestABrokenConnectionIsUnavailable(t *testing.T) {
	dsn := dbtest.Postgres(t)
	if dsn == "" {
		t.Skip("SVC_TEST_POSTGRES is not set")
	}
	way, through := dbtest.NewProxy(t, dsn)
	d, other := dbtest.Open(t, through), dbtest.Open(t, dsn)
	ctx := t.Context()
	err := d.Tx(ctx, func(tx *db.DB) error {
		if err := tx.SetMeta(ctx, "a", "1"); err != nil {
			return err
		}
		if err := dbtest.Exec(t, other, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"); err != nil {
			return err
		}
		return tx.SetMeta(ctx, "b", "1")
	})
	if !errors.Is(err, db.ErrUnavailable) {
		t.Errorf("a transaction whose session ended: %v", err)
	}
	way.Cut()
	for name, err := range map[string]error{"write": d.SetMeta(ctx, "a", "1"), "read": err1(d.Meta(ctx, "a")), "ping": d.Ping(ctx), "begin": d.Tx(ctx, func(*db.DB) error { return nil })} {
		if !errors.Is(err, db.ErrUnavailable) {
			t.Errorf("%s without a way there: %v", name, err)
		}
	}
	if _, err := db.Open(ctx, through, db.Options{}); !errors.Is(err, db.ErrUnavailable) {
		t.Errorf("open: %v", err)
	}
	way.Open()
	if err := d.SetMeta(ctx, "a", "1"); err != nil {
		t.Errorf("the way is open again: %v", err)
	}
}
