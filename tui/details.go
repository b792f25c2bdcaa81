package tui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/action"
	"svc/client/safe"
	"svc/tui/shown"
)

// reportPage is one report over the whole screen.
type reportPage struct {
	id    string
	posts postPane
	made  bool
}

func (p *reportPage) on() places { return onReport }

func (p *reportPage) title(*model) string { return "REPORT " + safe.Line(p.id) }

func (p *reportPage) extras(m *model) []extra {
	if row, known := m.reports.Row(p.id); known {
		state, _, _, _ := m.reports.drawState(m, row)
		return []extra{{text: state}}
	}
	return nil
}

func (p *reportPage) bar(*model) []command {
	return []command{doResolve, doClose, doReopen, doNote, doPlay, doDeactivate, doMark, doDelete, doShowCW, doBack}
}

func (p *reportPage) hint(*model) string { return "" }

func (p *reportPage) draw(m *model, d layout) []line {
	p.prepare()
	lines, head, selected := m.reports.evidence(m, &p.posts, p.id, d.width, true, true)
	return p.posts.window(lines, head, selected, d.body)
}

func (p *reportPage) prepare() {
	if !p.made {
		p.posts, p.made = newPostPane(), true
	}
}

func (p *reportPage) run(m *model, c command) (tea.Cmd, bool) {
	p.prepare()
	if c == doRefresh {
		m.reports.asked[p.id] = true
		return m.load.report(p.id), true
	}
	detail := m.reports.detail(p.id)
	if detail == nil {
		return nil, false
	}
	if p.posts.run(c, detail.Posts) {
		return nil, true
	}
	switch c {
	case doResolve, doClose, doReopen:
		return p.changeState(m, c, detail), true
	case doNote:
		m.writeNote(p.id)
		return nil, true
	case doPerson:
		return m.openPerson(detail.About), true
	case doMessage:
		m.writeMessage([]shown.Person{detail.About}, p.id)
		return nil, true
	case doClaim:
		if row, known := m.reports.Row(p.id); known {
			return m.reports.stageClaims(m, []int{row}), true
		}
		m.say(inkDim, "this report is not in the list; open the reports in its state")
		return nil, true
	case doPlay:
		return p.play(m), true
	case doDeactivate, doActivate:
		return m.stagePeople(c, []shown.Person{detail.About}), true
	case doDelete, doSensitive, doVisibility:
		return m.stagePosts(c, p.posts.chosen(detail.Posts, true), detail.About.Acct), true
	case doShowCW, doHideCW, doMedia, doCopy:
		m.lookAt(c, &p.posts, detail.Posts, p.id, detail.About)
		return nil, true
	}
	return nil, false
}

// changeState stages the new state and goes on to the next report of the list.
func (p *reportPage) changeState(m *model, c command, detail *shown.Report) tea.Cmd {
	kind := stateKinds[c]
	if detail.State == kind.State() {
		m.say(inkDim, "already "+kind.Done())
		return nil
	}
	actions := []action.Action{{Kind: kind, Target: "report/" + p.id, Before: map[string]string{"state": detail.State}}}
	cmd := m.stage(actions, stagedLabel(kind, actions))
	if m.reports.UnderID() == p.id {
		m.reports.Move(1)
		m.reports.posts.reset()
		p.follow(m)
	}
	return tea.Batch(cmd, m.reports.refresh(), m.reports.more(m), m.reports.wantDetail(m))
}

// follow goes on to the report under the cursor of the list.
func (p *reportPage) follow(m *model) {
	if next := m.reports.UnderID(); next != p.id && next != "" {
		p.id = next
		p.posts = newPostPane()
	}
}

// wantShown fetches the report in front when it went out of date.
func (m *model) wantShown() tea.Cmd {
	p, ok := m.screen().(*reportPage)
	if !ok || m.reports.detail(p.id) != nil || m.reports.asked[p.id] {
		return m.reports.wantDetail(m)
	}
	m.reports.asked[p.id] = true
	return m.load.report(p.id)
}

// userPage is one account over the whole screen.
type userPage struct {
	user   *shown.Person
	posts  []shown.Post
	pane   postPane
	failed safe.Safe
	dossier
}

func newUserPage(nick string) *userPage {
	return &userPage{pane: newPostPane(), dossier: dossier{nick: nick}}
}

func (p *userPage) on() places { return onUser }

func (p *userPage) title(*model) string { return "USER " + shown.Acct(p.nick).String() }

func (p *userPage) extras(m *model) []extra {
	if wish := m.wish("user/" + p.nick); wish != "" {
		return []extra{{text: wish}}
	}
	return nil
}

func (p *userPage) bar(*model) []command {
	return []command{doDeactivate, "tag", "promote", doMenu, doMark, doDelete, doSensitive, doVisibility}
}

func (p *userPage) hint(*model) string { return "" }

func (p *userPage) draw(m *model, d layout) []line {
	if p.user == nil {
		text := " loading"
		if p.failed.String() != "" {
			text = " " + p.failed.String()
		}
		return []line{nil, plain(text)}
	}
	lines := m.personLines(p.user, true)
	for _, field := range p.fields() {
		lines = append(lines, indent(field.label, field.text, d.width-1)...)
	}
	if state := p.state(); state != "" {
		lines = append(lines, inked(inkWarn, " "+state))
	}
	for _, about := range p.paragraphs(m) {
		lines = append(lines, plain(" "+about.head))
		for _, text := range about.lines {
			lines = append(lines, inked(inkDim, shortened("   "+text, d.width)))
		}
	}
	lines = append(lines, append(plain(" "), m.rule(min(d.width-2, 60))...))
	head := len(lines)
	posts, selected := p.pane.draw(m, p.posts, d.width, true, true)
	lines = append(lines, posts...)
	if len(p.posts) == 0 {
		lines = append(lines, inked(inkDim, " no posts"))
	}
	return p.pane.window(lines, head, selected, d.body)
}

type labelled struct {
	label string
	text  safe.Safe
}

// fields are the texts that the account wrote about itself, as far as there are.
func (p *userPage) fields() []labelled {
	return slices.DeleteFunc([]labelled{{" bio ", p.user.Bio}, {" reason for joining ", p.user.Reason}}, func(f labelled) bool {
		return f.text.String() == ""
	})
}

// state says for which step of its registration the account waits.
func (p *userPage) state() string {
	var state []string
	if p.user.Pending {
		state = append(state, "awaits approval")
	}
	if p.user.Unconfirmed {
		state = append(state, "unconfirmed")
	}
	return strings.Join(state, ", ")
}

func (p *userPage) run(m *model, c command) (tea.Cmd, bool) {
	if c == doRefresh {
		return tea.Batch(m.readUser(p.nick), m.readDossier(p.nick)), true
	}
	if p.user == nil {
		return nil, false
	}
	if p.pane.run(c, p.posts) {
		return nil, true
	}
	if cmd, ok := m.onPeople(c, []shown.Person{*p.user}); ok {
		return cmd, true
	}
	switch c {
	case doDelete, doSensitive, doVisibility:
		return m.stagePosts(c, p.pane.chosen(p.posts, true), p.user.Acct), true
	case doShowCW, doHideCW, doMedia, doCopy:
		m.lookAt(c, &p.pane, p.posts, p.user.ID, *p.user)
		return nil, true
	}
	return nil, false
}
