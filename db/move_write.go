package db

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// moveWriter writes chunks of rows into the target: rows and state in one transaction.
type moveWriter interface {
	write(ctx context.Context, t *movedTable, rows [][]any, state tableState) error
	close() error
}

// moveWriter returns the writer for a target, while no other process has one.
func (d *DB) moveWriter(ctx context.Context) (moveWriter, error) {
	if d.Dialect() == SQLite { // its file is locked
		binary, err := value[bool](ctx, d.writing(), "schema of jobs", "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'river_job' AND sql LIKE '%jsonb(%')")
		return sqliteWriter{d, binary}, err
	}
	conn, err := d.pool.write.Conn(ctx)
	if err != nil {
		return nil, outage(err)
	}
	w := &postgresWriter{conn}
	var mine bool
	err = w.raw(func(c *pgx.Conn) error {
		if _, err := c.Exec(ctx, "SET statement_timeout = 0"); err != nil {
			return err
		}
		if _, err := c.Exec(ctx, "SET idle_in_transaction_session_timeout = 0"); err != nil {
			return err
		}
		return c.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", moveLock).Scan(&mine)
	})
	if err == nil && !mine {
		err = errors.New("another process moves into this database")
	}
	if err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

// moveLock keeps two processes from moving into one PostgreSQL at once.
const moveLock = 7327173

// sqliteWriter inserts rows.
type sqliteWriter struct {
	d      *DB
	binary bool // JSON is stored in the binary form
}

func (w sqliteWriter) close() error { return nil }

func (w sqliteWriter) write(ctx context.Context, t *movedTable, rows [][]any, state tableState) error {
	var names, places []string
	for _, c := range t.columns {
		names = append(names, quoted(c.name))
		place := "?"
		if w.binary && (c.kind == jsonValue || c.kind == listValue || c.kind == jsonsValue) {
			place = "jsonb(CAST(? AS TEXT))"
		}
		places = append(places, place)
	}
	insert := "INSERT INTO " + quoted(t.name) + " (" + strings.Join(names, ", ") + ") VALUES (" + strings.Join(places, ", ") + ")"
	return w.d.Tx(ctx, func(tx *DB) error {
		raw, err := tx.SQLTx()
		if err != nil {
			return err
		}
		st, err := raw.PrepareContext(ctx, insert)
		if err != nil {
			return err
		}
		defer func() { _ = st.Close() }()
		args := make([]any, len(names))
		for _, row := range rows {
			for i, c := range t.columns {
				args[i] = c.written(row[i])
			}
			if _, err := st.ExecContext(ctx, args...); err != nil {
				return fmt.Errorf("row %v: %w", t.keyOf(row), err)
			}
		}
		return tx.setMoveState(ctx, "table "+t.name, state)
	})
}

func (t *movedTable) keyOf(row []any) (key []any) {
	for _, i := range t.key {
		key = append(key, row[i])
	}
	return key
}

type postgresWriter struct{ conn *sql.Conn }

// raw calls fn with the connection of the driver, which alone has COPY.
func (w *postgresWriter) raw(fn func(c *pgx.Conn) error) error {
	return w.conn.Raw(func(raw any) error { return fn(raw.(*boundedConn).Conn.Conn()) })
}

// close ends the connection: it has other settings than those of the pool, and a lock.
func (w *postgresWriter) close() error {
	_ = w.conn.Raw(func(any) error { return driver.ErrBadConn })
	if err := w.conn.Close(); !errors.Is(err, sql.ErrConnDone) {
		return err
	}
	return nil
}

func (w *postgresWriter) write(ctx context.Context, t *movedTable, rows [][]any, state tableState) error {
	var names []string
	number := -1 // the column that events.id is copied from
	for i, c := range t.columns {
		names = append(names, quoted(c.name))
		if t.name == "events" && c.name == "seq" {
			number = i
		}
	}
	if number >= 0 {
		names = append(names, quoted("id"))
	}
	var (
		text []byte
		err  error
	)
	for _, row := range rows {
		for i, c := range t.columns {
			if i > 0 {
				text = append(text, '\t')
			}
			if text, err = c.copied(text, row[i]); err != nil {
				return err
			}
		}
		if number >= 0 {
			text = fmt.Appendf(text, "\t%d", row[number])
		}
		text = append(text, '\n')
	}
	kept, err := json.Marshal(state)
	if err != nil {
		return err
	}
	return w.raw(func(c *pgx.Conn) error {
		tx, err := c.Begin(ctx)
		if err != nil {
			return outage(err)
		}
		defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
		if len(rows) > 0 {
			if _, err := c.PgConn().CopyFrom(ctx, bytes.NewReader(text), "COPY "+quoted(t.name)+" ("+strings.Join(names, ", ")+") FROM STDIN"); err != nil {
				return copyRefused(err)
			}
		}
		set := strings.Replace(strings.Replace(setMove, "?", "$1", 1), "?", "$2", 1)
		if _, err := tx.Exec(ctx, set, "table "+t.name, string(kept)); err != nil {
			return err
		}
		return tx.Commit(ctx)
	})
}

// copyRefused is an error of COPY with its row, which is in another field.
func copyRefused(err error) error {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return fmt.Errorf("%w: %s %s", err, refused.Detail, refused.Where)
	}
	return outage(err)
}
