package queue

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/action"
	"svc/client/safe"
	"svc/tui/desk"
	"svc/tui/draw"
	"svc/tui/grid"
	"svc/tui/keys"
	"svc/tui/shown"
	"svc/tui/staged"
	"svc/tui/tables"
)

// reportPage is one report over the whole screen.
type reportPage struct {
	desk.TextDefaults
	queue *Reports
	id    string
	posts postPane
}

func newReportPage(queue *Reports, id string) *reportPage {
	return &reportPage{queue: queue, id: id, posts: newPostPane()}
}

func (p *reportPage) On() keys.Places             { return keys.OnReport }
func (p *reportPage) Tab() keys.Command           { return keys.Reports }
func (p *reportPage) Allowed(mine *keys.Map) bool { return mine.Has(keys.Reports) }
func (p *reportPage) ScrollText(n int)            { p.posts.top = max(0, p.posts.top+n) }

func (p *reportPage) Position(*desk.Env) string {
	return fmt.Sprint("report ", p.id, p.posts.at, p.queue.detail(p.id) != nil)
}

func (p *reportPage) Spoken(m *desk.Env) []string {
	return p.queue.spokenReport(m, p.id, &p.posts, true)
}

func (p *reportPage) Title(*desk.Env) string { return "REPORT " + safe.Line(p.id) }

func (p *reportPage) Extras(m *desk.Env) []desk.Extra {
	if row, known := p.queue.Row(p.id); known {
		state, _, _, _ := p.queue.drawState(m, row)
		return []desk.Extra{{Text: state}}
	}
	return nil
}

func (p *reportPage) Bar(*desk.Env) []keys.Command {
	return []keys.Command{keys.Resolve, keys.Close, keys.Reopen, keys.Note, keys.Play, keys.Deactivate, keys.Mark, keys.Delete, keys.ShowCW, keys.Back}
}

func (p *reportPage) Draw(m *desk.Env, d draw.Layout) []draw.Line {
	lines, head, selected := p.queue.evidence(m, &p.posts, p.id, d.Width, true, true)
	return p.posts.window(lines, head, selected, d.Body)
}

func (p *reportPage) Run(m *desk.Env, c keys.Command) (tea.Cmd, bool) {
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
		return m.OpenHost(detail.About.Domain), true
	case keys.Thread:
		return threadOf(m, &p.posts, detail.Posts), true
	case keys.Message:
		p.queue.writeMessage(m, []shown.Person{detail.About}, p.id)
		return nil, true
	case keys.Claim:
		if row, known := p.queue.Row(p.id); known {
			return p.queue.stageClaims(m, []int{row}), true
		}
		m.Say(draw.InkDim, "this report is not in the list; open the reports in its state")
		return nil, true
	case keys.Play:
		return p.play(m), true
	case keys.Deactivate, keys.Activate:
		return m.StagePeople(c, []shown.Person{detail.About}), true
	case keys.Delete, keys.Sensitive, keys.Visibility:
		return m.StagePosts(c, p.posts.chosen(detail.Posts, true), detail.About.Acct), true
	case keys.ShowCW, keys.HideCW, keys.Media, keys.Copy:
		p.queue.lookAt(m, c, &p.posts, detail.Posts, p.id, detail.About)
		return nil, true
	}
	return nil, false
}

// changeState stages the new state and goes on to the next report of the list.
func (p *reportPage) changeState(m *desk.Env, c keys.Command, detail *shown.Report) tea.Cmd {
	kind := stateKinds[c]
	if detail.State == kind.State() {
		m.Say(draw.InkDim, "already "+kind.Done())
		return nil
	}
	actions := []action.Action{{Kind: kind, Target: "report/" + p.id, Before: map[string]string{"state": detail.State}}}
	cmd := m.Stage(actions, staged.Label(kind, actions))
	if p.queue.UnderID() == p.id {
		p.queue.Move(1)
		p.queue.posts.reset()
		p.follow()
	}
	return tea.Batch(cmd, p.queue.Sync(), p.queue.more(m), p.queue.wantDetail(m))
}

// follow goes on to the report under the cursor of the list.
func (p *reportPage) follow() {
	if next := p.queue.UnderID(); next != p.id && next != "" {
		p.id = next
		p.posts = newPostPane()
	}
}

// Renew loads the report again when it went out of date.
func (p *reportPage) Renew(m *desk.Env) tea.Cmd {
	if p.queue.detail(p.id) != nil || p.queue.asked[p.id] {
		return nil
	}
	return p.queue.readReport(m, p.id)
}

// userPage is one account over the whole screen.
type userPage struct {
	desk.TextDefaults
	queue  *Reports
	user   *shown.Person
	posts  []shown.Post
	pane   postPane
	failed safe.Safe
	record
}

func newUserPage(queue *Reports, nick string) *userPage {
	return &userPage{queue: queue, pane: newPostPane(), record: record{nick: nick}}
}

func (p *userPage) On() keys.Places   { return keys.OnUser }
func (p *userPage) Tab() keys.Command { return keys.Users }
func (p *userPage) ScrollText(n int)  { p.pane.top = max(0, p.pane.top+n) }

func (p *userPage) Position(*desk.Env) string {
	return fmt.Sprint("user ", p.nick, p.pane.at, p.user != nil)
}

func (p *userPage) Title(*desk.Env) string { return "USER " + shown.Acct(p.nick).String() }

func (p *userPage) Extras(m *desk.Env) []desk.Extra {
	if wish := m.Wish("user/" + p.nick); wish != "" {
		return []desk.Extra{{Text: wish}}
	}
	return nil
}

func (p *userPage) Bar(*desk.Env) []keys.Command {
	return []keys.Command{keys.Deactivate, "tag", "promote", keys.Menu, keys.Mark, keys.Delete, keys.Sensitive, keys.Visibility}
}

func (p *userPage) Draw(m *desk.Env, d draw.Layout) []draw.Line {
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
	lines = append(lines, append(draw.Plain(" "), m.Rule(min(d.Width-2, 60))...))
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

func (p *userPage) Run(m *desk.Env, c keys.Command) (tea.Cmd, bool) {
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
		return m.OpenHost(p.user.Domain), true
	}
	if cmd, ok := grid.OnAccount(m, p.user, c); ok {
		return cmd, true
	}
	switch c {
	case keys.Delete, keys.Sensitive, keys.Visibility:
		return m.StagePosts(c, p.pane.chosen(p.posts, true), p.user.Acct), true
	case keys.Thread:
		return threadOf(m, &p.pane, p.posts), true
	case keys.ShowCW, keys.HideCW, keys.Media, keys.Copy:
		p.queue.lookAt(m, c, &p.pane, p.posts, p.user.ID, *p.user)
		return nil, true
	}
	return nil, false
}

func (p *userPage) Spoken(m *desk.Env) []string {
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
