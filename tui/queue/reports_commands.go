package queue

import (
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/action"
	"svc/client/templates"
	"svc/tui/desk"
	"svc/tui/draw"
	"svc/tui/keys"
	"svc/tui/list"
	"svc/tui/shown"
	"svc/tui/staged"
)

// Run carries out a command; ok is false for one that is not this screen's.
func (r *Reports) Run(m *desk.Env, c keys.Command) (cmd tea.Cmd, ok bool) {
	if r.onPosts {
		if posts, ok := r.shownPosts(); ok {
			if c == keys.Back {
				r.onPosts = false
				return nil, true
			}
			if r.posts.run(c, posts) {
				return nil, true
			}
		}
	}
	before := r.UnderID()
	switch c {
	case keys.Pane:
		r.onPosts = !r.onPosts && m.Layout().Evidence > 0 && r.UnderID() != ""
	case keys.In:
		if id := r.UnderID(); id != "" {
			if item, _, _ := m.Staged.About("report/" + id); m.Staged.InConflict("report/" + id) {
				m.AskConflict(item)
				return nil, true
			}
			return tea.Batch(m.Open(newReportPage(r, id)), r.wantDetail(m)), true
		}
	case keys.Group:
		r.group = (r.group + 1) % groupings
		r.setView()
	case keys.Sort:
		r.sort = (r.sort + 1) % sortings
		r.setView()
	case keys.Fold:
		return r.fold(m), true
	case keys.Expand:
		r.Fold()
	case keys.Refresh:
		r.Merge()
		return tea.Batch(r.reload(m), r.Sync()), true
	case keys.Back:
		switch {
		case len(r.MarkedRows()) > 0:
			r.Unmark()
		case r.filter.Text != "":
			return r.SetFilter(m, ""), true
		}
	default:
		if r.Obey(c, m.Layout().List) {
			break
		}
		return r.change(m, c)
	}
	if r.UnderID() != before {
		r.posts.reset()
	}
	return tea.Batch(r.Sync(), r.more(m), r.wantDetail(m)), true
}

func (r *Reports) SetFilter(m *desk.Env, text string) tea.Cmd {
	r.filter = list.ParseFilter(text, States)
	state := r.filter.State
	if state == "" {
		state = "open"
	}
	changed := state != r.state
	r.state = state
	r.setView()
	if changed {
		r.total = 0
		return tea.Batch(r.reload(m), r.Sync())
	}
	return tea.Batch(r.Sync(), r.more(m), r.wantDetail(m))
}

// change stages a command that changes something.
func (r *Reports) change(m *desk.Env, c keys.Command) (tea.Cmd, bool) {
	switch c {
	case keys.Resolve, keys.Close, keys.Reopen:
		return r.changeState(m, c), true
	case keys.Note:
		if id := r.UnderID(); id != "" {
			r.writeNote(m, id)
			return nil, true
		}
	case keys.Person:
		if e, ok := r.Under(); ok {
			row, _ := r.Row(r.UnderID())
			p := r.known([]shown.Person{r.person(row)})[0]
			if e.Head() && r.group != byAccount && r.group != byReporter && len(r.people(r.Chosen())) > 1 {
				m.Say(draw.InkDim, "the group is about several accounts; open it and choose one")
				return nil, true
			}
			return r.openPerson(m, p), true
		}
	case keys.Host:
		if _, ok := r.Under(); ok {
			row, _ := r.Row(r.UnderID())
			return m.OpenHost(r.Text(row, colDomain)), true
		}
	case keys.Message:
		report := ""
		if rows := r.Chosen(); len(rows) == 1 {
			report = r.ID(rows[0])
		}
		r.writeMessage(m, r.known(r.people(r.Chosen())), report)
		return nil, true
	case keys.Claim:
		return r.stageClaims(m, r.Chosen()), true
	case keys.Play:
		return r.play(m), true
	case keys.Deactivate, keys.Activate:
		people := r.known(r.people(r.Chosen()))
		r.Unmark()
		return m.StagePeople(c, people), true
	case keys.Delete, keys.Sensitive, keys.Visibility:
		return r.changePosts(m, c), true
	case keys.Thread:
		posts, _ := r.shownPosts()
		return threadOf(m, &r.posts, posts), true
	case keys.ShowCW, keys.HideCW, keys.Media, keys.Copy:
		if detail := r.detail(r.UnderID()); detail != nil {
			posts, _ := r.shownPosts()
			r.lookAt(m, c, &r.posts, posts, detail.ID, detail.About)
			return nil, true
		}
	default:
		return nil, false
	}
	return nil, true
}

var stateKinds = map[keys.Command]action.Kind{
	keys.Resolve: action.ReportResolve, keys.Close: action.ReportClose, keys.Reopen: action.ReportReopen,
}

func (r *Reports) changeState(m *desk.Env, c keys.Command) tea.Cmd {
	kind := stateKinds[c]
	rows, marked := r.Chosen(), len(r.MarkedRows()) > 0
	if len(rows) == 1 {
		if item, _, _ := m.Staged.About("report/" + r.ID(rows[0])); m.Staged.InConflict("report/" + r.ID(rows[0])) {
			m.AskConflict(item)
			return nil
		}
	}
	var actions []action.Action
	for _, row := range rows {
		if state := r.Text(row, colState); state != kind.State() && state != "gone" {
			actions = append(actions, action.Action{Kind: kind, Target: "report/" + r.ID(row), Before: map[string]string{"state": state}})
		}
	}
	if len(actions) == 0 {
		if len(rows) > 0 {
			m.Say(draw.InkDim, fmt.Sprintf("already %s", kind.Done()))
		}
		return nil
	}
	stage := func(m *desk.Env) tea.Cmd {
		cmd := m.Stage(actions, staged.Label(kind, actions))
		if marked {
			r.Unmark()
		} else {
			r.Move(1)
			r.posts.reset()
		}
		return tea.Batch(cmd, r.Sync(), r.more(m), r.wantDetail(m))
	}
	// A group does not show the accounts of its reports; marks do.
	if about := r.aboutOf(rows); !marked && len(about) > 1 {
		m.AskNames(fmt.Sprintf("%s %d reports about %d accounts", kind.Verb(), len(actions), len(about)), about, stage)
		return nil
	}
	return stage(m)
}

// aboutOf are the accounts that the reports of rows are about, each once.
func (r *Reports) aboutOf(rows []int) []string {
	var names []string
	for _, row := range rows {
		if name := r.Text(row, colAbout); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// writeNote opens the note of a report, as far as it was written.
func (r *Reports) writeNote(m *desk.Env, id string) {
	l := desk.Letter{
		Head: "note on " + shown.ShortID(id), Label: "note: ", Draft: id, Staged: "note " + shown.ShortID(id),
		Kind: action.ReportNote, Targets: []string{"report/" + id}, Fields: []templates.Fields{{templates.Report: id}},
	}
	if detail := r.detail(id); detail != nil {
		l.Fields[0] = r.fieldsOf(m, detail.About, id)
	}
	m.ChoosePattern(l)
}

// writeMessage opens a message to accounts. report is the report that it is about,
// "" for none.
func (r *Reports) writeMessage(m *desk.Env, people []shown.Person, report string) {
	m.WriteMessage(people, func(p shown.Person) templates.Fields { return r.fieldsOf(m, p, report) })
}
