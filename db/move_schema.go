package db

import (
	"context"
	"fmt"
	"time"
)

// storedTrigger is a trigger of SQLite, which cannot be switched off.
type storedTrigger struct {
	Name string `json:"name"`
	SQL  string `json:"sql"`
}

// prepareTarget removes the rows of the migrations, whose place those of the source take,
// and switches triggers off: what they would derive is copied.
func (m *Move) prepareTarget(ctx context.Context) error {
	return m.to.Tx(ctx, func(tx *DB) error {
		for i := range m.tables {
			if _, err := tx.exec(ctx, "empty "+m.tables[i].name, "DELETE FROM "+quoted(m.tables[i].name)); err != nil {
				return err
			}
		}
		if m.to.Dialect() == Postgres {
			return tx.switchTriggers(ctx, "DISABLE")
		}
		triggers, err := list[storedTrigger](ctx, tx, "triggers", "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name")
		if err != nil {
			return err
		}
		for _, t := range triggers {
			if _, err := tx.exec(ctx, "switch a trigger off", "DROP TRIGGER "+quoted(t.Name)); err != nil {
				return err
			}
		}
		if err := tx.setMoveState(ctx, "triggers", triggers); err != nil {
			return err
		}
		return m.setStage(ctx, tx, MoveCopies) // never twice: the triggers are gone
	})
}

// switchTriggers switches all triggers of PostgreSQL that are not its own.
func (d *DB) switchTriggers(ctx context.Context, how string) error {
	tables, err := list[string](ctx, d.writing(), "tables with triggers", `SELECT DISTINCT c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
		WHERE NOT t.tgisinternal AND c.relnamespace = to_regnamespace(current_schema()) ORDER BY 1`)
	if err != nil {
		return err
	}
	for _, name := range tables {
		if _, err := d.exec(ctx, "switch triggers", "ALTER TABLE "+quoted(name)+" "+how+" TRIGGER USER"); err != nil {
			return err
		}
	}
	return nil
}

// finishSchema switches triggers on again, and sets the next numbers of rows behind the
// highest ones that the source ever gave.
func (m *Move) finishSchema(ctx context.Context, tx *DB) error {
	head, err := m.from.eventHead(ctx)
	if err != nil {
		return err
	}
	last, err := m.from.lastNumbers(ctx)
	if err != nil {
		return err
	}
	last["events"] = head.Seq
	if tx.Dialect() == SQLite {
		return tx.finishSQLite(ctx, last)
	}
	if err := tx.switchTriggers(ctx, "ENABLE"); err != nil {
		return err
	}
	if _, err := tx.exec(ctx, "set the head of events", "DELETE FROM event_head"); err != nil {
		return err
	}
	if _, err := tx.exec(ctx, "set the head of events", "INSERT INTO event_head (seq) VALUES (?)", head.Seq); err != nil {
		return err
	}
	numbered, err := tx.numbered(ctx)
	if err != nil {
		return err
	}
	for _, n := range numbered {
		if _, err := value[int64](ctx, tx, "set the next number of "+n.Table, fmt.Sprintf(`SELECT CASE WHEN g.n > 0 THEN setval('%s', g.n) ELSE 0 END
			FROM (SELECT GREATEST(CAST(? AS bigint), (SELECT MAX(%s) FROM %s)) AS n) g`, n.Sequence, quoted(n.Column), quoted(n.Table)), last[n.Table]); err != nil {
			return err
		}
	}
	return nil
}

func (d *DB) finishSQLite(ctx context.Context, last map[string]int64) error {
	var triggers []storedTrigger
	if _, err := d.moveState(ctx, "triggers", &triggers); err != nil {
		return err
	}
	for _, t := range triggers {
		if _, err := d.exec(ctx, "switch a trigger on", t.SQL); err != nil {
			return err
		}
	}
	tables, err := list[string](ctx, d, "numbered tables", "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'")
	if err != nil {
		return err
	}
	for _, name := range tables {
		if last[name] == 0 {
			continue
		}
		// The inserts made a row for those that have any.
		n, err := d.exec(ctx, "set the next number of "+name, "UPDATE sqlite_sequence SET seq = MAX(seq, ?) WHERE name = ?", last[name], name)
		if err == nil && n == 0 {
			_, err = d.exec(ctx, "set the next number of "+name, "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", name, last[name])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// numberedColumn is a column of PostgreSQL with a sequence.
type numberedColumn struct{ Table, Column, Sequence string }

func (d *DB) numbered(ctx context.Context) ([]numberedColumn, error) {
	return list[numberedColumn](ctx, d.writing(), "numbered columns", `SELECT * FROM (SELECT c.relname AS "table", a.attname AS "column",
			pg_get_serial_sequence(quote_ident(c.relname), a.attname) AS sequence
		FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
		WHERE c.relkind = 'r' AND c.relnamespace = to_regnamespace(current_schema()) AND a.attnum > 0 AND NOT a.attisdropped) s
		WHERE s.sequence IS NOT NULL ORDER BY 1`)
}

// lastNumbers returns the last number that each numbered table gave to a row.
func (d *DB) lastNumbers(ctx context.Context) (map[string]int64, error) {
	out := map[string]int64{}
	type given struct {
		Name string
		Seq  int64
	}
	if d.Dialect() == SQLite {
		rows, err := list[given](ctx, d.writing(), "numbers", "SELECT name, seq FROM sqlite_sequence")
		for _, r := range rows {
			out[r.Name] = r.Seq
		}
		return out, err
	}
	numbered, err := d.numbered(ctx)
	if err != nil {
		return nil, err
	}
	for _, n := range numbered {
		if out[n.Table], err = value[int64](ctx, d.writing(), "numbers", "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM "+n.Sequence); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// analyze tells PostgreSQL about the rows that it got, on which its plans depend.
func (d *DB) analyze(ctx context.Context) error {
	if d.Dialect() != Postgres {
		return nil
	}
	_, err := d.exec(Within(ctx, time.Hour), "analyze", "ANALYZE")
	return err
}

// makeDurable writes everything that was committed to disk: a move commits without waiting
// for that.
func (d *DB) makeDurable(ctx context.Context) error {
	if d.Dialect() == SQLite {
		var busy, pages, moved int
		return d.pool.write.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &moved)
	}
	return d.Tx(ctx, func(tx *DB) error {
		if _, err := tx.exec(ctx, "wait for the disk", "SET LOCAL synchronous_commit = on"); err != nil {
			return err
		}
		return tx.setMoveState(ctx, "durable", true)
	})
}
