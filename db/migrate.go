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
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
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

// createMigrations makes the table of the migrations that were applied.
const createMigrations = "CREATE TABLE IF NOT EXISTS schema_migrations (version BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)"

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

// outside is the first line of a migration for PostgreSQL that builds indexes
// with CREATE INDEX CONCURRENTLY, which no transaction may contain. Each of its
// statements ends a line with a semicolon.
const outside = "-- outside a transaction\n"

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
	// The job queue has migrations of its own.
	for _, driver := range []riverdriver.Driver[*sql.Tx]{riversqlite.New(nil), riverdatabasesql.New(nil)} {
		if m, err := rivermigrate.New(driver, nil); err == nil {
			for _, v := range m.AllVersions() {
				_, _ = fmt.Fprintln(h, v.Name, v.Version, v.SQLUp)
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// Schema is where a database stands. Migrations are compared as a set: one that
// was written before another may be released after it. The job queue has migrations
// of its own: a start that was interrupted, or a release that updates the queue
// alone, leaves those missing.
type Schema struct {
	Version int   // the last migration applied, 0 for an empty database
	First   int   // the one this program begins with
	Latest  int   // the last one this program knows
	Missing []int // the ones to apply
	Unknown []int // the ones applied by a newer program, or before the first release

	MissingJobs []int // the migrations of the job queue to apply
	UnknownJobs []int // those applied by a newer program

	Move *MoveMark // of a move that the database is a part of, or nil
}

// Err returns why this program cannot use the database: ErrNewer or ErrOlder, or ErrMoving
// or ErrMoved.
func (s Schema) Err() error {
	switch {
	case len(s.Unknown) == 0 && len(s.UnknownJobs) == 0:
		return s.Move.Err()
	case len(s.Unknown) == 0:
		return fmt.Errorf("migrations %d of the job queue are unknown: %w", s.UnknownJobs, ErrNewer)
	case s.Version < s.First:
		return fmt.Errorf("schema %d, known from %d on: %w", s.Version, s.First, ErrOlder)
	}
	return fmt.Errorf("schema %d, known up to %d: %w", s.Version, s.Latest, ErrNewer)
}

// Pending reports whether Migrate would change anything.
func (s Schema) Pending() bool { return len(s.Missing) > 0 || len(s.MissingJobs) > 0 }

func (d *DB) known() ([]migration, error) {
	dir := "migrations/" + string(d.pool.dialect)
	entries, err := fs.ReadDir(d.pool.migrations, dir)
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
		text, err := fs.ReadFile(d.pool.migrations, dir+"/"+e.Name())
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
	applied, err := d.applied(ctx, "schema_migrations")
	if err != nil {
		return s, err
	}
	if len(applied) > 0 {
		s.Version = applied[len(applied)-1]
	}
	ours := make([]int, len(known))
	for i, m := range known {
		ours[i] = m.version
	}
	s.Missing, s.Unknown = without(ours, applied), without(applied, ours)
	jobs, err := d.jobVersions()
	if err != nil {
		return s, err
	}
	if applied, err = d.applied(ctx, "river_migration"); err != nil {
		return s, err
	}
	s.MissingJobs, s.UnknownJobs = without(jobs, applied), without(applied, jobs)
	s.Move, err = d.moveMark(ctx)
	return s, err
}

// without returns the versions that are not among others.
func without(versions, others []int) (out []int) {
	for _, v := range versions {
		if !slices.Contains(others, v) {
			out = append(out, v)
		}
	}
	return out
}

// applied returns the versions that a table of migrations has, in their order; none
// where there is no table yet.
func (d *DB) applied(ctx context.Context, table string) ([]int, error) {
	if there, err := d.hasTable(ctx, table); err != nil || !there {
		return nil, err
	}
	return list[int](ctx, d, "migrations", "SELECT version FROM "+table+" ORDER BY version")
}

// Migrate brings the schema and that of the job queue up to date while other
// migrating processes wait.
// Each migration is whole or absent, so that an interrupted run can be repeated.
// An older process may serve meanwhile. A
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
	if now.Pending() {
		if err := d.migrate(ctx); err != nil {
			return fmt.Errorf("migrate: %w", err)
		}
	}
	return d.followIDs(ctx)
}

// migrate applies what is missing.
func (d *DB) migrate(ctx context.Context) error {
	if d.pool.dialect == Postgres {
		return d.migratePostgres(ctx)
	}
	return d.migrateSQLite(ctx)
}

// migrateSQLite begins each transaction with the write lock, so that processes
// take turns.
func (d *DB) migrateSQLite(ctx context.Context) error {
	if err := d.applyAll(ctx); err != nil {
		return err
	}
	return d.step(ctx, func(tx *sql.Tx) error { return d.migrateJobsIn(ctx, tx) })
}

// migratePostgres holds a lock over several transactions, for processes to take
// turns.
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
	return d.applyAll(ctx)
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

// applyAll applies the missing migrations in their order, each in a transaction
// of its own. Another process may have been first with some.
func (d *DB) applyAll(ctx context.Context) error {
	known, err := d.known()
	if err != nil {
		return err
	}
	if err := d.step(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, createMigrations)
		return err
	}); err != nil {
		return err
	}
	for _, m := range known {
		if err := d.apply(ctx, m); err != nil {
			return fmt.Errorf("%d %s: %w", m.version, m.name, err)
		}
	}
	return nil
}

func (d *DB) apply(ctx context.Context, m migration) error {
	// Numbers and file names of our own, so no placeholders, which the two drivers
	// write differently.
	applied := fmt.Sprintf("SELECT count(*) FROM schema_migrations WHERE version = %d", m.version)
	record := fmt.Sprintf("INSERT INTO schema_migrations (version, name, applied_at) VALUES (%d, '%s', %d)", m.version, m.name, d.pool.now().UnixMicro())
	text, indexes := strings.CutPrefix(m.sql, outside)
	if indexes {
		var n int
		if err := d.pool.write.QueryRowContext(ctx, applied).Scan(&n); err != nil || n > 0 {
			return err
		}
		if err := d.buildIndexes(ctx, text); err != nil {
			return err
		}
		text = ""
	}
	return d.step(ctx, func(tx *sql.Tx) error {
		var n int
		if err := tx.QueryRowContext(ctx, applied).Scan(&n); err != nil || n > 0 {
			return err
		}
		_, err := tx.ExecContext(ctx, text+";\n"+record)
		return err
	})
}

const (
	// lockWait is how long a migration waits for a table that is in use. Statements
	// that come after it wait behind it, so it gives up soon, and tries again.
	lockWait = 2 * time.Second
	// lockTries bounds the attempts: a backup may use all tables for minutes.
	lockTries = 200
)

// step runs fn in a transaction of its own.
func (d *DB) step(ctx context.Context, fn func(tx *sql.Tx) error) error {
	for try := 1; ; try++ {
		err := d.tryStep(ctx, fn)
		var refused *pgconn.PgError
		locked := isSQLiteBusy(err) || errors.As(err, &refused) && refused.Code == "55P03" // lock_not_available
		if try == lockTries || ctx.Err() != nil || !locked {
			return err
		}
		d.pool.log.InfoContext(ctx, "a migration waits for a table that is in use", "try", try)
		rest(ctx, lockWait/2+rand.N(lockWait))
	}
}

func (d *DB) tryStep(ctx context.Context, fn func(tx *sql.Tx) error) error {
	tx, err := d.pool.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if d.pool.dialect == Postgres {
		if _, err := tx.ExecContext(ctx, "SET LOCAL lock_timeout = "+millis(lockWait)); err != nil {
			return err
		}
	}
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// builds finds the name of the index that a statement builds.
var builds = regexp.MustCompile(`^CREATE (?:UNIQUE )?INDEX CONCURRENTLY IF NOT EXISTS (\w+) `)

// buildIndexes builds indexes while their tables are written. PostgreSQL waits
// for older transactions then, and keeps an index that it could not finish as
// invalid: it is dropped before the next attempt.
func (d *DB) buildIndexes(ctx context.Context, text string) error {
	conn, err := d.pool.write.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	var usual string
	if err := conn.QueryRowContext(ctx, "SHOW lock_timeout").Scan(&usual); err != nil {
		return err
	}
	run := func(query string) error { _, err := conn.ExecContext(ctx, query); return err }
	if err := run("SET lock_timeout = 0"); err != nil {
		return err
	}
	defer func() { _ = run("SET lock_timeout = '" + usual + "'") }()
	for statement := range strings.SplitSeq(strings.TrimSuffix(strings.TrimSpace(text), ";"), ";\n") {
		statement = strings.TrimSpace(statement)
		name := builds.FindStringSubmatch(statement)
		if name == nil {
			return fmt.Errorf("outside a transaction only indexes are built: %s", statement)
		}
		var invalid int
		if err := conn.QueryRowContext(ctx, "SELECT count(*) FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid", name[1]).Scan(&invalid); err != nil {
			return err
		}
		if invalid > 0 {
			if err := run("DROP INDEX CONCURRENTLY " + name[1]); err != nil {
				return err
			}
		}
		if err := run(statement); err != nil {
			return err
		}
	}
	return nil
}

// JobDriver is River's driver for this database.
func (d *DB) JobDriver() riverdriver.Driver[*sql.Tx] {
	if d.pool.dialect == Postgres {
		return silent{riverdatabasesql.New(d.pool.write)}
	}
	return silent{riversqlite.New(d.pool.write)}
}

// silent is a driver without notifications in its transactions: on PostgreSQL
// those serialise the commits of all databases of the server, on SQLite they are
// rows that every runner reads again and again. WaitForWork does without.
type silent struct{ riverdriver.Driver[*sql.Tx] }

// SupportsListenNotify keeps the job client from sending them.
func (silent) SupportsListenNotify() bool { return false }

// SupportsListener keeps it from waiting for them.
func (silent) SupportsListener() bool { return false }

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

// jobVersions returns the migrations of the job queue that this program knows.
func (d *DB) jobVersions() ([]int, error) {
	m, err := d.jobMigrator()
	if err != nil {
		return nil, err
	}
	var out []int
	for _, v := range m.AllVersions() {
		out = append(out, v.Version)
	}
	return out, nil
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
