package db

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
)

// ErrServed means that another process serves this database; only one process
// can.
var ErrServed = errors.New("another svcd serves this database")

// owning is the lock by which one process alone serves a SQLite database.
type owning struct {
	mu   sync.Mutex
	file *os.File // nil while it is not held
}

// LockForServing locks this database for this process, until it is closed. A
// second process gets ErrServed with the process id of the first. On PostgreSQL
// several processes may serve, and nothing is locked.
func (d *DB) LockForServing() error {
	if d.Dialect() != SQLite {
		return nil
	}
	o := &d.pool.owning
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.file != nil {
		return nil
	}
	path := strings.TrimPrefix(d.pool.dsn, "sqlite:")
	f, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	mine, err := lockFile(f)
	switch {
	case err != nil:
		err = fmt.Errorf("lock %s: %w", f.Name(), err)
	case !mine:
		err = fmt.Errorf("%s: %w", path, servedBy(f))
	default:
		err = errors.Join(f.Truncate(0), errOf(fmt.Fprintln(f, os.Getpid())))
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	o.file = f
	return nil
}

// Served reports whether another process serves this SQLite database, which has one
// writer: bulk work is left to that process then. It is false on PostgreSQL.
func (d *DB) Served() (bool, error) {
	if d.Dialect() != SQLite {
		return false, nil
	}
	o := &d.pool.owning
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.file != nil { // closing another handle of it would release the lock
		return false, nil
	}
	f, err := os.OpenFile(strings.TrimPrefix(d.pool.dsn, "sqlite:")+".lock", os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	locked, err := fileLocked(f)
	return locked, errors.Join(err, f.Close())
}

// servedBy names the process that holds the lock on f.
func servedBy(f *os.File) error {
	raw, err := io.ReadAll(io.LimitReader(f, 32))
	if id := strings.TrimSpace(string(raw)); err == nil && id != "" {
		return fmt.Errorf("%w: process %s", ErrServed, id)
	}
	return ErrServed
}

// disown releases the lock.
func (o *owning) disown() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.file == nil {
		return nil
	}
	err := o.file.Close()
	o.file = nil
	return err
}

// ForgetOthers removes the rows of all processes but one. It is for SQLite,
// where LockForServing makes sure that there is no other.
func (d *DB) ForgetOthers(ctx context.Context, id string) error {
	if err := d.LockForServing(); err != nil {
		return err
	}
	_, err := d.exec(ctx, "forget other processes", "DELETE FROM processes WHERE id <> ?", id)
	return err
}
