package desk

import (
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/action"
	"svc/client/journal"
	"svc/client/safe"
	"svc/tui/draw"
	"svc/tui/shown"
	"svc/tui/staged"
	"svc/tui/tables"
)

// mostEntries is how many entries of the journal the table has, the newest ones.
const mostEntries = 2000

// OwnRows reads the rows of the table of actions: those of this run as they are now, and
// those of the journal's file.
func (m *Env) OwnRows() tables.Reader {
	rows, here := m.runRows()
	book := m.Journal
	return func(context.Context) (tables.Page, error) {
		entries, damaged, err := book.Entries()
		if err != nil {
			return tables.Page{}, fmt.Errorf("the journal: %w", err)
		}
		page := tables.Page{Rows: rows}
		if damaged > 0 {
			page.Banner = safe.Clean(safe.Raw(fmt.Sprintf("the journal has %d lines that cannot be read", damaged)))
		}
		entries = slices.DeleteFunc(entries, func(e journal.Entry) bool { return here[e.ID] })
		page.Total = len(rows) + len(entries)
		for _, e := range entries[:min(len(entries), mostEntries)] {
			page.Rows = append(page.Rows, doneRow(e.ID, doneBefore(e)))
		}
		return page, nil
	}
}

// runRows are the rows of what waits and of what was done since the start, with the
// journal's entries of the latter.
func (m *Env) runRows() (rows []tables.Row, here map[string]bool) {
	here = map[string]bool{}
	for _, item := range slices.Backward(m.Staged.Items) {
		rows = append(rows, waitingRow(item))
	}
	for _, d := range slices.Backward(m.Staged.Done) {
		rows = append(rows, doneRow(runID(d.Item), d))
		for _, id := range d.Entries {
			here[id] = true
		}
	}
	return rows, here
}

// runID names an action of this run, which has no ID of its own.
func runID(item *staged.Item) string { return shown.Stamp(item.At) + " " + item.Label }

func waitingRow(item *staged.Item) tables.Row {
	row := tables.Row{
		ID: runID(item), Target: item.Actions[0].Target, Tone: tables.Warn, Copy: item.Label,
		Cells: []safe.Safe{shown.Printable(shown.Stamp(item.At)), shown.Printable(string(item.Phase)), safe.Own("cancel"), shown.Printable(item.Label)},
	}
	for _, a := range item.Actions {
		row.More = append(row.More, tables.Detail{Text: shown.Printable(a.Kind.Verb() + " " + a.Target)})
	}
	return row
}

// doneBefore is an entry of the journal as an action of this run would be.
func doneBefore(e journal.Entry) *staged.Done {
	d := &staged.Done{
		Item: &staged.Item{Actions: []action.Action{e.Action}, At: e.At, Label: staged.Label(e.Action.Kind, []action.Action{e.Action})},
		At:   e.At, Undone: e.Undone, Entries: []string{e.ID},
		Results: []action.Result{{Action: e.Action, Outcome: action.Changed, Inverse: e.Undo}},
	}
	if e.Undoes != "" {
		d.Item.Undoes = &staged.Done{Item: &staged.Item{Label: e.Undoes}}
	}
	return d
}

func doneRow(id string, d *staged.Done) tables.Row {
	failed, changed := 0, 0
	for _, r := range d.Results {
		switch r.Outcome {
		case action.Changed:
			changed++
		case action.Unchanged:
		default:
			failed++
		}
	}
	state, tone := d.Item.Kind().Done(), tables.Plain
	switch {
	case failed > 0 && changed == 0:
		state, tone = "failed", tables.Bad
	case failed > 0:
		state, tone = fmt.Sprintf("%d of %d failed", failed, len(d.Results)), tables.Bad
	case changed == 0:
		state, tone = "unchanged", tables.Dim
	case d.Item.Play:
		state = "done"
	}
	row := tables.Row{
		ID: id, Target: "journal/" + id, Tone: tone, Copy: d.Item.Label,
		Cells: []safe.Safe{shown.Printable(shown.Stamp(d.At)), shown.Printable(state), shown.Printable(staged.UndoWord(d)), shown.Printable(d.Item.Label)},
	}
	for i, r := range d.Results {
		text := fmt.Sprintf("%s %s: %s", r.Action.Kind.Verb(), r.Action.Target, r.Outcome)
		if r.Err != nil {
			text += ": " + staged.Reason(r.Err)
		}
		if i < len(d.Entries) && d.Entries[i] != "" && r.Inverse != nil && !d.Undone {
			text += ", svcctl undo " + d.Entries[i]
		}
		row.More = append(row.More, tables.Detail{Text: shown.Printable(text)})
	}
	if lost := staged.Losses(d); lost != "" {
		row.More = append(row.More, tables.Detail{Label: "for good", Text: shown.Printable(lost)})
	}
	return row
}

// UndoOwn cancels or takes back one action of the table; false is for a journal that
// cannot be read.
func (m *Env) UndoOwn(id string) (tea.Cmd, bool) {
	for _, item := range m.Staged.Items {
		if runID(item) == id {
			return m.cancel(item), true
		}
	}
	for _, d := range m.Staged.Done {
		if runID(d.Item) == id {
			return m.takeBack(d), true
		}
	}
	entries, _, err := m.Journal.Entries()
	if err != nil {
		m.Say(draw.InkBad, "the journal: "+safe.Line(err.Error()))
		return nil, false
	}
	for _, e := range entries {
		if e.ID == id {
			return m.takeBack(doneBefore(e)), true
		}
	}
	return nil, true
}
