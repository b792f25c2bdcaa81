package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// ErrUnavailable means that the database gave no answer in time: it is
// unreachable, it hangs, a lock was held too long, or no connection was free. A
// later try may succeed. If the connection broke while a statement ran, its
// effect is unknown.
var ErrUnavailable = errors.New("the database is not available")

// unavailable is an error of the driver that counts as ErrUnavailable.
type unavailable struct{ error }

func (unavailable) Is(target error) bool { return target == ErrUnavailable }
func (u unavailable) Unwrap() error      { return u.error }

// outage marks err if it is one of ErrUnavailable.
func outage(err error) error {
	if isOutage(err) && !errors.Is(err, ErrUnavailable) {
		return unavailable{err}
	}
	return err
}

// outages are the SQLSTATE codes of an outage, whole or by class. Source:
// PostgreSQL, appendix A.
var outages = []string{
	"08",    // connection exceptions
	"25006", // read_only_sql_transaction: the primary became a standby
	"25P03", // idle_in_transaction_session_timeout
	"40001", // serialization_failure, after as many tries as are made
	"40P01", // deadlock_detected, likewise
	"53",    // insufficient resources, such as too many connections, or a full disk
	"55P03", // lock_not_available: lock_timeout
	"57014", // query_canceled: statement_timeout
	"57P",   // the server stops, starts or recovers
	"58",    // system errors, such as of the disk
}

func isOutage(err error) bool {
	var (
		refused *pgconn.PgError
		connect *pgconn.ConnectError
		network net.Error
	)
	switch {
	case err == nil, errors.Is(err, context.Canceled): // the caller gave up
		return false
	case errors.As(err, &connect):
		return true
	case errors.As(err, &refused):
		for _, code := range outages {
			if strings.HasPrefix(refused.Code, code) {
				return true
			}
		}
		return false
	case errors.As(err, &network), isSQLiteBusy(err), isSQLiteClosed(err), isSQLiteAway(err):
		return true
	}
	for _, broken := range []error{context.DeadlineExceeded, driver.ErrBadConn, sql.ErrConnDone, pgconn.ErrConnClosed, net.ErrClosed, io.EOF, io.ErrUnexpectedEOF} {
		if errors.Is(err, broken) {
			return true
		}
	}
	return false
}

// IsTemporary reports whether err is a failure of the database itself:
// ErrUnavailable, or a disk that is full or broken. Queued work continues once
// it has passed, and no attempt is counted meanwhile.
func IsTemporary(err error) bool {
	var refused *pgconn.PgError
	switch {
	case errors.Is(err, ErrUnavailable):
		return true
	case errors.As(err, &refused):
		return strings.HasPrefix(refused.Code, "58")
	}
	return isSQLiteAway(err)
}

// isSQLiteAway reports whether SQLite's disk is full, broken or away.
func isSQLiteAway(err error) bool {
	var lite *sqlite.Error
	return errors.As(err, &lite) && slices.Contains(passing, lite.Code()&0xff)
}

// passing are the codes of SQLite's temporary failures.
var passing = []int{
	sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PROTOCOL,
}

// IsFull reports whether err means that the disk of the database has no room, be it for
// the rows or, with SQLite, for a file beside them.
func IsFull(err error) bool {
	var (
		refused *pgconn.PgError
		lite    *sqlite.Error
	)
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return true
	case errors.As(err, &refused):
		return refused.Code == "53100" // disk_full
	}
	return errors.As(err, &lite) && slices.Contains(full, lite.Code())
}

// full are the codes of SQLite for a disk without room. Its log and the memory that
// processes share are files too, and say so in their own way.
var full = []int{sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_TRUNCATE, sqlite3.SQLITE_IOERR_SHMSIZE}
