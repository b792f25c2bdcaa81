package queue

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/action"
	"svc/client/playbook"
	"svc/client/safe"
	"svc/client/templates"
	"svc/tui/desk"
	"svc/tui/draw"
	"svc/tui/keys"
	"svc/tui/list"
	"svc/tui/shown"
	"svc/tui/staged"
)

func mayPlay(m *desk.Env, book playbook.Playbook) bool {
	return !slices.ContainsFunc(book.Steps, func(s playbook.Step) bool { return !m.Rights.Has(s.Kind.Needs()...) })
}

// play offers the playbooks for the reports of the chosen rows, or of the group.
func (r *Reports) play(m *desk.Env) tea.Cmd {
	return r.withOpen(m, r.Chosen(), func(m *desk.Env) tea.Cmd {
		rows, marked := r.Chosen(), len(r.MarkedRows()) > 0 // others may have come in
		cases := r.cases(m, rows, &r.posts)
		// Grouped by reporter, a row does not name the accounts of its reports.
		asks := len(cases) > 1 || len(cases) == 1 && r.group == byReporter
		return r.askPlay(m, cases, asks, func(m *desk.Env) tea.Cmd {
			if marked {
				r.Unmark()
			} else {
				r.pass(m)
			}
			return tea.Batch(r.Sync(), r.more(m), r.wantDetail(m))
		})
	})
}

// withOpen goes on once all open reports about the accounts of rows are loaded. They are
// asked for where the server counts more than there are; keys wait meanwhile.
func (r *Reports) withOpen(m *desk.Env, rows []int, then func(m *desk.Env) tea.Cmd) tea.Cmd {
	var accounts, names []string
	for _, row := range rows {
		t, id := r.tallies[r.Text(row, colNick)], r.Text(row, colID)
		if t != nil && t.ever >= 0 && t.open > t.count("open") && id != "" && !slices.Contains(accounts, id) {
			accounts, names = append(accounts, id), append(names, r.Text(row, colAbout))
		}
	}
	if len(accounts) == 0 {
		return then(m)
	}
	wait := &desk.Prompt{Title: []draw.Line{draw.Plain(" reading all open reports about " + shown.Some(names))}, Choices: []desk.Choice{{Key: "esc", Label: "cancel", Do: desk.Stay}}}
	m.Ask(wait)
	c, msg := m.Load.C, openRead{queue: r, wait: wait, then: then}
	return m.Load.Run(func(ctx context.Context) tea.Msg {
		found, err := c.Admin.Reports.OpenAbout(ctx, accounts)
		msg.rows, msg.reports = reportRows(found)
		msg.err = err
		return msg
	})
}

// openRead has all open reports about some accounts.
type openRead struct {
	queue   *Reports
	wait    *desk.Prompt
	then    func(m *desk.Env) tea.Cmd
	rows    []list.Row
	reports []*shown.Report
	err     error
}

func (msg openRead) Deliver(m *desk.Env) tea.Cmd {
	if m.Prompt != msg.wait {
		return nil // cancelled
	}
	m.Prompt = nil
	if msg.err != nil {
		m.Say(draw.InkBad, shown.Wording(msg.err).String())
		return m.ReportsTrouble(msg.err)
	}
	msg.queue.put(m, msg.rows, true)
	for _, one := range msg.reports {
		msg.queue.keep(m, one)
	}
	return tea.Batch(msg.queue.Sync(), msg.then(m))
}

func (p *reportPage) play(m *desk.Env) tea.Cmd {
	row, known := p.queue.Row(p.id)
	if !known {
		m.Say(draw.InkDim, "this report is not in the list; open the reports in its state")
		return nil
	}
	return p.queue.withOpen(m, []int{row}, func(m *desk.Env) tea.Cmd {
		row, _ := p.queue.Row(p.id)
		return p.queue.askPlay(m, p.queue.cases(m, []int{row}, &p.posts), false, func(m *desk.Env) tea.Cmd {
			if p.queue.UnderID() == p.id {
				p.queue.pass(m)
				p.follow()
			}
			return tea.Batch(p.queue.Sync(), p.queue.more(m), p.queue.wantDetail(m))
		})
	})
}

// pass moves the cursor on to the next row on which nothing waits.
func (r *Reports) pass(m *desk.Env) {
	for {
		before := r.Cursor()
		r.Move(1)
		if e, ok := r.Under(); !ok || r.Cursor() == before || e.Head() || m.Wish("report/"+r.ID(e.Row)) == "" {
			break
		}
	}
	r.posts.reset()
}

// cases are the accounts of reports, with all that playbooks act on: a case for
// each account.
func (r *Reports) cases(m *desk.Env, rows []int, posts *postPane) []playbook.Case {
	chosen := make([]playbook.Report, len(rows))
	for i, row := range rows {
		chosen[i] = r.playedOn(m, row)
	}
	var open []playbook.Report
	for row := range r.Columns.Len() {
		nick := r.Text(row, colNick)
		if nick != "" && r.Text(row, colState) == "open" && slices.ContainsFunc(chosen, func(c playbook.Report) bool { return c.Nick == nick }) {
			open = append(open, r.playedOn(m, row))
		}
	}
	return playbook.Cases(chosen, open, func(post string) bool { return posts.marks[post] })
}

// playedOn is a report as playbooks look at it. A state that is not known counts as
// open: a decision assumes that.
func (r *Reports) playedOn(m *desk.Env, row int) playbook.Report {
	nick, state := r.Text(row, colNick), r.Text(row, colState)
	if !slices.Contains(States, state) {
		state = "open"
	}
	return playbook.Report{
		ID: r.ID(row), State: state, About: nick, Nick: nick, Deactivated: r.Num(row, numFlags)&flagDeactivated != 0,
		By: r.Text(row, colByNick), Posts: r.postsOf(row), Fields: r.fieldsOf(m, r.about(row), r.ID(row)),
	}
}

// about is the reported account of a row, as far as it is loaded.
func (r *Reports) about(row int) shown.Person {
	if detail, ok := r.details.Peek(r.ID(row)); ok {
		return detail.About
	}
	return shown.Person{Nick: r.Text(row, colNick), Acct: safe.Clean(safe.Raw(r.Text(row, colAbout)))}
}

// postsOf are the posts of a report that still stand.
func (r *Reports) postsOf(row int) []string {
	ids := strings.Fields(r.Text(row, colPosts))
	if detail, ok := r.details.Peek(r.ID(row)); ok {
		ids = nil
		for _, one := range detail.Posts {
			if !one.Deleted {
				ids = append(ids, one.ID)
			}
		}
	}
	return ids
}

// fieldsOf are the values for texts about an account and a report about it.
func (r *Reports) fieldsOf(m *desk.Env, p shown.Person, report string) templates.Fields {
	f := m.FieldsOf(p)
	f[templates.Report] = report
	if detail, ok := r.details.Peek(report); ok {
		f[templates.Reason] = detail.Text.OneLine().String()
	}
	return f
}

// offer is a playbook that can be run here.
type offer struct {
	key, name string
	actions   []action.Action
	scope     string   // its objects, counted
	steps     string   // its consequences
	messages  []string // the texts that it sends to people
	why       string   // why it cannot be run, "" if it can
}

// offers are the playbooks for cases, each with a key of its own that is not the
// opening one.
func offers(m *desk.Env, cases []playbook.Case) []offer {
	var offers []offer
	taken := map[string]bool{"esc": true}
	for _, b := range m.Keys.Bindings {
		if b.Do == keys.Play {
			for _, key := range b.Keys {
				taken[key] = true
			}
		}
	}
	for _, book := range m.Playbooks {
		if !mayPlay(m, book) {
			continue
		}
		o := offer{name: safe.Line(book.Name)}
		for _, key := range append(strings.Split(book.Name, ""), strings.Split("123456789", "")...) {
			if o.key == "" && !taken[key] {
				o.key, taken[key] = key, true
			}
		}
		var scopes []playbook.Scope
		for _, c := range cases {
			plan, err := book.Plan(c)
			if err != nil {
				o.why = safe.Line(err.Error())
				break
			}
			o.actions, scopes = append(o.actions, slices.DeleteFunc(plan, alreadySo)...), append(scopes, book.Scope(c))
		}
		if o.why == "" && len(o.actions) == 0 {
			o.why = "nothing to do here"
		}
		o.scope, o.messages = playbook.Words(scopes...), playbook.Messages(o.actions)
		o.steps = strings.Join(playbook.Consequences(o.actions, staged.ObjectName), "; ")
		if o.key != "" {
			offers = append(offers, o)
		}
	}
	return offers
}

// alreadySo reports an action whose object was seen as it asks for.
func alreadySo(a action.Action) bool {
	return a.Kind == action.UserDeactivate && a.Before["deactivated"] == "true" || a.Kind.State() != "" && a.Before["state"] == a.Kind.State()
}

// askPlay offers the playbooks for cases with their consequences, so that a clear
// case takes this key and one more. With names, the accounts are asked about.
func (r *Reports) askPlay(m *desk.Env, cases []playbook.Case, names bool, after func(*desk.Env) tea.Cmd) tea.Cmd {
	if len(cases) == 0 {
		return nil
	}
	offers := offers(m, cases)
	if len(offers) == 0 {
		m.Say(draw.InkDim, "no playbook here takes your privileges alone")
		return nil
	}
	who := accountsOf(cases)
	head, scope := " play on "+shown.Some(who)+r.openAbout(cases), commonScope(offers)
	if scope != "" {
		head += ": " + scope
	}
	title := []draw.Line{draw.Inked(draw.InkStrong, head)}
	var preview []draw.Line
	var choices []desk.Choice
	for _, o := range offers {
		text, ink := o.steps, draw.InkPlain
		if scope == "" {
			text = o.scope + ": " + text
		}
		if o.why != "" {
			text, ink = o.why, draw.InkDim
		} else {
			choices = append(choices, desk.Choice{Key: o.key, Label: o.name, Do: func(m *desk.Env) tea.Cmd {
				if len(o.messages) > 0 && !names { // a text that goes to somebody is read first
					return previewPlay(m, o, who, names, after)
				}
				return choosePlay(m, o, who, names, after)
			}})
		}
		label := "   " + o.key + " " + o.name + ": "
		for i, part := range safe.Wrap(text, max(20, m.Width-2-safe.Width(label))) {
			if i > 0 {
				label = safe.Fit("", safe.Width(label))
			}
			preview = append(preview, draw.Line{{Text: label, Ink: draw.InkStrong}, {Text: part, Ink: ink}})
		}
	}
	q := &desk.Prompt{Title: append(title, preview...), Choices: append(choices, desk.Choice{Key: "esc", Label: "cancel", Do: desk.Stay})}
	if !names && !fits(m, q) { // then the preview comes with a question of its own
		q.Title = title
		for i, o := range offers {
			if o.why == "" {
				at := slices.IndexFunc(q.Choices, func(c desk.Choice) bool { return c.Key == o.key })
				q.Choices[at].Do = func(m *desk.Env) tea.Cmd { return previewPlay(m, offers[i], who, names, after) }
			}
		}
	}
	m.Ask(q)
	return nil
}

// commonScope is the scope of all offers that can be run, "" where they differ.
func commonScope(offers []offer) string {
	scope := ""
	for _, o := range offers {
		switch {
		case o.why != "" || o.scope == scope:
		case scope == "":
			scope = o.scope
		default:
			return ""
		}
	}
	return scope
}

// fits reports whether all of a prompt is shown. Without a screen it always is.
func fits(m *desk.Env, p *desk.Prompt) bool {
	return m.HeardNotice != nil || len(p.Draw(m.Width)) < max(1, m.Height/2)
}

func accountsOf(cases []playbook.Case) []string {
	who := make([]string, len(cases))
	for i, c := range cases {
		who[i] = "an account that is gone"
		if c.Nick != "" {
			who[i] = "@" + shown.Acct(c.Nick).String()
		}
	}
	return who
}

// openAbout counts the open reports about the accounts of cases, and says if there
// may be more that are not loaded.
func (r *Reports) openAbout(cases []playbook.Case) string {
	n, whole := 0, true
	for _, c := range cases {
		n += len(c.All)
		t := r.tallies[c.Nick]
		whole = whole && t != nil && t.ever >= 0 && t.open <= len(c.All)
	}
	text := fmt.Sprintf(" (%d open)", n)
	if n == 1 {
		text = " (1 open)"
	}
	if !whole && (!r.complete || r.state != "open" && r.state != "all") {
		text = fmt.Sprintf(" (%d open of the %d reports loaded; there may be more)", n, r.Columns.Len())
	}
	return text
}

// previewPlay shows the consequences of one playbook, with the whole of what it
// sends to people, and asks.
func previewPlay(m *desk.Env, o offer, who []string, names bool, after func(*desk.Env) tea.Cmd) tea.Cmd {
	m.AskNames(o.name+" on "+shown.Some(who)+", "+o.scope, strings.Split(o.steps, "; "), func(m *desk.Env) tea.Cmd { return choosePlay(m, o, who, names, after) })
	m.Prompt.Title = append(m.Prompt.Title, messageLines(m, o.messages)...)
	return nil
}

// messageLines are texts whole, those of many accounts up to a few.
func messageLines(m *desk.Env, texts []string) []draw.Line {
	const few = 3
	var lines []draw.Line
	for _, text := range texts[:min(few, len(texts))] {
		lines = append(lines, draw.Plain("   the message:"))
		for _, part := range safe.Wrap(safe.Clean(safe.Raw(text)).String(), max(20, m.Width-8)) {
			lines = append(lines, draw.Line{{Text: "   | ", Ink: draw.InkDim}, {Text: part, Ink: draw.InkPlain}})
		}
	}
	if more := len(texts) - few; more > 0 {
		lines = append(lines, draw.Plain(fmt.Sprintf("   and %d more messages like these", more)))
	}
	return lines
}

func choosePlay(m *desk.Env, o offer, who []string, names bool, after func(*desk.Env) tea.Cmd) tea.Cmd {
	stage := func(m *desk.Env) tea.Cmd {
		cmd := m.StageItem(&staged.Item{Actions: o.actions, Label: o.name + " on " + shown.Some(who) + ": " + o.steps, Play: true})
		return tea.Batch(cmd, after(m))
	}
	if names {
		what := fmt.Sprintf("%s on %d accounts", o.name, len(who))
		if len(who) == 1 {
			what = o.name + " on 1 account"
		}
		m.AskNames(what, who, stage)
		for _, part := range safe.Wrap(o.scope+": "+o.steps, max(20, m.Width-4)) {
			m.Prompt.Title = append(m.Prompt.Title, draw.Plain("   "+part))
		}
		m.Prompt.Title = append(m.Prompt.Title, messageLines(m, o.messages)...)
		return nil
	}
	return stage(m)
}
