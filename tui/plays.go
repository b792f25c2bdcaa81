package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/action"
	"svc/client/canned"
	"svc/client/playbook"
	"svc/client/safe"
	"svc/tui/draw"
	"svc/tui/keys"
	"svc/tui/list"
	"svc/tui/shown"
	"svc/tui/staged"
)

func (m *session) mayPlay(book playbook.Playbook) bool {
	return !slices.ContainsFunc(book.Steps, func(s playbook.Step) bool { return !m.rights.Has(s.Kind.Needs()...) })
}

// play offers the playbooks for the reports of the chosen rows, or of the group.
func (r *reports) play(m *env) tea.Cmd {
	return r.withOpen(m, r.Chosen(), func(m *env) tea.Cmd {
		rows, marked := r.Chosen(), len(r.MarkedRows()) > 0 // others may have come in
		cases := r.cases(m, rows, &r.posts)
		// Grouped by reporter, a row does not name the accounts of its reports.
		asks := len(cases) > 1 || len(cases) == 1 && r.group == byReporter
		return r.askPlay(m, cases, asks, func(m *env) tea.Cmd {
			if marked {
				r.Unmark()
			} else {
				r.pass(m)
			}
			return tea.Batch(r.refresh(), r.more(m), r.wantDetail(m))
		})
	})
}

// withOpen goes on once all open reports about the accounts of rows are loaded. They are
// asked for where the server counts more than there are; keys wait meanwhile.
func (r *reports) withOpen(m *env, rows []int, then func(m *env) tea.Cmd) tea.Cmd {
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
	wait := &prompt{title: []draw.Line{draw.Plain(" reading all open reports about " + shown.Some(names))}, choices: []choice{{"esc", "cancel", stay}}}
	m.ask(wait)
	c, msg := m.load.c, openRead{queue: r, wait: wait, then: then}
	return m.load.run(func(ctx context.Context) tea.Msg {
		found, err := c.Admin.Reports.OpenAbout(ctx, accounts)
		msg.rows, msg.reports = reportRows(found)
		msg.err = err
		return msg
	})
}

// openRead has all open reports about some accounts.
type openRead struct {
	queue   *reports
	wait    *prompt
	then    func(m *env) tea.Cmd
	rows    []list.Row
	reports []*shown.Report
	err     error
}

func (msg openRead) deliver(m *env) tea.Cmd {
	if m.prompt != msg.wait {
		return nil // cancelled
	}
	m.prompt = nil
	if msg.err != nil {
		m.say(draw.InkBad, shown.Wording(msg.err).String())
		return m.reportsTrouble(msg.err)
	}
	msg.queue.put(m, msg.rows, true)
	for _, one := range msg.reports {
		msg.queue.keep(m, one)
	}
	return tea.Batch(msg.queue.refresh(), msg.then(m))
}

func (p *reportPage) play(m *env) tea.Cmd {
	row, known := p.queue.Row(p.id)
	if !known {
		m.say(draw.InkDim, "this report is not in the list; open the reports in its state")
		return nil
	}
	return p.queue.withOpen(m, []int{row}, func(m *env) tea.Cmd {
		row, _ := p.queue.Row(p.id)
		return p.queue.askPlay(m, p.queue.cases(m, []int{row}, &p.posts), false, func(m *env) tea.Cmd {
			if p.queue.UnderID() == p.id {
				p.queue.pass(m)
				p.follow()
			}
			return tea.Batch(p.queue.refresh(), p.queue.more(m), p.queue.wantDetail(m))
		})
	})
}

// pass moves the cursor on to the next row on which nothing waits.
func (r *reports) pass(m *env) {
	for {
		before := r.Cursor()
		r.Move(1)
		if e, ok := r.Under(); !ok || r.Cursor() == before || e.Head() || m.wish("report/"+r.ID(e.Row)) == "" {
			break
		}
	}
	r.posts.reset()
}

// cases are the accounts of reports, with all that playbooks act on: a case for
// each account.
func (r *reports) cases(m *env, rows []int, posts *postPane) []playbook.Case {
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
func (r *reports) playedOn(m *env, row int) playbook.Report {
	nick, state := r.Text(row, colNick), r.Text(row, colState)
	if !slices.Contains(reportStates, state) {
		state = "open"
	}
	return playbook.Report{
		ID: r.ID(row), State: state, About: nick, Nick: nick, Deactivated: r.Num(row, numFlags)&flagDeactivated != 0,
		By: r.Text(row, colByNick), Posts: r.postsOf(row), Fields: r.fieldsOf(m, r.about(row), r.ID(row)),
	}
}

// about is the reported account of a row, as far as it is loaded.
func (r *reports) about(row int) shown.Person {
	if detail, ok := r.details.Peek(r.ID(row)); ok {
		return detail.About
	}
	return shown.Person{Nick: r.Text(row, colNick), Acct: safe.Clean(safe.Raw(r.Text(row, colAbout)))}
}

// postsOf are the posts of a report that still stand.
func (r *reports) postsOf(row int) []string {
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
func (r *reports) fieldsOf(m *env, p shown.Person, report string) canned.Fields {
	f := m.fieldsOf(p)
	f[canned.Report] = report
	if detail, ok := r.details.Peek(report); ok {
		f[canned.Reason] = detail.Text.OneLine().String()
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
func (m *env) offers(cases []playbook.Case) []offer {
	var offers []offer
	taken := map[string]bool{"esc": true}
	for _, b := range m.keys.Bindings {
		if b.Do == keys.Play {
			for _, key := range b.Keys {
				taken[key] = true
			}
		}
	}
	for _, book := range m.playbooks {
		if !m.mayPlay(book) {
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
func (r *reports) askPlay(m *env, cases []playbook.Case, names bool, after func(*env) tea.Cmd) tea.Cmd {
	if len(cases) == 0 {
		return nil
	}
	offers := m.offers(cases)
	if len(offers) == 0 {
		m.say(draw.InkDim, "no playbook here takes your privileges alone")
		return nil
	}
	who := accountsOf(cases)
	head, scope := " play on "+shown.Some(who)+r.openAbout(cases), commonScope(offers)
	if scope != "" {
		head += ": " + scope
	}
	title := []draw.Line{draw.Inked(draw.InkStrong, head)}
	var preview []draw.Line
	var choices []choice
	for _, o := range offers {
		text, ink := o.steps, draw.InkPlain
		if scope == "" {
			text = o.scope + ": " + text
		}
		if o.why != "" {
			text, ink = o.why, draw.InkDim
		} else {
			choices = append(choices, choice{o.key, o.name, func(m *env) tea.Cmd {
				if len(o.messages) > 0 && !names { // a text that goes to somebody is read first
					return m.previewPlay(o, who, names, after)
				}
				return m.choosePlay(o, who, names, after)
			}})
		}
		label := "   " + o.key + " " + o.name + ": "
		for i, part := range safe.Wrap(text, max(20, m.width-2-safe.Width(label))) {
			if i > 0 {
				label = safe.Fit("", safe.Width(label))
			}
			preview = append(preview, draw.Line{{Text: label, Ink: draw.InkStrong}, {Text: part, Ink: ink}})
		}
	}
	q := &prompt{title: append(title, preview...), choices: append(choices, choice{"esc", "cancel", stay})}
	if !names && !m.fits(q) { // then the preview comes with a question of its own
		q.title = title
		for i, o := range offers {
			if o.why == "" {
				at := slices.IndexFunc(q.choices, func(c choice) bool { return c.key == o.key })
				q.choices[at].do = func(m *env) tea.Cmd { return m.previewPlay(offers[i], who, names, after) }
			}
		}
	}
	m.ask(q)
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
func (m *env) fits(p *prompt) bool {
	return m.heardNotice != nil || len(p.draw(m.width)) < max(1, m.height/2)
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
func (r *reports) openAbout(cases []playbook.Case) string {
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
func (m *env) previewPlay(o offer, who []string, names bool, after func(*env) tea.Cmd) tea.Cmd {
	m.askNames(o.name+" on "+shown.Some(who)+", "+o.scope, strings.Split(o.steps, "; "), func(m *env) tea.Cmd { return m.choosePlay(o, who, names, after) })
	m.prompt.title = append(m.prompt.title, m.messageLines(o.messages)...)
	return nil
}

// messageLines are texts whole, those of many accounts up to a few.
func (t *terminal) messageLines(texts []string) []draw.Line {
	const few = 3
	var lines []draw.Line
	for _, text := range texts[:min(few, len(texts))] {
		lines = append(lines, draw.Plain("   the message:"))
		for _, part := range safe.Wrap(safe.Clean(safe.Raw(text)).String(), max(20, t.width-8)) {
			lines = append(lines, draw.Line{{Text: "   | ", Ink: draw.InkDim}, {Text: part, Ink: draw.InkPlain}})
		}
	}
	if more := len(texts) - few; more > 0 {
		lines = append(lines, draw.Plain(fmt.Sprintf("   and %d more messages like these", more)))
	}
	return lines
}

func (m *env) choosePlay(o offer, who []string, names bool, after func(*env) tea.Cmd) tea.Cmd {
	stage := func(m *env) tea.Cmd {
		cmd := m.stageItem(&staged.Item{Actions: o.actions, Label: o.name + " on " + shown.Some(who) + ": " + o.steps, Play: true})
		return tea.Batch(cmd, after(m))
	}
	if names {
		what := fmt.Sprintf("%s on %d accounts", o.name, len(who))
		if len(who) == 1 {
			what = o.name + " on 1 account"
		}
		m.askNames(what, who, stage)
		for _, part := range safe.Wrap(o.scope+": "+o.steps, max(20, m.width-4)) {
			m.prompt.title = append(m.prompt.title, draw.Plain("   "+part))
		}
		m.prompt.title = append(m.prompt.title, m.messageLines(o.messages)...)
		return nil
	}
	return stage(m)
}

// sayStopped tells at which step a play stopped, and how much of it was not done.
func (m *env) sayStopped(d *staged.Done) {
	rest := 0
	var stop action.Result
	for _, r := range d.Results {
		switch {
		case r.Outcome == action.Changed || r.Outcome == action.Unchanged:
		case stop.Err == nil:
			stop = r
		default:
			rest++
		}
	}
	name, _, _ := strings.Cut(staged.PlayName(d.Item), " ")
	text := fmt.Sprintf("%s stopped at %s %s: %s", name, stop.Action.Kind.Verb(), staged.ObjectName(stop.Action.Kind, stop.Action.Target), staged.Reason(stop.Err))
	if rest > 0 {
		text += fmt.Sprintf("; %d not done", rest)
	}
	m.say(draw.InkBad, text)
}
