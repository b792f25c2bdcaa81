package desk

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"svc/tui/keys"
	"svc/tui/list"
)

// syncRows is how many rows are filtered and sorted between two frames; more
// are worked on beside the program.
const syncRows = 3000

// Table is a list. The view of a long list is computed beside the program.
type Table struct {
	*list.List
	running bool
	cancel  context.CancelFunc
}

// TableReady is a view that was worked out.
type TableReady struct {
	table  *Table
	result list.Result
	err    error
}

// Deliver shows the view, unless there is a newer one.
func (msg TableReady) Deliver(*Env) tea.Cmd { return msg.table.ready(msg) }

// SetView changes the view; work for the earlier one is called off.
func (t *Table) SetView(v list.View) {
	if t.cancel != nil {
		t.cancel()
		t.cancel, t.running = nil, false
	}
	t.List.SetView(v)
}

// Sync brings the table up to date, now or soon.
func (t *Table) Sync() tea.Cmd {
	if !t.Stale() || t.running {
		return nil
	}
	if t.Columns.Len() <= syncRows {
		t.Refresh()
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.running, t.cancel = true, cancel
	job := t.Job()
	return func() tea.Msg {
		defer cancel()
		result, err := job.Run(ctx)
		return TableReady{t, result, err}
	}
}

func (t *Table) ready(msg TableReady) tea.Cmd {
	if msg.err != nil || !t.Apply(msg.result) {
		return nil // cancelled: a newer one is on its way
	}
	t.running, t.cancel = false, nil
	return t.Sync()
}

// Obey carries out the commands that only move or mark.
func (t *Table) Obey(c keys.Command, height int) bool {
	switch c {
	case keys.Up:
		t.Move(-1)
	case keys.Down:
		t.Move(1)
	case keys.HalfUp:
		t.Move(-height / 2)
	case keys.HalfDown:
		t.Move(height / 2)
	case keys.PageUp:
		t.Move(-height)
	case keys.PageDown:
		t.Move(height)
	case keys.Top:
		t.Jump(0)
	case keys.Bottom:
		t.Jump(t.Len() - 1)
	case keys.Mark:
		t.Mark()
	case keys.MarkRange:
		t.MarkRange()
	case keys.MarkAll:
		t.MarkAll()
	case keys.Merge:
		t.Merge()
	default:
		return false
	}
	return true
}

// The answers of a screen that is a list and no more.

func (t *Table) ScrollText(int) {}
func (t *Table) Position(*Env) string {
	return fmt.Sprint("row ", t.Cursor(), t.UnderID(), t.Len() == 0)
}
