package db

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
)

// Migrations are numbered SQL files per dialect, append-only. The first makes
// the schema of the first release.
//
//go:embed migrations/*/*.sql
var migrations embed.FS

// ErrNewer means that a newer program has migrated the database. It is left
// untouched.
var ErrNewer = errors.New("the database is newer than this program")

// ErrOlder means that the database was made before the first release. Its
// migrations are gone, and it is left untouched.
var ErrOlder = errors.New("the database is of before the first release")

// advisoryLock keeps two processes from migrating one PostgreSQL at once.
const advisoryLock = 7327170

const (
	// migrationTime bounds each statement of a migration, which may rewrite the
	// largest table.
	migrationTime = time.Hour
	// otherMigration bounds the wait for another process that migrates.
	otherMigration = 10 * time.Minute
)

type migration struct {
	version int
	name    string
	sql     string
}

// Fingerprint identifies a set of migrations, for tests that copy migrated
// databases.
func Fingerprint() string {
	h := sha256.New()
	_ = fs.WalkDir(migrations, ".", func(path string, _ fs.DirEntry, err error) error {
		if text, readErr := fs.ReadFile(migrations, path); err == nil && readErr == nil {
			_, _ = fmt.Fprintf(h, "%s\n%s\n", path, text)
		}
		return err
	})
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, m := range build.Deps {
			if strings.HasPrefix(m.Path, "github.com/riverqueue/river") {
				_, _ = fmt.Fprintln(h, m.Path, m.Version) // it has migrations of its own
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// Schema reads the state of the schema and changes nothing.
type Schema struct {
	Version int // the last migration applied, 0 for an empty database
	First   int // the one this program begins with
	Latest  int // the last one this program knows
}

// Err returns why this program cannot use the database: ErrNewer or ErrOlder.
func (s Schema) Err() error {
	switch {
	case s.Version > s.Latest:
		return fmt.Errorf("schema %d, known up to %d: %w", s.Version, s.Latest, ErrNewer)
	case s.Version != 0 && s.Version < s.First:
		return fmt.Errorf("schema %d, known from %d on: %w", s.Version, s.First, ErrOlder)
	}
	return nil
}

// Pending reports whether Migrate would change anything.
func (s Schema) Pending() bool { return s.Version < s.Latest }

func (d *DB) known() ([]migration, error) {
	dir := "migrations/" + string(d.pool.dialect)
	entries, err := fs.ReadDir(migrations, dir)
	if err != nil {
		return nil, err
	}
	var out []migration
	for _, e := range entries {
		num, name, _ := strings.Cut(strings.TrimSuffix(e.Name(), ".sql"), "_")
		v, err := strconv.Atoi(num)
		if err != nil {
			return nil, fmt.Errorf("migration %s: %w", e.Name(), err)
		}
		text, err := fs.ReadFile(migrations, dir+"/"+e.Name())
		if err != nil {
			return nil, err
		}
		out = append(out, migration{v, name, string(text)})
	}
	return out, nil
}

// Schema reads where the database stands and changes nothing.
func (d *DB) Schema(ctx context.Context) (Schema, error) {
	known, err := d.known()
	if err != nil {
		return Schema{}, err
	}
	s := Schema{First: known[0].version, Latest: known[len(known)-1].version}
	exists := "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'schema_migrations'"
	if d.pool.dialect == Postgres {
		exists = "SELECT count(*) FROM pg_tables WHERE schemaname = ANY (current_schemas(false)) AND tablename = 'schema_migrations'"
	}
	var n int
	if err := d.pool.read.QueryRowContext(ctx, exists).Scan(&n); err != nil || n == 0 {
		return s, err
	}
	err = d.pool.read.QueryRowContext(ctx, "SELECT COALESCE(MAX(version), 0) FROM schema_migrations").Scan(&s.Version)
	return s, err
}

// Migrate brings the schema up to date while other migrating processes wait.
// Each step is whole or absent, so that an interrupted run can be repeated. A
// database newer than the program is ErrNewer, one from before the first
// release ErrOlder. Ids made from then on are greater than all stored ones.
func (d *DB) Migrate(ctx context.Context) error {
	now, err := d.Schema(ctx)
	if err != nil {
		return fmt.Errorf("read schema: %w", err)
	}
	if err := now.Err(); err != nil {
		return err
	}
	switch {
	case !now.Pending():
	case d.pool.dialect == Postgres:
		err = d.migratePostgres(ctx)
	default:
		err = d.migrateIn(ctx, d.migrateJobsIn)
	}
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return d.followIDs(ctx)
}

// migratePostgres holds a lock over several transactions: the job queue's
// migrations extend an enum, and no statement of the same transaction may use
// its new values.
func (d *DB) migratePostgres(ctx context.Context) error {
	ctx = Within(ctx, migrationTime)
	conn, err := d.pool.write.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if err := d.takeTurn(ctx, conn); err != nil {
		return err
	}
	defer func() {
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", advisoryLock)
	}()
	m, err := d.jobMigrator()
	if err != nil {
		return err
	}
	if _, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("jobs: %w", err)
	}
	return d.migrateIn(ctx, func(context.Context, *sql.Tx) error { return nil })
}

// takeTurn waits for other migrating processes, but no longer than a migration
// should take.
func (d *DB) takeTurn(ctx context.Context, conn *sql.Conn) error {
	for begin := time.Now(); ; {
		var mine bool
		if err := conn.QueryRowContext(ctx, "SELECT pg_try_advisory_lock($1)", advisoryLock).Scan(&mine); err != nil || mine {
			return err
		}
		if time.Since(begin) > otherMigration {
			return fmt.Errorf("another process has been migrating this database for %s", otherMigration)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// migrateIn applies the missing migrations, and jobs, in one transaction. On
// SQLite it begins with the write lock, so that processes take turns.
func (d *DB) migrateIn(ctx context.Context, jobs func(context.Context, *sql.Tx) error) error {
	known, err := d.known()
	if err != nil {
		return err
	}
	tx, err := d.pool.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS schema_migrations (version BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)"); err != nil {
		return err
	}
	// Another process may have been first: its migrations are skipped.
	var version int
	if err := tx.QueryRowContext(ctx, "SELECT COALESCE(MAX(version), 0) FROM schema_migrations").Scan(&version); err != nil {
		return err
	}
	for _, m := range known {
		if m.version <= version {
			continue
		}
		if _, err := tx.ExecContext(ctx, m.sql); err != nil {
			return fmt.Errorf("%d %s: %w", m.version, m.name, err)
		}
		// Numbers and file names of our own, so no placeholder, which the two
		// drivers write differently.
		record := fmt.Sprintf("INSERT INTO schema_migrations (version, name, applied_at) VALUES (%d, '%s', %d)",
			m.version, m.name, d.pool.now().UnixMicro())
		if _, err := tx.ExecContext(ctx, record); err != nil {
			return fmt.Errorf("%d %s: %w", m.version, m.name, err)
		}
	}
	if err := jobs(ctx, tx); err != nil {
		return err
	}
	return tx.Commit()
}

// JobDriver is River's driver for this database.
func (d *DB) JobDriver() riverdriver.Driver[*sql.Tx] {
	if d.pool.dialect == Postgres {
		return silent{riverdatabasesql.New(d.pool.write)}
	}
	return riversqlite.New(d.pool.write)
}

// silent is a driver without notifications in its transactions: on PostgreSQL
// those serialise the commits of all databases of the server. Job runners look
// for jobs every second, so they need none.
type silent struct{ riverdriver.Driver[*sql.Tx] }

// SupportsListenNotify keeps the job client from sending them.
func (silent) SupportsListenNotify() bool { return false }

// JobInserter returns a job client that only inserts, made at first use.
func (d *DB) JobInserter() (*river.Client[*sql.Tx], error) {
	d.pool.jobsOnce.Do(func() {
		d.pool.jobs, d.pool.jobsErr = river.NewClient(d.JobDriver(), &river.Config{Logger: slog.New(slog.DiscardHandler)})
	})
	return d.pool.jobs, d.pool.jobsErr
}

func (d *DB) jobMigrator() (*rivermigrate.Migrator[*sql.Tx], error) {
	m, err := rivermigrate.New(d.JobDriver(), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, fmt.Errorf("jobs: %w", err)
	}
	return m, nil
}

func (d *DB) migrateJobsIn(ctx context.Context, tx *sql.Tx) error {
	m, err := d.jobMigrator()
	if err != nil {
		return err
	}
	// One transaction is refused for PostgreSQL's sake only: SQLite has no enums.
	//nolint:staticcheck
	if _, err := m.MigrateTx(ctx, tx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("jobs: %w", err)
	}
	return nil
}
