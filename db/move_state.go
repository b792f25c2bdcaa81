package db

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// A move copies all rows of one database into an empty one of the other dialect. While
// it runs, and until it is complete, both have a table of its own: in the target, how
// far it has come; in the source, that its rows must not change. A database with that
// table is refused by everything but the move. The table is no part of the schema.

// ErrMoving means that the database is the target of a move that is not complete.
var ErrMoving = errors.New("a move into this database is not complete")

// ErrMoved means that the database was moved elsewhere, or is being moved.
var ErrMoved = errors.New("this database was moved")

// moveTable is the table of a move, in its source and in its target.
const moveTable = "move_state"

// MoveMark is what a database says of a move that it is a part of.
type MoveMark struct {
	// Token is equal in source and target of one move.
	Token string `json:"token"`
	// Target is set in the target.
	Target bool `json:"target,omitempty"`
	// Other is the address of the other database, without a password.
	Other string `json:"other"`
	// Complete is set in the source once the target has everything.
	Complete bool `json:"complete,omitempty"`
	// Program identifies the migrations of the program that began.
	Program string `json:"program"`
	// Stage is the part of the work that the target is at.
	Stage string `json:"stage,omitempty"`
}

// Err returns why a database with this mark may not be used.
func (m *MoveMark) Err() error {
	switch {
	case m == nil:
		return nil
	case m.Target:
		return fmt.Errorf("%w: run 'svcd move' again to go on from %s", ErrMoving, m.Other)
	case m.Complete:
		return fmt.Errorf("%w to %s: set SVC_DATABASE to that; 'svcd move --undo' takes this one into use again, as it was before the move", ErrMoved, m.Other)
	}
	return fmt.Errorf("%w in part to %s: run 'svcd move' again to go on, or 'svcd move --undo' to keep this one", ErrMoved, m.Other)
}

// moveMark reads the mark of a database, nil if there is none.
func (d *DB) moveMark(ctx context.Context) (*MoveMark, error) {
	there, err := d.hasTable(ctx, moveTable)
	if err != nil || !there {
		return nil, err
	}
	var m MoveMark
	ok, err := d.moveState(ctx, "mark", &m)
	if err != nil || !ok {
		return nil, err
	}
	return &m, nil
}

// hasTable reports whether a table exists.
func (d *DB) hasTable(ctx context.Context, name string) (bool, error) {
	exists := "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?"
	if d.pool.dialect == Postgres {
		exists = "SELECT count(*) FROM pg_tables WHERE schemaname = ANY (current_schemas(false)) AND tablename = ?"
	}
	n, err := value[int](ctx, d, "table "+name, exists, name)
	return n > 0, err
}

// moveState reads a fact that a move keeps.
func (d *DB) moveState(ctx context.Context, name string, into any) (bool, error) {
	raw, ok, err := optional(value[string](ctx, d.writing(), "state of the move", "SELECT value FROM "+moveTable+" WHERE name = ?", name))
	if err != nil || !ok {
		return false, err
	}
	return true, json.Unmarshal([]byte(raw), into)
}

// setMove is the statement that stores a fact, with the placeholders of gorm.
const setMove = "INSERT INTO " + moveTable + " (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"

// setMoveState stores a fact that a move keeps.
func (d *DB) setMoveState(ctx context.Context, name string, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = d.exec(ctx, "state of the move", setMove, name, string(raw))
	return err
}

// markMove makes the table of a move with its mark.
func (d *DB) markMove(ctx context.Context, m MoveMark) error {
	return d.Tx(ctx, func(tx *DB) error {
		if _, err := tx.exec(ctx, "mark the move", "CREATE TABLE IF NOT EXISTS "+moveTable+" (name TEXT PRIMARY KEY, value TEXT NOT NULL)"); err != nil {
			return err
		}
		return tx.setMoveState(ctx, "mark", m)
	})
}

// UndoMove takes the source of a move into use again. Its target, if it is not complete,
// cannot be gone on with: rows may change here from now on.
func (d *DB) UndoMove(ctx context.Context) error {
	m, err := d.moveMark(ctx)
	switch {
	case err != nil:
		return err
	case m == nil:
		return errors.New("this database was not moved: there is nothing to undo")
	case m.Target:
		return fmt.Errorf("%w, and has no data of its own: there is nothing to undo", ErrMoving)
	}
	return d.dropMove(ctx)
}

func (d *DB) dropMove(ctx context.Context) error {
	_, err := d.exec(ctx, "end the move", "DROP TABLE "+moveTable)
	return err
}

// passwords are the parameters of an address that are secret.
var passwords = regexp.MustCompile(`&?\b(ssl)?password=[^&]*`)

// WithoutPassword is an address of a database without its passwords, otherwise complete. It
// may name several servers, which no parser of URLs takes.
func WithoutPassword(dsn string) string {
	kind, rest, ok := strings.Cut(dsn, "://")
	if !ok {
		return dsn
	}
	if i := strings.LastIndex(rest, "@"); i >= 0 {
		user, _, _ := strings.Cut(rest[:i], ":")
		rest = user + rest[i:]
	}
	path, query, _ := strings.Cut(rest, "?")
	if query = strings.TrimPrefix(passwords.ReplaceAllString(query, ""), "&"); query != "" {
		path += "?" + query
	}
	return kind + "://" + path
}
