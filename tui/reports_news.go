package tui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"svc/tui/shown"
)

// polled handles the result of a poll.
func (r *reports) polled(m *model, msg polled) tea.Cmd {
	if msg.gen != r.gen || r.page == 0 {
		return nil
	}
	r.counted(msg.total)
	if msg.all >= 0 {
		r.all = msg.all
	}
	wait := r.Cursor() > 0
	met, fresh, oldest := map[string]bool{}, 0, ""
	for _, row := range msg.rows {
		met[row.ID] = true
		oldest = row.ID
		if _, known := r.Row(row.ID); !known {
			fresh++
		}
	}
	if len(msg.rows) < pollSize {
		oldest = ""
	}
	r.put(m, msg.rows, wait)
	for _, found := range msg.newest {
		r.keep(m, found)
	}
	cmds := []tea.Cmd{r.reconcile(m, met, oldest)}
	if fresh == pollSize && !r.loading && r.Columns.Len() > pollSize {
		// More came than one look holds; walking again closes the gap.
		cmds = append(cmds, r.reload(m))
	}
	return tea.Batch(append(cmds, r.refresh(), r.more(m), m.wantShown())...)
}

// logged applies the action of another moderator.
func (r *reports) logged(m *model, e shown.Entry) tea.Cmd {
	if e.Report != "" {
		r.details.Remove(e.Report)
		if e.Action != "report_update" {
			return r.readOne(m, e.Report)
		}
		row, known := r.Row(e.Report)
		if known && e.State != "" && e.State != r.Text(row, colState) && !m.settledRow(e.Report) {
			r.setState(row, e.State, e.State+" by "+e.Actor, true)
		} else if known && e.State != "" && !r.shows(e.State) && !m.settledRow(e.Report) {
			if reason, ghost := r.Ghost(row); ghost && !strings.Contains(reason, " by ") {
				r.Vanish(row, e.State+" by "+e.Actor)
			}
		}
		return nil
	}
	switch e.Action {
	case "status_delete", "status_update":
		for _, id := range r.details.Keys() {
			if detail, ok := r.details.Peek(id); ok && slices.ContainsFunc(detail.Posts, func(p shown.Post) bool { return p.ID == e.Status }) {
				r.details.Remove(id)
			}
		}
	case "activate", "deactivate":
		for _, nick := range e.Users {
			r.setDeactivated(nick, e.Action == "deactivate")
		}
	}
	return nil
}

func (r *reports) setDeactivated(nick string, off bool) {
	for row := range r.Columns.Len() {
		flags := r.Num(row, numFlags)
		for column, flag := range map[int]int64{colNick: flagDeactivated, colByNick: flagByDeactivated} {
			switch {
			case r.Text(row, column) != nick:
			case off:
				flags |= flag
			default:
				flags &^= flag
			}
		}
		r.SetNum(row, numFlags, flags)
	}
	for _, id := range r.details.Keys() {
		detail, ok := r.details.Peek(id)
		if !ok {
			continue
		}
		for _, p := range []*shown.Person{&detail.About, &detail.By} {
			if p.Nick == nick {
				p.Deactivated = off
			}
		}
	}
}
