package db

import (
	"context"
	"fmt"
	"strings"
	"time"
)

const (
	// moveChunk and moveBytes bound the rows of one transaction.
	moveChunk = 2000
	moveBytes = 4 << 20
)

// movedChunk is rows on their way, and how far the table has come with them.
type movedChunk struct {
	rows  [][]any
	state tableState
	err   error
}

// copyAll copies the tables that are not complete, one after the other.
func (m *Move) copyAll(ctx context.Context, w moveWriter) error {
	p := MoveProgress{Stage: MoveCopies, Total: m.Rows()}
	for i := range m.tables {
		t := &m.tables[i]
		p.Table, p.Done = t.name, p.Done+m.states[t.name].Copied
		m.o.Progress(p)
		if err := m.copyTable(ctx, w, t, &p); err != nil {
			return fmt.Errorf("table %s: %w", t.name, err)
		}
	}
	return nil
}

// copyTable reads the next chunk while the one before is written.
func (m *Move) copyTable(ctx context.Context, w moveWriter, t *movedTable, p *MoveProgress) error {
	if m.states[t.name].Done {
		return nil
	}
	ctx, stop := context.WithCancel(ctx)
	chunks := make(chan movedChunk, 1)
	ended := make(chan struct{})
	defer func() { stop(); <-ended }()
	state := *m.states[t.name]
	go func() {
		defer close(ended)
		for more := true; more; {
			c := m.readChunk(ctx, t, state)
			state, more = c.state, c.err == nil && !c.state.Done
			select {
			case chunks <- c:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		var c movedChunk
		select {
		case c = <-chunks:
		case <-ctx.Done():
			return ctx.Err()
		}
		if c.err == nil {
			c.err = w.write(ctx, t, c.rows, c.state)
		}
		if c.err != nil {
			return c.err
		}
		m.states[t.name] = &c.state
		p.Done += int64(len(c.rows))
		m.o.Progress(*p)
		if c.state.Done {
			return nil
		}
	}
}

// readChunk reads the rows of the source after those of state, as the target can store
// them, and returns the state with them.
func (m *Move) readChunk(ctx context.Context, t *movedTable, state tableState) (c movedChunk) {
	c.state = state
	c.state.Replaced = map[string]int64{}
	for column, n := range state.Replaced {
		c.state.Replaced[column] = n
	}
	c.rows, c.state.At, c.err = m.from.movedRows(ctx, t, state.At, func(row []any) error {
		if m.to.Dialect() == Postgres {
			for i, col := range t.columns {
				v, changed, err := col.storable(row[i])
				if err != nil {
					return err
				}
				if changed {
					c.state.Replaced[col.name]++
				}
				row[i] = v
			}
		}
		sum, err := t.rowSum(row)
		c.state.Sum += sum
		return err
	})
	c.state.Copied += int64(len(c.rows))
	c.state.Done = c.err == nil && c.state.At == nil
	return c
}

// movedRows reads the rows after a key, in the order of the key, as many as a chunk has. It
// returns the key of the last one, nil at the end. Each is called for a row once its key
// is known.
func (d *DB) movedRows(ctx context.Context, t *movedTable, after []string, each func(row []any) error) (out [][]any, last []string, err error) {
	var cells, keys []string
	for _, c := range t.columns {
		cells = append(cells, c.reading(d.Dialect()))
	}
	for _, i := range t.key {
		keys = append(keys, quoted(t.columns[i].name))
	}
	var q selection
	q.add("SELECT " + strings.Join(cells, ", ") + " FROM " + quoted(t.name))
	if after != nil {
		args, err := placeArgs(after, d.Dialect())
		if err != nil {
			return nil, nil, err
		}
		q.add(" WHERE ("+strings.Join(keys, ", ")+") > ("+strings.TrimSuffix(strings.Repeat("?, ", len(args)), ", ")+")", args...)
	}
	q.add(fmt.Sprintf(" ORDER BY %s LIMIT %d", strings.Join(keys, ", "), moveChunk))
	rows, err := d.query(ctx, q.sql.String(), q.args...)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = rows.Close() }()
	var (
		raw  = make([]any, len(t.columns))
		into = make([]any, len(t.columns))
		key  = make([]any, len(t.key))
		size int
	)
	for i := range raw {
		into[i] = &raw[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, nil, err
		}
		row := make([]any, len(raw))
		for i, c := range t.columns {
			if row[i], err = c.take(raw[i]); err != nil {
				return nil, nil, err
			}
			switch v := row[i].(type) {
			case string:
				size += len(v)
			case []byte:
				size += len(v)
			}
		}
		for i, at := range t.key {
			key[i] = row[at]
		}
		if last, err = placeOf(key); err != nil {
			return nil, nil, err
		}
		if err := each(row); err != nil {
			return nil, nil, fmt.Errorf("row %v: %w", key, err)
		}
		if out = append(out, row); size > moveBytes {
			return out, last, rows.Close()
		}
	}
	if len(out) < moveChunk {
		last = nil
	}
	return out, last, rows.Err()
}

// verify compares the rows of both databases: their numbers, and sums over their values.
func (m *Move) verify(ctx context.Context) error {
	rows := m.rows
	m.names, m.rows = nil, map[string]int64{}
	if err := m.count(ctx); err != nil {
		return err
	}
	p := MoveProgress{Stage: MoveVerifies, Total: m.Rows()}
	for i := range m.tables {
		t := &m.tables[i]
		var found tableState
		p.Table = t.name
		for more := true; more; {
			m.o.Progress(p)
			got, last, err := m.to.movedRows(ctx, t, found.At, func(row []any) error {
				sum, err := t.rowSum(row)
				found.Sum += sum
				return err
			})
			if err != nil {
				return fmt.Errorf("table %s: %w", t.name, err)
			}
			found.At, more = last, last != nil
			found.Copied += int64(len(got))
			p.Done += int64(len(got))
		}
		want := m.states[t.name]
		switch {
		case m.rows[t.name] != want.Copied:
			return fmt.Errorf("table %s: the source has %d rows now, and had %d when it was copied: something changed it; run 'svcd move --undo', and move to an empty database",
				t.name, m.rows[t.name], rows[t.name])
		case found.Copied != want.Copied:
			return fmt.Errorf("table %s: %d rows were copied, and the target has %d", t.name, want.Copied, found.Copied)
		case found.Sum != want.Sum:
			return fmt.Errorf("table %s: the target has other values than the source", t.name)
		}
	}
	return nil
}

// indexedAtOnce are the statuses that one transaction indexes.
const indexedAtOnce = 500

// index builds the search index of the target, which each database keeps in its own form.
func (m *Move) index(ctx context.Context) error {
	// A walk that is under way goes on.
	if err := m.to.Tx(ctx, func(tx *DB) error {
		var begun bool
		if _, err := tx.moveState(ctx, "index", &begun); err != nil || begun {
			return err
		}
		if err := tx.SetMeta(ctx, reindexStatuses, ""); err != nil {
			return err
		}
		return tx.setMoveState(ctx, "index", true)
	}); err != nil {
		return err
	}
	p := MoveProgress{Stage: MoveIndexes, Table: "statuses", Total: m.rows["statuses"]}
	for more := true; more; {
		m.o.Progress(p)
		if err := m.to.Tx(ctx, func(tx *DB) (err error) {
			more, err = tx.ReindexStatuses(ctx, indexedAtOnce, m.o.Text)
			return err
		}); err != nil {
			return fmt.Errorf("search index: %w", err)
		}
		p.Done = min(p.Done+indexedAtOnce, p.Total)
	}
	return m.to.analyze(ctx)
}

// Estimate is the time that the rest of the move takes, from the rate at which rows of the
// largest table are read.
func (m *Move) Estimate(ctx context.Context) (time.Duration, error) {
	all, err := m.from.catalog(ctx)
	if err != nil {
		return 0, err
	}
	var largest string
	for _, name := range m.names {
		if largest == "" || m.rows[name] > m.rows[largest] {
			largest = name
		}
	}
	t := movedTable{name: largest}
	for _, c := range all[largest] {
		if c.Key > 0 {
			t.key = append(t.key, len(t.columns))
		}
		kind := textValue
		if m.from.Dialect() == SQLite && (c.Type == "integer" || c.Type == "boolean") || c.Type == "bigint" {
			kind = intValue
		}
		if kind == intValue || c.Type == "text" {
			t.columns = append(t.columns, movedColumn{c.Name, kind})
		}
	}
	began := time.Now()
	got, _, err := m.from.movedRows(Within(ctx, time.Hour), &t, nil, func(row []any) error { _, err := t.rowSum(row); return err })
	if err != nil || len(got) == 0 {
		return 0, err
	}
	return time.Since(began) / time.Duration(len(got)) * time.Duration(m.Rows()) * slowerThanReading, nil
}

// slowerThanReading is how much longer copying, comparing and indexing a row takes than
// reading it. Measured on 331,240 rows of 'svcd demo --accounts 1500 --statuses 12000
// --reports 1500', with two cores and PostgreSQL on the same machine: to PostgreSQL 12.3 s,
// 6.5 times the mean of five estimates, and back 11.6 s, 6.1 times. One estimate is off by
// up to half.
const slowerThanReading = 7
