package db

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"

	"gorm.io/gorm"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// readers is how many SQLite connections may read at once. Reads are short and
// mostly CPU, so that more would only cost memory.
const readers = 4

// mostLog bounds the write-ahead log in bytes. A longer log is truncated when
// it starts anew, which waits for readers.
const mostLog = 16 << 20

// openSQLite opens one connection for writes and a few for reads. One writer in
// the process queues fairly, where several would sleep and retry on the file's
// lock. Other processes are still waited for, up to busy_timeout.
func openSQLite(p *pool, path string) (*DB, error) {
	if dir := filepath.Dir(path); dir != "." {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	}
	if err := makePrivate(path); err != nil {
		return nil, err
	}
	// Pages that are not cached here are in the system's cache anyway.
	sync, cache := "FULL", "cache_size(-2000)"
	if p.bulk {
		sync, cache = "NORMAL", "cache_size(-200000)"
	}
	const wait = "busy_timeout(10000)"
	common := []string{"foreign_keys(1)", "temp_store(2)", cache}
	var err error
	// journal_mode before all that writes: it must not run inside the immediate
	// transaction that the lock setting would begin. It waits for other processes.
	p.write, err = openPool(path, "immediate", 1, &p.sharing.uninterrupted, append([]string{wait, "journal_mode(WAL)", "synchronous(" + sync + ")", "wal_autocheckpoint(2000)", fmt.Sprintf("journal_size_limit(%d)", mostLog)}, common...))
	if err != nil {
		return nil, err
	}
	p.dialect = SQLite
	p.sharing.write, p.sharing.longest = p.write, shareTime
	// Caches may have been filled from rows that were undone.
	p.sharing.lost = func() { p.tell(AnythingMissed, "") }
	p.read, err = openPool(path, "deferred", readers, new(atomic.Bool), append([]string{wait, "query_only(1)"}, common...))
	if err != nil {
		return nil, errors.Join(err, p.write.Close())
	}
	write, err := p.gorm(sqliteDialect{p.write})
	if err != nil {
		return nil, err
	}
	read, err := p.gorm(sqliteDialect{p.read})
	if err != nil {
		return nil, err
	}
	return &DB{pool: p, orm: read, wrt: write}, nil
}

// makePrivate creates a missing file with access for its owner alone, since
// password hashes will be in it. It never opens an existing file: closing that
// would drop this process's locks on it.
func makePrivate(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

func openPool(path, lock string, size int, uninterrupted *atomic.Bool, pragmas []string) (*sql.DB, error) {
	q := url.Values{"_txlock": {lock}, "_pragma": pragmas}
	driver, err := sqlite.NewConnector("file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode())
	if err != nil {
		return nil, err
	}
	c := sql.OpenDB(keepStatements{driver, uninterrupted})
	c.SetMaxOpenConns(size)
	c.SetMaxIdleConns(size)
	return c, nil
}

// gorm opens the mapper over an open pool. The mapper need not keep compiled
// statements: the connections of both databases do.
func (p *pool) gorm(d gorm.Dialector) (*gorm.DB, error) {
	return gorm.Open(d, &gorm.Config{
		NamingStrategy:         naming{},
		Logger:                 &statementLog{p.log, &p.unreadable, p.dialect, p.observe},
		NowFunc:                p.now,
		SkipDefaultTransaction: true,
		TranslateError:         true,
		DisableAutomaticPing:   true,
	})
}

// isSQLiteDuplicate recognises a violated unique or primary key.
func isSQLiteDuplicate(err error) bool {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return false
	}
	return e.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || e.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY
}

// isSQLiteBusy recognises a lock that another process did not give up in time.
func isSQLiteBusy(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&0xff == sqlite3.SQLITE_BUSY
}

// isSQLiteClosed recognises a file that cannot be opened: another connection to
// a database in use lacks a descriptor.
func isSQLiteClosed(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&0xff == sqlite3.SQLITE_CANTOPEN
}
