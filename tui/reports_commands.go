package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/action"
	"svc/client/canned"
	"svc/client/safe"
	"svc/tui/draw"
	"svc/tui/list"
	"svc/tui/shown"
)

// run carries out a command; ok is false for one that is not this screen's.
func (r *reports) run(m *env, c command) (cmd tea.Cmd, ok bool) {
	if r.onPosts {
		if posts, ok := r.shownPosts(); ok {
			if c == doBack {
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
	case doPane:
		r.onPosts = !r.onPosts && m.layout().Evidence > 0 && r.UnderID() != ""
	case doIn:
		if id := r.UnderID(); id != "" {
			if item, _, _ := m.staged.About("report/" + id); m.staged.InConflict("report/" + id) {
				m.askConflict(item)
				return nil, true
			}
			return tea.Batch(m.open(newReportPage(r, id)), r.wantDetail(m)), true
		}
	case doGroup:
		r.group = (r.group + 1) % groupings
		r.setView()
	case doSort:
		r.sort = (r.sort + 1) % sortings
		r.setView()
	case doFold:
		return r.fold(m), true
	case doExpand:
		r.Fold()
	case doRefresh:
		r.Merge()
		return tea.Batch(r.reload(m), r.refresh()), true
	case doBack:
		switch {
		case len(r.MarkedRows()) > 0:
			r.Unmark()
		case r.filter.Text != "":
			return r.setFilter(m, ""), true
		}
	default:
		if r.move(c, m.layout().List) {
			break
		}
		return r.change(m, c)
	}
	if r.UnderID() != before {
		r.posts.reset()
	}
	return tea.Batch(r.refresh(), r.more(m), r.wantDetail(m)), true
}

func (r *reports) setFilter(m *env, text string) tea.Cmd {
	r.filter = list.ParseFilter(text, reportStates)
	state := r.filter.State
	if state == "" {
		state = "open"
	}
	changed := state != r.state
	r.state = state
	r.setView()
	if changed {
		r.total = 0
		return tea.Batch(r.reload(m), r.refresh())
	}
	return tea.Batch(r.refresh(), r.more(m), r.wantDetail(m))
}

// change stages a command that changes something.
func (r *reports) change(m *env, c command) (tea.Cmd, bool) {
	switch c {
	case doResolve, doClose, doReopen:
		return r.changeState(m, c), true
	case doNote:
		if id := r.UnderID(); id != "" {
			r.writeNote(m, id)
			return nil, true
		}
	case doPerson:
		if e, ok := r.Under(); ok {
			row, _ := r.Row(r.UnderID())
			p := r.known([]shown.Person{r.person(row)})[0]
			if e.Head() && r.group != byAccount && r.group != byReporter && len(r.people(r.Chosen())) > 1 {
				m.say(draw.InkDim, "the group is about several accounts; open it and choose one")
				return nil, true
			}
			return r.openPerson(m, p), true
		}
	case doHost:
		if _, ok := r.Under(); ok {
			row, _ := r.Row(r.UnderID())
			return m.openHost(r.Text(row, colDomain)), true
		}
	case doMessage:
		report := ""
		if rows := r.Chosen(); len(rows) == 1 {
			report = r.ID(rows[0])
		}
		r.writeMessage(m, r.known(r.people(r.Chosen())), report)
		return nil, true
	case doClaim:
		return r.stageClaims(m, r.Chosen()), true
	case doPlay:
		return r.play(m), true
	case doDeactivate, doActivate:
		people := r.known(r.people(r.Chosen()))
		r.Unmark()
		return m.stagePeople(c, people), true
	case doDelete, doSensitive, doVisibility:
		return r.changePosts(m, c), true
	case doThread:
		posts, _ := r.shownPosts()
		return m.threadOf(&r.posts, posts), true
	case doShowCW, doHideCW, doMedia, doCopy:
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

var stateKinds = map[command]action.Kind{
	doResolve: action.ReportResolve, doClose: action.ReportClose, doReopen: action.ReportReopen,
}

func (r *reports) changeState(m *env, c command) tea.Cmd {
	kind := stateKinds[c]
	rows, marked := r.Chosen(), len(r.MarkedRows()) > 0
	if len(rows) == 1 {
		if item, _, _ := m.staged.About("report/" + r.ID(rows[0])); m.staged.InConflict("report/" + r.ID(rows[0])) {
			m.askConflict(item)
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
			m.say(draw.InkDim, fmt.Sprintf("already %s", kind.Done()))
		}
		return nil
	}
	stage := func(m *env) tea.Cmd {
		cmd := m.stage(actions, stagedLabel(kind, actions))
		if marked {
			r.Unmark()
		} else {
			r.Move(1)
			r.posts.reset()
		}
		return tea.Batch(cmd, r.refresh(), r.more(m), r.wantDetail(m))
	}
	// A group does not show the accounts of its reports; marks do.
	if about := r.aboutOf(rows); !marked && len(about) > 1 {
		m.askNames(fmt.Sprintf("%s %d reports about %d accounts", kind.Verb(), len(actions), len(about)), about, stage)
		return nil
	}
	return stage(m)
}

// aboutOf are the accounts that the reports of rows are about, each once.
func (r *reports) aboutOf(rows []int) []string {
	var names []string
	for _, row := range rows {
		if name := r.Text(row, colAbout); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// stagedLabel is the action as the outbox shows it: "resolve 9xA0z",
// "resolve 12 (9xA0z, 9x9zz, 9x9kk +9)", or "tag add kim: mrf_tag:sandbox".
func stagedLabel(kind action.Kind, actions []action.Action) string {
	label := objectsLabel(kind, actions)
	if content := actions[0].Content(); content != "" {
		label += ": " + safe.Line(content)
	}
	return label
}

func objectsLabel(kind action.Kind, actions []action.Action) string {
	names := make([]string, len(actions))
	for i, a := range actions {
		names[i] = objectName(kind, a.Target)
	}
	if len(names) == 1 {
		return kind.Verb() + " " + names[0]
	}
	return fmt.Sprintf("%s %d (%s)", kind.Verb(), len(names), someOf(names))
}

// objectName is a target as people know it: an account's name, else the end of
// an id.
func objectName(kind action.Kind, target string) string {
	_, name, _ := strings.Cut(target, "/")
	switch kind.Noun() {
	case "host", "mail-domain":
		return safe.Line(name)
	case "user":
		return shown.Acct(strings.TrimPrefix(name, "id:")).String()
	}
	if _, address, ok := strings.Cut(name, "://"); ok {
		return safe.Truncate(safe.Line(address), 40, "~")
	}
	return shown.ShortID(name)
}

// someOf names the first few, and counts the others.
func someOf(names []string) string {
	const few = 3
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s +%d", strings.Join(names[:few], ", "), len(names)-few)
}

// writeNote opens the note of a report, as far as it was written.
func (r *reports) writeNote(m *env, id string) {
	l := letter{
		head: "note on " + shown.ShortID(id), label: "note: ", draft: id, staged: "note " + shown.ShortID(id),
		kind: action.ReportNote, targets: []string{"report/" + id}, fields: []canned.Fields{{canned.Report: id}},
	}
	if detail := r.detail(id); detail != nil {
		l.fields[0] = r.fieldsOf(m, detail.About, id)
	}
	m.choosePattern(l)
}

// writeMessage opens a message to accounts. report is the report that it is about,
// "" for none.
func (r *reports) writeMessage(m *env, people []shown.Person, report string) {
	m.writeMessage(people, func(p shown.Person) canned.Fields { return r.fieldsOf(m, p, report) })
}
