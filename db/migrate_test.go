package db_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

// newer returns another process on the database of d, which knows more migrations.
func newer(t *testing.T, d *db.DB, more map[string]string) *db.DB {
	t.Helper()
	n := d
	if d.Dialect() == db.Postgres {
		var err error
		if n, err = db.Open(t.Context(), d.DSN(), db.Options{}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = n.Close() })
	}
	if err := n.AddMigrations(more); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestAMigrationThatWasReleasedLateIsApplied adds a migration with a lower
// number than applied ones.
func TestAMigrationThatWasReleasedLateIsApplied(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		before, err := d.Schema(ctx)
		if err != nil || before.Pending() || before.Latest <= 41 {
			t.Fatalf("schema %+v, %v", before, err)
		}
		late := newer(t, d, map[string]string{"0041_late.sql": "CREATE TABLE late (id BIGINT)", "9000_last.sql": "CREATE TABLE last (id BIGINT)"})
		if s, err := late.Schema(ctx); err != nil || !slices.Equal(s.Missing, []int{41, 9000}) {
			t.Errorf("schema %+v, %v", s, err)
		}
		if err := late.Migrate(ctx); err != nil {
			t.Fatal(err)
		}
		for _, table := range []string{"late", "last"} {
			if err := dbtest.Exec(t, d, "DELETE FROM "+table); err != nil {
				t.Error(err)
			}
		}
		if s, err := late.Schema(ctx); err != nil || s.Pending() || s.Version != 9000 {
			t.Errorf("schema %+v, %v", s, err)
		}
	})
}

// TestAFailedMigrationKeepsThoseBeforeIt has the second of three fail in its
// second statement.
func TestAFailedMigrationKeepsThoseBeforeIt(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		more := map[string]string{
			"9001_one.sql": "CREATE TABLE one (id BIGINT)", "9002_two.sql": "CREATE TABLE two (id BIGINT); DELETE FROM nowhere", "9003_three.sql": "CREATE TABLE three (id BIGINT)",
		}
		n := newer(t, d, more)
		if err := n.Migrate(ctx); err == nil {
			t.Fatal("it did not fail")
		}
		if s, err := n.Schema(ctx); err != nil || !slices.Equal(s.Missing, []int{9002, 9003}) {
			t.Errorf("schema %+v, %v", s, err)
		}
		more["9002_two.sql"] = "CREATE TABLE two (id BIGINT)"
		if err := newer(t, d, more).Migrate(ctx); err != nil {
			t.Error(err)
		}
	})
}

// TestAMigrationDoesNotBlockOthersWhileItWaits holds a table that a migration
// changes. Others read it meanwhile, and the migration succeeds in the end.
func TestAMigrationDoesNotBlockOthersWhileItWaits(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), dbtest.Open(t, onPostgres(t))
	holder, err := d.Writer().BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := holder.ExecContext(ctx, "LOCK TABLE statuses IN ROW EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	n := newer(t, d, map[string]string{"9000_wide.sql": "ALTER TABLE statuses ADD COLUMN wide TEXT"})
	migrated := make(chan error, 1)
	go func() { migrated <- n.Migrate(ctx) }()
	for waits := 0; waits == 0; {
		if err := d.Writer().QueryRowContext(ctx, "SELECT count(*) FROM pg_locks WHERE relation = 'statuses'::regclass AND NOT granted").Scan(&waits); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := d.StatusByID(ctx, "none"); !errors.Is(err, db.ErrNotFound) {
		t.Errorf("a reader gets %v", err)
	}
	if err := errors.Join(holder.Rollback(), <-migrated); err != nil {
		t.Error(err)
	}
}

// TestAnIndexThatWasLeftInvalidIsBuiltAnew has a first attempt fail at two equal
// rows.
func TestAnIndexThatWasLeftInvalidIsBuiltAnew(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), dbtest.Open(t, onPostgres(t))
	twice := func() error {
		return dbtest.Exec(t, d, "INSERT INTO meta (key, value) VALUES ('a', 'same'), ('b', 'same')")
	}
	if err := twice(); err != nil {
		t.Fatal(err)
	}
	n := newer(t, d, map[string]string{"9000_indexes.sql": `-- outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS meta_one ON meta (value, key);
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS meta_two ON meta (value) WHERE key IN ('a', 'b');
`})
	if err := n.Migrate(ctx); err == nil {
		t.Fatal("the index holds equal rows")
	}
	if err := dbtest.Exec(t, d, "DELETE FROM meta WHERE key = 'b'"); err != nil {
		t.Fatal(err)
	}
	if err := n.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	var valid int
	if err := d.Writer().QueryRowContext(ctx, "SELECT count(*) FROM pg_index WHERE indrelid = 'meta'::regclass AND indisvalid").Scan(&valid); err != nil || valid != 3 {
		t.Errorf("%d valid indexes, %v", valid, err)
	}
	bad := newer(t, d, map[string]string{"9000_indexes.sql": "-- outside a transaction\nDROP TABLE meta;\n"})
	if err := bad.Migrate(ctx); err != nil {
		t.Errorf("an applied migration is applied again: %v", err)
	}
	bad = newer(t, d, map[string]string{"9001_drop.sql": "-- outside a transaction\nDROP TABLE meta;\n"})
	if err := bad.Migrate(ctx); err == nil {
		t.Error("another statement than one for an index ran outside a transaction")
	}
}

// TestAnOlderProcessServesWhileANewerOneMigrates adds columns to a table while
// a process reads its rows, outside and within transactions, on all
// connections.
func TestAnOlderProcessServesWhileANewerOneMigrates(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), dbtest.Open(t, onPostgres(t))
	ann := dbtest.Account(t, d, "ann")
	s := &db.Status{ID: d.NewID(), AccountID: ann.ID, Local: true, Visibility: db.Public, CreatedAt: d.Now()}
	if err := d.CreateStatus(ctx, s); err != nil {
		t.Fatal(err)
	}
	stop, ended := context.WithCancel(ctx)
	var (
		readers sync.WaitGroup
		warm    sync.WaitGroup
	)
	for i := range 8 {
		warm.Add(1)
		readers.Go(func() {
			for n := 0; stop.Err() == nil; n++ {
				read := func(d *db.DB) error { _, err := d.StatusByID(ctx, s.ID); return err }
				err := error(nil)
				if i%2 == 0 {
					err = read(d)
				} else {
					err = d.Tx(ctx, func(tx *db.DB) error {
						return errors.Join(read(tx), tx.SetMarkers(ctx, ann.ID, map[string]string{"home": s.ID}))
					})
				}
				if err != nil {
					t.Error(err)
					ended()
				}
				if n == 5 {
					warm.Done()
				}
			}
		})
	}
	warm.Wait()
	more := map[string]string{}
	for name, text := range map[string]string{"9000_wide.sql": "ALTER TABLE statuses ADD COLUMN wide TEXT", "9001_wider.sql": "ALTER TABLE statuses ADD COLUMN wider BIGINT NOT NULL DEFAULT 1"} {
		more[name] = text
		if err := newer(t, d, more).Migrate(ctx); err != nil {
			t.Error(err)
		}
		for range 20 {
			if _, err := d.StatusByID(ctx, s.ID); err != nil {
				t.Error(err)
			}
		}
	}
	ended()
	readers.Wait()
	if n := d.Writer().Stats().OpenConnections; n < 2 {
		t.Errorf("only %d connections read", n)
	}
}
