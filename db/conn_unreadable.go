package db

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"sync"
)

// ErrUnreadable means that a row exists and holds a value that cannot be read,
// such as broken JSON. Lists leave such a row out.
var ErrUnreadable = errors.New("the row cannot be read")

type unreadable struct{ error }

func (unreadable) Is(target error) bool { return target == ErrUnreadable }
func (u unreadable) Unwrap() error      { return u.error }

// isUnreadable recognises the error of a value that does not fit the type of
// its column. database/sql has no type for it.
func isUnreadable(err error) bool {
	return err != nil && (errors.Is(err, ErrUnreadable) || strings.Contains(err.Error(), "sql: Scan error on column"))
}

// unreadableRows remembers the unreadable rows that were logged, to log each
// once.
type unreadableRows struct {
	mu    sync.Mutex
	known map[string]bool
}

// maxUnreadable bounds how many are named.
const maxUnreadable = 1000

// told reports whether a row was logged before.
func (s *unreadableRows) told(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known[name] || len(s.known) >= maxUnreadable {
		return true
	}
	if s.known == nil {
		s.known = map[string]bool{}
	}
	s.known[name] = true
	return false
}

// leaveOut logs an unreadable row, the first time that it is met.
func (l *statementLog) leaveOut(ctx context.Context, what, id string, err error) {
	if name := what + " " + id; !l.unreadable.told(name) {
		l.log.LogAttrs(ctx, slog.LevelError, "a row is left out",
			slog.String("what", what), slog.String("id", id), slog.Any("err", err))
	}
}

// LeaveOut logs that a row is skipped because of err, the first time.
func (d *DB) LeaveOut(ctx context.Context, what string, id any, err error) {
	if l, ok := d.orm.Logger.(*statementLog); ok {
		l.leaveOut(ctx, what, fmt.Sprint(id), err)
	}
}

// named returns the type and id of a row for the log, as far as they were read.
func named(row any) (what, id string) {
	v := reflect.ValueOf(row).Elem()
	if v.Kind() == reflect.Struct {
		if f := v.FieldByName("ID"); f.IsValid() {
			id = fmt.Sprint(f.Interface())
		}
	}
	return v.Type().Name(), id
}
