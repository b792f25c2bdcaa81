package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/action"
	"svc/client/safe"
	"svc/tui/draw"
	"svc/tui/keys"
	"svc/tui/shown"
	"svc/tui/staged"
	"svc/tui/tables"
)

// reportPage is one report over the whole screen.
type reportPage struct {
	textDefaults
	queue *reports
	id    string
	posts postPane
}

func newReportPage(queue *reports, id string) *reportPage {
	return &reportPage{queue: queue, id: id, posts: newPostPane()}
}

func (p *reportPage) on() keys.Places             { return keys.OnReport }
func (p *reportPage) tab() keys.Command           { return keys.Reports }
func (p *reportPage) allowed(mine *keys.Map) bool { return mine.Has(keys.Reports) }
func (p *reportPage) scroll(n int)                { p.posts.top = max(0, p.posts.top+n) }

func (p *reportPage) position(*env) string {
	return fmt.Sprint("report ", p.id, p.posts.at, p.queue.detail(p.id) != nil)
}

func (p *reportPage) spoken(m *env) []string { return p.queue.spokenReport(m, p.id, &p.posts, true) }

func (p *reportPage) title(*env) string { return "REPORT " + safe.Line(p.id) }

func (p *reportPage) extras(m *env) []extra {
	if row, known := p.queue.Row(p.id); known {
		state, _, _, _ := p.queue.drawState(m, row)
		return []extra{{text: state}}
	}
	return nil
}

func (p *reportPage) bar(*env) []keys.Command {
	return []keys.Command{keys.Resolve, keys.Close, keys.Reopen, keys.Note, keys.Play, keys.Deactivate, keys.Mark, keys.Delete, keys.ShowCW, keys.Back}
}

func (p *reportPage) draw(m *env, d draw.Layout) []draw.Line {
	lines, head, selected := p.queue.evidence(m, &p.posts, p.id, d.Width, true, true)
	return p.posts.window(lines, head, selected, d.Body)
}

func (p *reportPage) run(m *env, c keys.Command) (tea.Cmd, bool) {
	if c == keys.Refresh {
		return p.queue.readReport(m, p.id), true
	}
	detail := p.queue.detail(p.id)
	if detail == nil {
		return nil, false
	}
	if p.posts.run(c, detail.Posts) {
		return nil, true
	}
	switch c {
	case keys.Resolve, keys.Close, keys.Reopen:
		return p.changeState(m, c, detail), true
	case keys.Note:
		p.queue.writeNote(m, p.id)
		return nil, true
	case keys.Person:
		return p.queue.openPerson(m, detail.About), true
	case keys.Host:
		return m.openHost(detail.About.Domain), true
	case keys.Thread:
		return m.threadOf(&p.posts, detail.Posts), true
	case keys.Message:
		p.queue.writeMessage(m, []shown.Person{detail.About}, p.id)
		return nil, true
	case keys.Claim:
		if row, known := p.queue.Row(p.id); known {
			return p.queue.stageClaims(m, []int{row}), true
		}
		m.say(draw.InkDim, "this report is not in the list; open the reports in its state")
		return nil, true
	case keys.Play:
		return p.play(m), true
	case keys.Deactivate, keys.Activate:
		return m.stagePeople(c, []shown.Person{detail.About}), true
	case keys.Delete, keys.Sensitive, keys.Visibility:
		return m.stagePosts(c, p.posts.chosen(detail.Posts, true), detail.About.Acct), true
	case keys.ShowCW, keys.HideCW, keys.Media, keys.Copy:
		p.queue.lookAt(m, c, &p.posts, detail.Posts, p.id, detail.About)
		return nil, true
	}
	return nil, false
}

// changeState stages the new state and goes on to the next report of the list.
func (p *reportPage) changeState(m *env, c keys.Command, detail *shown.Report) tea.Cmd {
	kind := stateKinds[c]
	if detail.State == kind.State() {
		m.say(draw.InkDim, "already "+kind.Done())
		return nil
	}
	actions := []action.Action{{Kind: kind, Target: "report/" + p.id, Before: map[string]string{"state": detail.State}}}
	cmd := m.stage(actions, staged.Label(kind, actions))
	if p.queue.UnderID() == p.id {
		p.queue.Move(1)
		p.queue.posts.reset()
		p.follow()
	}
	return tea.Batch(cmd, p.queue.refresh(), p.queue.more(m), p.queue.wantDetail(m))
}

// follow goes on to the report under the cursor of the list.
func (p *reportPage) follow() {
	if next := p.queue.UnderID(); next != p.id && next != "" {
		p.id = next
		p.posts = newPostPane()
	}
}

// renew loads the report again when it went out of date.
func (p *reportPage) renew(m *env) tea.Cmd {
	if p.queue.detail(p.id) != nil || p.queue.asked[p.id] {
		return nil
	}
	return p.queue.readReport(m, p.id)
}

// userPage is one account over the whole screen.
type userPage struct {
	textDefaults
	queue  *reports
	user   *shown.Person
	posts  []shown.Post
	pane   postPane
	failed safe.Safe
	record
}

func newUserPage(queue *reports, nick string) *userPage {
	return &userPage{queue: queue, pane: newPostPane(), record: record{nick: nick}}
}

func (p *userPage) on() keys.Places   { return keys.OnUser }
func (p *userPage) tab() keys.Command { return keys.Users }
func (p *userPage) scroll(n int)      { p.pane.top = max(0, p.pane.top+n) }

func (p *userPage) position(*env) string {
	return fmt.Sprint("user ", p.nick, p.pane.at, p.user != nil)
}

func (p *userPage) title(*env) string { return "USER " + shown.Acct(p.nick).String() }

func (p *userPage) extras(m *env) []extra {
	if wish := m.wish("user/" + p.nick); wish != "" {
		return []extra{{text: wish}}
	}
	return nil
}

func (p *userPage) bar(*env) []keys.Command {
	return []keys.Command{keys.Deactivate, "tag", "promote", keys.Menu, keys.Mark, keys.Delete, keys.Sensitive, keys.Visibility}
}

func (p *userPage) draw(m *env, d draw.Layout) []draw.Line {
	if p.user == nil {
		text := " loading"
		if p.failed.String() != "" {
			text = " " + p.failed.String()
		}
		return []draw.Line{nil, draw.Plain(text)}
	}
	lines := p.queue.personLines(m, p.user, true)
	for _, field := range p.fields() {
		lines = append(lines, draw.Indent(field.label, field.text, d.Width-1)...)
	}
	if state := p.state(); state != "" {
		lines = append(lines, draw.Inked(draw.InkWarn, " "+state))
	}
	for _, about := range p.paragraphs(m) {
		lines = append(lines, draw.Plain(" "+about.head))
		for _, text := range about.lines {
			lines = append(lines, draw.Inked(draw.InkDim, draw.Shortened("   "+text, d.Width)))
		}
	}
	lines = append(lines, append(draw.Plain(" "), m.rule(min(d.Width-2, 60))...))
	head := len(lines)
	posts, selected := p.pane.draw(m, p.posts, d.Width, true, true)
	lines = append(lines, posts...)
	if len(p.posts) == 0 {
		lines = append(lines, draw.Inked(draw.InkDim, " no posts"))
	}
	return p.pane.window(lines, head, selected, d.Body)
}

type labelled struct {
	label string
	text  safe.Safe
}

// fields are the texts that the account wrote about itself, as far as there are.
func (p *userPage) fields() []labelled {
	fields := slices.DeleteFunc([]labelled{{" bio ", p.user.Bio}, {" reason for joining ", p.user.Reason}}, func(f labelled) bool {
		return f.text.String() == ""
	})
	for _, d := range tables.SignupDetails(p.user) {
		if d.Label != "reason" { // stands above
			fields = append(fields, labelled{" " + d.Label + " ", d.Text})
		}
	}
	return fields
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

func (p *userPage) run(m *env, c keys.Command) (tea.Cmd, bool) {
	if c == keys.Refresh {
		return tea.Batch(p.queue.readUser(m, p.nick), p.queue.readRecord(m, p.nick)), true
	}
	if p.user == nil {
		return nil, false
	}
	if p.pane.run(c, p.posts) {
		return nil, true
	}
	if c == keys.Host {
		return m.openHost(p.user.Domain), true
	}
	accounts := tables.Find(string(keys.Users))
	if cmd, ok := m.runVerb(task{noun: accounts, rows: []tables.Row{tables.UserRow(p.user)}}, c); ok {
		return cmd, true
	}
	switch c {
	case keys.Delete, keys.Sensitive, keys.Visibility:
		return m.stagePosts(c, p.pane.chosen(p.posts, true), p.user.Acct), true
	case keys.Thread:
		return m.threadOf(&p.pane, p.posts), true
	case keys.ShowCW, keys.HideCW, keys.Media, keys.Copy:
		p.queue.lookAt(m, c, &p.pane, p.posts, p.user.ID, *p.user)
		return nil, true
	}
	return nil, false
}

func (p *userPage) spoken(m *env) []string {
	if p.user == nil {
		return []string{shown.Sentence(p.failed.String())}
	}
	lines := []string{shown.WithCommas(draw.Joined(p.queue.personLines(m, p.user, true)), p.state())}
	for _, field := range p.fields() {
		lines = append(lines, strings.TrimSpace(field.label)+": "+field.text.OneLine().String())
	}
	for _, about := range p.paragraphs(m) {
		lines = append(lines, shown.Sentence(strings.ToLower(about.head)))
		for _, text := range about.lines {
			lines = append(lines, "  "+draw.Words(draw.Plain(text)))
		}
	}
	return append(lines, spokenPosts(m, p.posts, &p.pane, true)...)
}
