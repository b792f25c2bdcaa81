package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// ErrHasData means that a database is not empty, so that nothing is restored into it.
var ErrHasData = errors.New("the database has data")

// Contents describes what a snapshot has, and what a restored database gets.
type Contents struct {
	Dialect   Dialect    `json:"kind"`
	Schema    []int      `json:"schema"` // the migrations applied
	Jobs      []int      `json:"jobs"`   // those of the job queue
	Parts     []Part     `json:"parts"`
	Sequences []Sequence `json:"sequences,omitempty"`
}

// Part is a table of PostgreSQL in the text format of COPY, or all pages of a SQLite
// file in their order.
type Part struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns,omitempty"`
	Rows    int64    `json:"rows,omitempty"` // known once it was copied
	// PageSize is that of SQLite, 0 for a table.
	PageSize int `json:"page_size,omitempty"`
	// Estimate is about how many bytes it has.
	Estimate int64 `json:"-"`
}

// Sequence is a generator of numbers on PostgreSQL.
type Sequence struct {
	Name   string `json:"name"`
	Last   int64  `json:"last"`
	Called bool   `json:"called"` // the next number is the one after Last
}

// Snapshot is one view of the whole database, which goes on taking writes meanwhile.
type Snapshot struct {
	Contents
	Taken time.Time

	copy  func(ctx context.Context, p *Part, w io.Writer) error
	files func(ctx context.Context, each func(f StoredFile, named bool) error) error
	close func() error
}

// Copy writes one of the parts, and counts its rows.
func (s *Snapshot) Copy(ctx context.Context, p *Part, w io.Writer) error { return s.copy(ctx, p, w) }

// Files calls each with every stored file, by name, and whether a row names it. One that
// none names is being stored, or about to be removed.
func (s *Snapshot) Files(ctx context.Context, each func(f StoredFile, named bool) error) error {
	return s.files(ctx, each)
}

// Close ends the snapshot.
func (s *Snapshot) Close() error { return s.close() }

// filesAndUses is the statement of Snapshot.Files.
func filesAndUses() string {
	named := "EXISTS (SELECT 1 FROM media_attachments m WHERE m.file <> '' AND m.file = t.name) OR EXISTS (SELECT 1 FROM backups b WHERE b.file <> '' AND b.file = t.name)" +
		" OR EXISTS (SELECT 1 FROM report_files f WHERE f.file = t.name)"
	for _, column := range []string{"avatar", "header", "background"} {
		named += " OR EXISTS (SELECT 1 FROM accounts a WHERE a.local AND a." + column + " <> '' AND a." + column + " = '" + MediaPath + "' || t.name)"
	}
	return "SELECT t.name, t.size, t.hash, CASE WHEN " + named + " THEN 1 ELSE 0 END FROM stored_files t ORDER BY t.name"
}

// OpenSnapshot begins a snapshot on a connection of its own.
func (d *DB) OpenSnapshot(ctx context.Context) (*Snapshot, error) {
	if d.pool.dialect == Postgres {
		return snapshotPostgres(ctx, d.pool.dsn)
	}
	return snapshotSQLite(ctx, strings.TrimPrefix(d.pool.dsn, "sqlite:"))
}

// restoredKey is the key in meta of the restoration that a database comes from.
const restoredKey = "restored"

// Fits returns an error if this program cannot restore c: ErrNewer if a later program
// made it.
func (c *Contents) Fits() error {
	d := &DB{pool: &pool{dialect: c.Dialect, migrations: migrations}}
	if c.Dialect != SQLite && c.Dialect != Postgres {
		return fmt.Errorf("the backup is of a database of the kind %q", c.Dialect)
	}
	known, err := d.known()
	if err != nil {
		return err
	}
	s := Schema{First: known[0].version, Latest: known[len(known)-1].version}
	var ours []int
	for _, m := range known {
		ours = append(ours, m.version)
	}
	if len(c.Schema) == 0 {
		return errors.New("the backup has no version of the schema")
	}
	s.Version, s.Unknown = c.Schema[len(c.Schema)-1], without(c.Schema, ours)
	jobs, err := d.jobVersions()
	if err != nil {
		return err
	}
	s.UnknownJobs = without(c.Jobs, jobs)
	return s.Err()
}

// Restoring is a database that contents are restored into.
type Restoring struct {
	DSN string
	Contents
	// Run names this restoration: one that was interrupted finds its own rows by it.
	Run string
	Now func() time.Time
	// Open returns the contents of a part.
	Open func(p Part) (io.ReadCloser, error)
}

// Begun reports whether the database has what this restoration restored: one that was
// interrupted after that is done. A database with anything else is ErrHasData; one
// without accounts counts as empty. A part of a move is ErrMoving or ErrMoved.
func (r *Restoring) Begun(ctx context.Context) (done bool, err error) {
	path, isFile := strings.CutPrefix(r.DSN, "sqlite:")
	if isFile {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
	}
	d, err := Open(ctx, r.DSN, Options{Now: r.Now})
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if err := d.LockForServing(); err != nil {
		return false, err
	}
	moved, err := d.moveMark(ctx)
	if err == nil {
		err = moved.Err()
	}
	if err != nil {
		return false, err
	}
	applied, err := d.applied(ctx, "schema_migrations")
	if err != nil || len(applied) == 0 {
		return false, err
	}
	run, err := d.Meta(ctx, restoredKey)
	if err != nil || run == r.Run {
		return err == nil, err
	}
	if any, err := d.AnyAccount(ctx); err != nil || any {
		return false, errors.Join(err, fmt.Errorf("%s: %w: it has accounts", Redact(r.DSN), ErrHasData))
	}
	if d.pool.dialect == SQLite {
		return false, nil // the file is replaced
	}
	jobs, err := d.applied(ctx, "river_migration")
	if err != nil {
		return false, err
	}
	if !slices.Equal(applied, r.Schema) || !slices.Equal(jobs, r.Jobs) {
		return false, fmt.Errorf("%s: %w: it has the empty tables of another version; drop and create the database", Redact(r.DSN), ErrHasData)
	}
	alive, err := value[int64](ctx, d, "processes", "SELECT count(*) FROM processes WHERE seen_at > "+d.clock()+" - 60000000")
	if err == nil && alive > 0 {
		err = fmt.Errorf("%s: a service runs on the database; stop it first", Redact(r.DSN))
	}
	return false, err
}

// Restore restores the contents: all, or on an error nothing.
func (r *Restoring) Restore(ctx context.Context) error {
	if r.Dialect == Postgres {
		return r.restorePostgres(ctx)
	}
	return r.restoreSQLite(ctx)
}

// beginAnew ends what the copied service was in the middle of: its processes are not
// there, so that their claims are released, and what happened after the copy is gone, so
// that streams begin anew. The values are our own, so there are no placeholders, which the
// two drivers write differently.
func (r *Restoring) beginAnew(ctx context.Context, tx *sql.Tx) error {
	for _, query := range []string{
		"DELETE FROM processes",
		"DELETE FROM river_leader",
		"UPDATE meta SET value = '" + newEpoch() + "' WHERE key = '" + eventEpoch + "'",
		"DELETE FROM meta WHERE key = '" + restoredKey + "'",
		"INSERT INTO meta (key, value) VALUES ('" + restoredKey + "', '" + r.Run + "')",
	} {
		if _, err := tx.ExecContext(ctx, query); err != nil {
			return fmt.Errorf("begin anew: %w", err)
		}
	}
	return nil
}
