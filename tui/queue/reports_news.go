package queue

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/action"
	"svc/tui/desk"
	"svc/tui/shown"
	"svc/tui/staged"
	"svc/tui/tables"
)

// polled takes the newest reports.
func (r *Reports) polled(m *desk.Env, msg news) tea.Cmd {
	if !r.begun() {
		return r.reload(m)
	}
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
	if len(msg.rows) < desk.PollSize {
		oldest = ""
	}
	r.put(m, msg.rows, wait)
	for _, found := range msg.newest {
		r.keep(m, found)
	}
	cmds := []tea.Cmd{r.reconcile(m, met, oldest)}
	if fresh == desk.PollSize && !r.loading && r.Columns.Len() > desk.PollSize {
		// More came than one look holds; walking again closes the gap.
		cmds = append(cmds, r.reload(m))
	}
	return tea.Batch(append(cmds, r.Sync(), r.more(m), r.wantDetail(m))...)
}

// Logged applies the actions of other moderators.
func (r *Reports) Logged(m *desk.Env, fresh []shown.Entry, atStart bool) tea.Cmd {
	if atStart {
		return nil
	}
	var cmds []tea.Cmd
	for _, e := range fresh {
		cmds = append(cmds, r.apply(m, e))
	}
	if len(fresh) == desk.PollSize && m.Rights.Has(tables.NeedsReports) {
		// The log moved on by more than one look holds.
		cmds = append(cmds, r.reload(m))
	}
	return tea.Batch(append(cmds, r.Sync())...)
}

func (r *Reports) apply(m *desk.Env, e shown.Entry) tea.Cmd {
	if e.Report != "" {
		r.details.Remove(e.Report)
		if e.Action != "report_update" {
			return r.readOne(m, e.Report)
		}
		row, known := r.Row(e.Report)
		if known && e.State != "" && e.State != r.Text(row, colState) && !m.SettledRow(e.Report) {
			r.setState(row, e.State, e.State+" by "+e.Actor, true)
		} else if known && e.State != "" && !r.shows(e.State) && !m.SettledRow(e.Report) {
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

func (r *Reports) setDeactivated(nick string, off bool) {
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
	if page := r.pages[nick]; page != nil && page.user != nil {
		page.user.Deactivated = off
	}
}

// Ended applies the person's own actions to what is loaded.
func (r *Reports) Ended(m *desk.Env, results []action.Result) tea.Cmd {
	const most = 20
	cmds := []tea.Cmd{r.readAgain(m, results)}
	for _, res := range results {
		a := res.Action
		if res.Outcome != action.Changed && res.Outcome != action.Unchanged {
			continue
		}
		_, name, _ := strings.Cut(a.Target, "/")
		switch noun := a.Kind.Noun(); {
		case a.Kind.State() != "":
			if row, known := r.Row(name); known {
				r.setState(row, a.Kind.State(), a.Kind.Done(), false)
			}
		case noun == "report":
			r.details.Remove(name)
		case a.Kind == action.UserActivate || a.Kind == action.UserDeactivate:
			r.setDeactivated(name, a.Kind == action.UserDeactivate)
		case noun == "status":
			r.eachPost(name, func(p *shown.Post) {
				p.Deleted = p.Deleted || a.Kind == action.StatusDelete
				if v, ok := a.Args["visibility"]; ok {
					p.Visibility = v
				}
				if v, ok := a.Args["sensitive"]; ok {
					p.Sensitive = v == "true"
				}
			})
		}
		if a.Kind.Noun() == "user" && res.Outcome == action.Changed && r.pages[name] != nil && len(cmds) <= most {
			cmds = append(cmds, r.readUser(m, name))
		}
	}
	return tea.Batch(append(cmds, r.Sync(), r.wantDetail(m))...)
}

// eachPost visits every loaded copy of a status.
func (r *Reports) eachPost(id string, visit func(*shown.Post)) {
	each := func(posts []shown.Post) {
		for i := range posts {
			if posts[i].ID == id {
				visit(&posts[i])
			}
		}
	}
	for _, key := range r.details.Keys() {
		if detail, ok := r.details.Peek(key); ok {
			each(detail.Posts)
		}
	}
	for _, page := range r.pages {
		each(page.posts)
	}
}

// Cancelled puts the cursor back on the report whose action was taken back.
func (r *Reports) Cancelled(m *desk.Env, item *staged.Item) {
	if len(item.Actions) == 1 && m.Screen() == desk.Screen(r) {
		r.Select(strings.TrimPrefix(item.Actions[0].Target, "report/"))
	}
}

// Conceded shows the states that others gave to reports.
func (r *Reports) Conceded(m *desk.Env, why map[string]string) tea.Cmd {
	for target, text := range why {
		state, _, _ := strings.Cut(text, " ")
		reason, _, _ := strings.Cut(text, " at ")
		if row, known := r.Row(strings.TrimPrefix(target, "report/")); known && slices.Contains(States, state) {
			r.setState(row, state, reason, true)
		}
	}
	return tea.Batch(r.Sync(), r.wantDetail(m))
}
