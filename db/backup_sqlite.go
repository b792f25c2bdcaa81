package db

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

// snapshotSQLite reads the pages of the file within one transaction, which in WAL mode
// neither waits for writers nor makes them wait. SQLite's online backup would begin again
// after each write of another process, or in a single step write a second file as large;
// VACUUM INTO writes that too, and moves every row, so that no two copies have pages in
// common. While the transaction lasts the log cannot begin anew, and grows.
func snapshotSQLite(ctx context.Context, path string) (_ *Snapshot, err error) {
	pool, err := openPool(path, "deferred", 1, new(atomic.Bool), []string{"busy_timeout(10000)", "query_only(1)", "cache_size(-2000)"})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("read %s: %w", path, err), pool.Close())
		}
	}()
	tx, err := pool.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	s := &Snapshot{Contents: Contents{Dialect: SQLite}}
	s.close = func() error {
		_ = tx.Rollback()
		return pool.Close()
	}
	s.Taken = time.Now()
	s.Schema, err = versionsIn(ctx, tx, "schema_migrations") // the first read fixes what is seen
	if err == nil {
		s.Jobs, err = versionsIn(ctx, tx, "river_migration")
	}
	p := Part{Name: "pages"}
	var pages int64
	if err == nil {
		err = tx.QueryRowContext(ctx, "PRAGMA page_count").Scan(&pages)
	}
	if err == nil {
		err = tx.QueryRowContext(ctx, "PRAGMA page_size").Scan(&p.PageSize)
	}
	if err != nil {
		_ = tx.Rollback()
		return nil, err
	}
	p.Estimate = pages * int64(p.PageSize)
	s.Parts = []Part{p}
	s.copy = func(ctx context.Context, p *Part, w io.Writer) error {
		p.Rows = 0
		err := eachRow(ctx, tx, "SELECT data FROM sqlite_dbpage ORDER BY pgno", func(rows *sql.Rows) error {
			var page sql.RawBytes
			if err := rows.Scan(&page); err != nil {
				return err
			}
			if len(page) != p.PageSize {
				return fmt.Errorf("page %d has %d bytes of %d", p.Rows+1, len(page), p.PageSize)
			}
			p.Rows++
			_, err := w.Write(page)
			return err
		})
		if err == nil && p.Rows != pages {
			err = fmt.Errorf("%s has %d pages, and %d were read", path, pages, p.Rows)
		}
		return err
	}
	s.files = filesOf(tx)
	return s, nil
}

// versionsIn returns the versions in a table of migrations.
func versionsIn(ctx context.Context, tx *sql.Tx, table string) (out []int, err error) {
	err = eachRow(ctx, tx, "SELECT version FROM "+table+" ORDER BY version", func(rows *sql.Rows) error {
		var v int
		err := rows.Scan(&v)
		out = append(out, v)
		return err
	})
	return out, err
}

func eachRow(ctx context.Context, tx *sql.Tx, query string, each func(*sql.Rows) error) error {
	rows, err := tx.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := each(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func filesOf(tx *sql.Tx) func(context.Context, func(StoredFile, bool) error) error {
	return func(ctx context.Context, each func(StoredFile, bool) error) error {
		return eachRow(ctx, tx, filesAndUses(), func(rows *sql.Rows) error {
			var (
				f     StoredFile
				named int
			)
			if err := rows.Scan(&f.Name, &f.Size, &f.Hash, &named); err != nil {
				return err
			}
			return each(f, named == 1)
		})
	}
}

// unfinished is the ending of a database file that is being restored.
const unfinished = ".restoring"

// restoreSQLite makes the file beside its place, and renames it once it is whole.
func (r *Restoring) restoreSQLite(ctx context.Context) error {
	path := strings.TrimPrefix(r.DSN, "sqlite:")
	temp := path + unfinished
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := removeSQLite(temp); err != nil {
		return err
	}
	if len(r.Parts) != 1 {
		return fmt.Errorf("the backup of a SQLite database has %d parts", len(r.Parts))
	}
	if err := r.writePages(temp); err != nil {
		return err
	}
	if err := r.prepareSQLite(ctx, temp); err != nil {
		return err
	}
	// A database of the same name without accounts goes, with its log first: a log
	// would be taken for that of the new file.
	for _, ending := range []string{"-wal", "-shm"} {
		if err := os.Remove(path + ending); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := os.Rename(temp, path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

func removeSQLite(path string) error {
	for _, ending := range []string{"", "-wal", "-shm", "-journal", ".lock"} {
		if err := os.Remove(path + ending); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (r *Restoring) writePages(path string) (err error) {
	in, err := r.Open(r.Parts[0])
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	_, err = io.Copy(w, in)
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// prepareSQLite checks the file and lets it begin anew. Closing it writes its log back.
func (r *Restoring) prepareSQLite(ctx context.Context, path string) error {
	if err := CheckSQLite(ctx, path); err != nil {
		return err
	}
	d, err := Open(ctx, "sqlite:"+path, Options{Now: r.Now})
	if err != nil {
		return err
	}
	err = d.tryStep(ctx, func(tx *sql.Tx) error { return r.beginAnew(ctx, tx) })
	if err == nil {
		var busy, log, done int
		err = d.pool.write.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log, &done)
		if err == nil && busy != 0 {
			err = errors.New("the log of the restored database cannot be written back")
		}
	}
	if err = errors.Join(err, d.Close()); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// CheckSQLite has SQLite check a database file that nobody else uses.
func CheckSQLite(ctx context.Context, path string) error {
	pool, err := openPool(path, "deferred", 1, new(atomic.Bool), []string{"query_only(1)"})
	if err != nil {
		return err
	}
	said, err := integrity(ctx, pool)
	if err = errors.Join(err, pool.Close()); err != nil {
		return fmt.Errorf("the database file is damaged: %w", err)
	}
	if said != "ok" {
		return fmt.Errorf("the database file is damaged: %s", said)
	}
	return nil
}

// integrity is what SQLite says of its file: "ok", or up to five faults.
func integrity(ctx context.Context, pool *sql.DB) (string, error) {
	rows, err := pool.QueryContext(ctx, "PRAGMA integrity_check(5)")
	if err != nil {
		return "", err
	}
	defer func() { _ = rows.Close() }()
	var found []string
	for rows.Next() {
		var said string
		if err := rows.Scan(&said); err != nil {
			return "", err
		}
		found = append(found, said)
	}
	return strings.Join(found, "; "), rows.Err()
}

func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
