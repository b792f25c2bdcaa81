package db

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// The stages of a move, in their order.
const (
	MoveCopies   = "copy"
	MoveVerifies = "verify"
	MoveIndexes  = "index"
	MoveComplete = "complete" // all but the marks
)

// MoveOptions are the parameters of a move beside its databases.
type MoveOptions struct {
	// Text is the text by which a status is found.
	Text func(*Status) string
	// Progress is told how far the move has come. It must be quick.
	Progress func(MoveProgress)
}

// MoveProgress is how far a stage of a move has come.
type MoveProgress struct {
	Stage string
	Table string
	Done  int64 // rows of the stage
	Total int64
}

// MovedTable is a table and its rows.
type MovedTable struct {
	Name     string           `json:"name"`
	Rows     int64            `json:"rows"`
	Copied   int64            `json:"copied"`
	Replaced map[string]int64 `json:"replaced,omitempty"` // values per column that the target cannot hold
}

// tableState is how far one table has come.
type tableState struct {
	Copied   int64            `json:"copied"`
	Sum      uint64           `json:"sum"`
	At       []string         `json:"at,omitempty"` // the key of the last row
	Done     bool             `json:"done,omitempty"`
	Replaced map[string]int64 `json:"replaced,omitempty"`
}

// Move copies one database into another.
type Move struct {
	from, to *DB
	o        MoveOptions
	mark     MoveMark // of the source
	stage    string   // of the target, "" if it has none yet
	complete bool     // but for the mark of the target
	names    []string // of the tables to copy
	rows     map[string]int64
	tables   []movedTable
	states   map[string]*tableState
	began    time.Time
}

// PrepareMove checks that everything of from can be copied to to, and changes nothing but
// the locks by which no process serves either of them.
func PrepareMove(ctx context.Context, from, to *DB, o MoveOptions) (*Move, error) {
	if o.Progress == nil {
		o.Progress = func(MoveProgress) {}
	}
	m := &Move{from: from, to: to, o: o, states: map[string]*tableState{}, rows: map[string]int64{}, began: time.Now()}
	if from.Dialect() == to.Dialect() {
		return nil, fmt.Errorf("both are %s databases: a move is from SQLite to PostgreSQL, or back", from.Dialect())
	}
	if err := m.checkSource(ctx); err != nil {
		return nil, err
	}
	if err := m.checkTarget(ctx); err != nil {
		return nil, err
	}
	for _, d := range []*DB{from, to} {
		if err := d.LockForServing(); err != nil {
			return nil, fmt.Errorf("%w: stop it first", err)
		}
		if err := d.refuseServed(ctx); err != nil {
			return nil, err
		}
	}
	return m, m.count(ctx)
}

// checkSource finds out whether the source can be moved.
func (m *Move) checkSource(ctx context.Context) error {
	schema, err := m.from.Schema(ctx)
	if err != nil {
		return err
	}
	mark := schema.Move
	schema.Move = nil
	switch {
	case schema.Err() != nil:
		return schema.Err()
	case schema.Version == 0:
		return errors.New("there is nothing to move: the database is empty")
	case schema.Pending():
		return errors.New("the database to move is of an older release: run 'svcd migrate' first")
	case mark == nil:
		m.mark = MoveMark{Token: rand.Text(), Other: WithoutPassword(m.to.DSN()), Program: Fingerprint()}
		return nil
	case mark.Target:
		return mark.Err()
	}
	m.mark = *mark
	return nil
}

// checkTarget finds out whether the target is empty, or has a part of this move.
func (m *Move) checkTarget(ctx context.Context) error {
	schema, err := m.to.Schema(ctx)
	if err != nil {
		return err
	}
	there := schema.Move
	schema.Move = nil
	if err := schema.Err(); err != nil {
		return fmt.Errorf("the target: %w", err)
	}
	switch {
	case m.mark.Complete && (there == nil || there.Token != m.mark.Token):
		return m.mark.Err()
	case there == nil:
		if m.mark.Other != WithoutPassword(m.to.DSN()) {
			return m.mark.Err()
		}
		return m.refuseData(ctx)
	case !there.Target:
		return fmt.Errorf("the target has data: %w", there.Err())
	case there.Token != m.mark.Token:
		return errors.New("the target has a part of another move, or of this database as it was before: empty it first (drop the database, or the file, and make it again)")
	case there.Program != Fingerprint():
		return errors.New("the target has a part of a move by another release: empty it first (drop the database, or the file, and make it again)")
	}
	m.stage, m.complete = there.Stage, m.mark.Complete
	if m.complete && m.stage != MoveComplete {
		return errors.New("the source says that it was moved, but the target is not complete: empty the target, and run 'svcd move --undo' on the source")
	}
	return nil
}

// refuseData fails if the target has any table that is not svc's, or any row but those of
// the migrations.
func (m *Move) refuseData(ctx context.Context) error {
	known, err := m.from.catalog(ctx)
	if err != nil {
		return err
	}
	there, err := m.to.catalog(ctx)
	if err != nil {
		return err
	}
	for name := range there {
		if _, ours := unmoved[name]; !ours && known[name] == nil {
			return fmt.Errorf("the target is not empty: it has a table %q; give an empty database", name)
		}
		if slices.Contains(seeded, name) || strings.HasPrefix(name, "status_search") && m.to.Dialect() == SQLite {
			continue
		}
		some, err := value[bool](ctx, m.to.writing(), "rows of the target", "SELECT EXISTS (SELECT 1 FROM "+quoted(name)+")")
		if err != nil {
			return err
		}
		if some {
			return fmt.Errorf("the target is not empty: its table %q has rows; give an empty database", name)
		}
	}
	return nil
}

// heardFor is the time after which a process that was not heard does not serve any more.
const heardFor = 30 * time.Second

// refuseServed fails if a process serves this database, as far as heartbeats tell. On SQLite
// a lock tells.
func (d *DB) refuseServed(ctx context.Context) error {
	if d.Dialect() != Postgres {
		return nil
	}
	if there, err := d.hasTable(ctx, "processes"); err != nil || !there {
		return err
	}
	type process struct {
		ID      string
		Seconds int64
	}
	p, ok, err := optional(value[process](ctx, d.writing(), "processes that serve", "SELECT id, ("+d.clock()+" - seen_at) / 1000000 AS seconds FROM processes WHERE seen_at BETWEEN "+
		d.clock()+" - ? AND "+d.clock()+" + ? ORDER BY seen_at DESC LIMIT 1", heardFor.Microseconds(), heardFor.Microseconds()))
	if err != nil || !ok {
		return err
	}
	return fmt.Errorf("%w: process %s was heard %d seconds ago; stop it first (if it was killed, wait for %s)", ErrServed, p.ID, p.Seconds, heardFor)
}

// count counts the rows of the source.
func (m *Move) count(ctx context.Context) error {
	ctx = Within(ctx, time.Hour)
	all, err := m.from.catalog(ctx)
	if err != nil {
		return err
	}
	for name := range all {
		if _, ok := unmoved[name]; ok {
			continue
		}
		n, err := value[int64](ctx, m.from, "count rows", "SELECT COUNT(*) FROM "+quoted(name))
		if err != nil {
			return err
		}
		m.names = append(m.names, name)
		m.rows[name] = n
	}
	slices.Sort(m.names)
	return nil
}

// Stage is the stage at which the move goes on, "" for a new one.
func (m *Move) Stage() string { return m.stage }

// Tables returns the tables and how many rows of them there are, and are copied.
func (m *Move) Tables() []MovedTable {
	out := make([]MovedTable, len(m.names))
	for i, name := range m.names {
		out[i] = MovedTable{Name: name, Rows: m.rows[name]}
		if s := m.states[name]; s != nil {
			out[i].Copied, out[i].Replaced = s.Copied, s.Replaced
		}
	}
	return out
}

// Rows is the number of rows of the source.
func (m *Move) Rows() (n int64) {
	for _, rows := range m.rows {
		n += rows
	}
	return n
}

// Run copies what is not copied yet, compares both databases, and builds the search
// index. After an interruption it may be run again, by another process too.
func (m *Move) Run(ctx context.Context) error {
	ctx = Within(ctx, time.Hour)
	if m.stage == MoveComplete {
		return m.readStates(ctx)
	}
	if err := m.begin(ctx); err != nil {
		return err
	}
	w, err := m.to.moveWriter(ctx)
	if err != nil {
		return err
	}
	err = m.work(ctx, w)
	return errors.Join(err, w.close())
}

// begin marks both databases, makes the schema of the target, and plans.
func (m *Move) begin(ctx context.Context) error {
	// First the source: no target may have rows of one that can change.
	if err := m.from.markMove(ctx, m.mark); err != nil {
		return err
	}
	if m.stage == "" {
		there := m.mark
		there.Target, there.Other = true, WithoutPassword(m.from.DSN())
		if err := m.to.markMove(ctx, there); err != nil {
			return err
		}
	}
	if err := m.to.migrate(ctx); err != nil {
		return fmt.Errorf("the schema of the target: %w", err)
	}
	if err := m.settle(ctx); err != nil {
		return err
	}
	sqlite, postgres := m.from, m.to
	if m.from.Dialect() == Postgres {
		sqlite, postgres = m.to, m.from
	}
	here, err := sqlite.catalog(ctx)
	if err != nil {
		return err
	}
	there, err := postgres.catalog(ctx)
	if err != nil {
		return err
	}
	parents, err := sqlite.foreignKeys(ctx)
	if err != nil {
		return err
	}
	if m.tables, err = planMove(here, there); err != nil {
		return err
	}
	m.tables = parentsFirst(m.tables, parents)
	return m.readStates(ctx)
}

// settle does in the source what a serving process would do next: numbers events, and adds
// up changes of tallies, which only PostgreSQL keeps apart.
func (m *Move) settle(ctx context.Context) error {
	if m.from.Dialect() != Postgres {
		return nil
	}
	for {
		n, err := m.from.numberEvents(ctx)
		if err != nil {
			return err
		}
		if n == 0 {
			break
		}
	}
	if err := m.from.FoldTallies(ctx); err != nil {
		return err
	}
	return m.count(ctx) // there are other sums now
}

// readStates reads how far each table has come.
func (m *Move) readStates(ctx context.Context) error {
	for _, name := range m.names {
		s := &tableState{}
		if _, err := m.to.moveState(ctx, "table "+name, s); err != nil {
			return err
		}
		m.states[name] = s
	}
	return nil
}

// setStage stores in the target how far the move has come.
func (m *Move) setStage(ctx context.Context, tx *DB, stage string) error {
	mark := m.mark
	mark.Target, mark.Other, mark.Stage = true, WithoutPassword(m.from.DSN()), stage
	return tx.setMoveState(ctx, "mark", mark)
}

// work goes through the stages.
func (m *Move) work(ctx context.Context, w moveWriter) error {
	for _, s := range []struct {
		from, to string
		do       func() error
	}{
		{"", MoveCopies, func() error { return m.prepareTarget(ctx) }},
		{MoveCopies, MoveVerifies, func() error { return m.copyAll(ctx, w) }},
		{MoveVerifies, MoveIndexes, func() error { return m.verify(ctx) }},
		{MoveIndexes, MoveComplete, func() error { return m.index(ctx) }},
	} {
		if m.stage != s.from {
			continue
		}
		if err := s.do(); err != nil {
			return err
		}
		// The steps that make a stage complete are in a transaction with it.
		if err := m.to.Tx(ctx, func(tx *DB) error {
			switch s.to {
			case MoveIndexes:
				if err := m.finishSchema(ctx, tx); err != nil {
					return err
				}
			}
			return m.setStage(ctx, tx, s.to)
		}); err != nil {
			return err
		}
		m.stage = s.to
	}
	return nil
}

// Finish says in the source that it was moved, and takes the target into use. It comes
// after Run, and after what the caller wants to check.
func (m *Move) Finish(ctx context.Context) error {
	if m.stage != MoveComplete {
		return errors.New("the move is not complete")
	}
	if err := m.to.makeDurable(ctx); err != nil {
		return err
	}
	if err := m.from.refuseServed(ctx); err != nil {
		return err
	}
	m.mark.Complete = true
	if err := m.from.markMove(ctx, m.mark); err != nil {
		return err
	}
	return m.to.dropMove(ctx)
}
