package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/action"
	"svc/client/journal"
	"svc/client/safe"
	"svc/tui/draw"
	"svc/tui/keys"
	"svc/tui/list"
	"svc/tui/shown"
	"svc/tui/staged"
	"svc/tui/tables"
)

func (s *nounScreen) run(m *env, c keys.Command) (tea.Cmd, bool) {
	switch c {
	case keys.In:
		return s.enter(m), true
	case keys.Person:
		if r, ok := s.under(); ok {
			return m.openOne(peopleOf(r), "this row is about no account"), true
		}
		return nil, true
	case keys.Host:
		if r, ok := s.under(); ok && s.noun.Name != "host" {
			return m.openHost(hostOf(r)), true
		}
		return nil, s.noun.Name == "host"
	case keys.Thread:
		if r, ok := s.under(); ok {
			return m.openThread(statusOf(r)), true
		}
		return nil, true
	case keys.Undo:
		if s.noun.Own {
			return s.undoRow(m), true
		}
		return nil, false
	case keys.ShowCW:
		if r, ok := s.under(); ok && r.Behind.String() != "" {
			s.opened[r.ID] = true
		} else {
			m.say(draw.InkDim, "no hidden text here")
		}
		return nil, true
	case keys.HideCW:
		clear(s.opened)
		return nil, true
	case keys.Sort:
		s.nextSort(m.layout().Width)
		return s.refresh(), true
	case keys.Refresh:
		s.Merge()
		return tea.Batch(s.reload(m), s.refresh()), true
	case keys.Back:
		switch {
		case len(s.MarkedRows()) > 0:
			s.Unmark()
		case s.filter.Text != "":
			return s.setFilter(m, ""), true
		case s.scope != "", s.noun.Own:
			return m.back(), true
		}
		return nil, true
	case keys.Copy:
		if r, ok := s.under(); ok && r.CopyName != "" {
			m.askCopy(r.CopyID, r.CopyName, "")
		} else if ok {
			m.askCopy(r.ID, r.Person, r.Copy)
		}
		return nil, true
	}
	if s.move(c, s.height(m.layout())) {
		return tea.Batch(s.refresh(), s.more(m)), true
	}
	cmd, ok := m.runVerb(task{screen: s, noun: s.noun, rows: s.chosen()}, c)
	return cmd, ok
}

// hostOf is the server that a row is about, "" for this one or none.
func hostOf(r tables.Row) string {
	if name, isHost := strings.CutPrefix(r.Target, "host/"); isHost {
		return name
	}
	_, domain, _ := strings.Cut(r.Person, "@")
	return cmp.Or(r.Domain, domain)
}

// openHost shows what is known of a server, "" for this one.
func (m *env) openHost(name string) tea.Cmd {
	if name == "" {
		m.say(draw.InkDim, "this is about no other server; "+string(keys.Host)+" NAME shows one")
		return nil
	}
	return m.openNoun(tables.Find(string(keys.Host)), name)
}

// statusOf is the ID of the status that a row is or is about, "" for none.
func statusOf(r tables.Row) string {
	for _, target := range append([]string{r.Target}, r.People...) {
		noun, id, _ := strings.Cut(target, "/")
		if noun == "status" || noun == tables.AuthorOf {
			return id
		}
	}
	return ""
}

// openThread shows the thread of a status, "" for none.
func (m *env) openThread(id string) tea.Cmd {
	if id == "" {
		m.say(draw.InkDim, "there is no post here; "+string(keys.Thread)+" ID shows the thread of one")
		return nil
	}
	return m.openNoun(tables.Find(string(keys.Thread)), id)
}

// threadOf shows the thread of the post in front.
func (m *env) threadOf(pane *postPane, posts []shown.Post) tea.Cmd {
	if pane.at >= len(posts) {
		return m.openThread("")
	}
	return m.openThread(posts[pane.at].ID)
}

// peopleOf are the objects that lead to the accounts of a row.
func peopleOf(r tables.Row) []string {
	if r.Person != "" {
		return []string{"user/" + r.Person}
	}
	return r.People
}

// openOne shows one of the objects, which the person chooses.
func (m *env) openOne(targets []string, none string) tea.Cmd {
	const most = 9
	switch len(targets) {
	case 0:
		m.say(draw.InkDim, none)
		return nil
	case 1:
		return m.openTarget(targets[0])
	}
	var choices []choice
	for i, target := range targets[:min(most, len(targets))] {
		noun, name, _ := strings.Cut(target, "/")
		label := shown.ShortID(name)
		if noun == "user" {
			label = shown.Acct(name).String()
		}
		choices = append(choices, choice{fmt.Sprint(i + 1), label, func(m *env) tea.Cmd { return m.openTarget(target) }})
	}
	m.ask(&prompt{title: []draw.Line{draw.Plain(" whose page?")}, choices: append(choices, choice{"esc", "cancel", stay})})
	return nil
}

// task is a verb on rows: those of a table, or the account of a page.
type task struct {
	screen *nounScreen // nil for a page
	noun   *tables.Noun
	verb   tables.Verb
	rows   []tables.Row
}

// runVerb carries out a command on rows; false is for one that is none.
func (m *env) runVerb(t task, c keys.Command) (tea.Cmd, bool) {
	for _, v := range t.noun.Verbs {
		if keys.VerbCommand(t.noun, v) == c {
			t.verb = v
			return m.start(t), true
		}
	}
	if !t.noun.Accounts {
		return nil, false
	}
	var people []shown.Person
	for _, r := range t.rows {
		people = append(people, r.Account)
	}
	switch c {
	case keys.Deactivate, keys.Activate:
		t.unmark()
		return m.stagePeople(c, people), true
	case keys.Message:
		t.unmark()
		m.writeMessage(people, m.fieldsOf)
		return nil, true
	}
	return nil, false
}

// unmark takes the marks of rows away that are dealt with.
func (t task) unmark() {
	if t.screen != nil {
		t.screen.Unmark()
	}
}

// enter shows the objects that belong to the row under the cursor.
func (s *nounScreen) enter(m *env) tea.Cmd {
	r, ok := s.under()
	switch {
	case !ok:
		return nil
	case s.noun.Into != "":
		scope := r.Scope
		if scope == "" {
			scope = r.ID
		}
		return m.openNoun(tables.Find(s.noun.Into), scope)
	case r.Person != "" && m.keys.Has(keys.Users):
		return m.openUser(r.Person)
	case r.Opens != nil || s.noun.Logged != nil:
		return m.openOne(r.Opens, "this entry is about no account")
	}
	return m.open(&page{name: strings.ToUpper(s.noun.Name), text: func(width int, f list.Filter) []draw.Line {
		var lines []draw.Line
		for i, c := range s.noun.Columns {
			if text := r.Cells[i].String(); text != "" {
				lines = append(lines, draw.Line{{Text: " " + safe.Fit(strings.ToLower(c.Head), 14), Ink: draw.InkDim}, {Text: text, Ink: draw.InkPlain}})
			}
		}
		return matching(append(append(lines, nil), s.rowLines(m, r, width)...), f)
	}})
}

// start asks for the text of a verb, where it needs one.
func (m *env) start(t task) tea.Cmd {
	v := t.verb
	if v.New {
		t.rows = nil
	} else {
		t.rows = slices.DeleteFunc(slices.Clone(t.rows), func(r tables.Row) bool { return v.Fits != nil && !v.Fits(r) || t.noun.Accounts && r.Person == "" })
		if len(t.rows) == 0 {
			what := "nothing"
			if t.noun.Accounts {
				what = "nobody"
			}
			m.say(draw.InkDim, what+" here to "+v.Name)
			return nil
		}
		if (v.Call != nil || v.Plan != nil) && len(t.rows) > 1 {
			m.say(draw.InkDim, v.Name+" works on one at a time")
			return nil
		}
	}
	var choices []choice
	for _, k := range v.Kinds {
		choices = append(choices, choice{k.Key, k.Word, func(m *env) tea.Cmd {
			t.verb.Kind = k.Kind
			return m.decide(t, "")
		}})
	}
	var value string
	options := v.Choices
	if len(t.rows) == 1 {
		value = t.rows[0].Value
		if options == nil && v.Ask != "" {
			options = t.rows[0].Options
		}
	}
	for i, text := range options {
		choices = append(choices, choice{fmt.Sprint(i + 1), safe.Line(text), func(m *env) tea.Cmd { return m.decide(t, text) }})
	}
	switch {
	case len(choices) == 0 && v.Ask == "":
		return m.decide(t, "")
	case len(choices) == 0:
		m.askText(t, value)
		return nil
	case v.Ask != "":
		choices = append(choices, choice{"t", "type it", func(m *env) tea.Cmd { m.askText(t, value); return nil }})
	}
	m.ask(&prompt{title: []draw.Line{t.asking()}, choices: append(choices, choice{"esc", "cancel", stay})})
	return nil
}

// asking heads the questions of a verb.
func (t task) asking() draw.Line {
	l := draw.Inked(draw.InkStrong, " "+t.verb.Help)
	if len(t.rows) > 0 {
		l = append(l, draw.Span{Text: ": " + shown.Some(shortNames(t.rows)), Ink: draw.InkPlain})
	}
	return l
}

// askText reads the text of a verb until it passes the verb's check.
func (m *env) askText(t task, text string, wrong ...draw.Line) {
	field := newTextField(text, false)
	field.secret = len(t.rows) == 1 && t.rows[0].Secret
	m.ask(&prompt{
		title: append([]draw.Line{append(t.asking(), draw.Span{Text: "   enter goes on, esc cancels", Ink: draw.InkDim})}, wrong...),
		text:  field, label: t.verb.Ask, accept: "enter",
		done: func(m *env, text string) tea.Cmd {
			text = strings.TrimSpace(text)
			err := error(nil)
			switch {
			case t.verb.Check != nil:
				err = t.verb.Check(text)
			case t.verb.Names != "" && text != "":
				var target action.Target
				if target, err = action.ParseTarget(t.verb.Names, text); err == nil {
					text = target.String()
				}
			}
			if err != nil {
				m.askText(t, text, draw.Inked(draw.InkBad, " "+shown.Wording(err).String()))
				return nil
			}
			if text == "" && t.verb.Arg != "" && !t.verb.Optional {
				return nil
			}
			return m.decide(t, text)
		},
	})
}

// decide asks whether a grave verb is meant, and carries it out.
func (m *env) decide(t task, text string) tea.Cmd {
	v := t.verb
	switch {
	case v.Plan != nil:
		return m.plan(t, text)
	case v.Call != nil && v.Sure:
		m.askNames(v.Help, shortNames(t.rows), func(m *env) tea.Cmd { return m.call(t, text) })
		return nil
	case v.Call != nil:
		return m.call(t, text)
	}
	var actions []action.Action
	var means []string
	if v.New {
		actions = []action.Action{{Kind: v.Kind, Target: newTarget(v.Kind, text), Args: v.Args}}
	}
	for _, r := range t.rows {
		args := maps.Clone(r.Args)
		if args == nil {
			args = map[string]string{}
		}
		maps.Copy(args, v.Args)
		if v.Arg != "" && (text != "" || !v.Optional) {
			args[v.Arg] = text
		}
		one := action.Action{Kind: v.Kind, Target: r.Target, Args: args, Before: r.Before}
		if v.Target != nil {
			one.Target, one.Before = v.Target(r), nil
		}
		same := slices.IndexFunc(actions, func(a action.Action) bool { return v.Target != nil && a.Target == one.Target })
		switch {
		case same < 0:
			actions = append(actions, one)
		case v.Joined != "":
			actions[same].Args[v.Joined] += "," + args[v.Joined]
		}
		if v.Means != nil && !slices.Contains(means, v.Means(r)) {
			means = append(means, v.Means(r))
		}
	}
	t.unmark()
	if v.Says != "" {
		_, names, _ := strings.Cut(staged.Objects(v.Kind, actions), v.Kind.Verb())
		m.askNames(fmt.Sprintf(v.Says, ""), shortNames(t.rows), func(m *env) tea.Cmd { return m.stage(actions, fmt.Sprintf(v.Says, names)) })
		return nil
	}
	return m.stageSurely(actions, v.Sure, means...)
}

func shortNames(rows []tables.Row) []string {
	var names []string
	for _, r := range rows {
		names = append(names, shortName(r))
	}
	return names
}

func shortName(r tables.Row) string {
	return safe.Truncate(safe.Line(cmp.Or(r.Name, r.Copy, r.ID)), 60, "~")
}

// newTarget is the target for a typed text.
func newTarget(kind action.Kind, text string) string {
	if t, err := action.ParseTarget(kind.Noun(), text); err == nil {
		return t.String()
	}
	return kind.Noun() + "/" + text
}

// stageSurely stages actions of one kind. It asks before several objects are
// changed, and before one where sure says so; where the kind is grave, the name
// or the count is typed. means are the consequences to show.
func (m *env) stageSurely(actions []action.Action, sure bool, means ...string) tea.Cmd {
	kind := actions[0].Kind
	names := make([]string, len(actions))
	for i, a := range actions {
		names[i] = staged.ObjectName(kind, a.Target)
	}
	stage := func(m *env) tea.Cmd { return m.stage(actions, staged.Label(kind, actions)) }
	what := kind.Verb() + " " + names[0]
	if len(actions) > 1 {
		what = fmt.Sprintf("%s %d", kind.Verb(), len(actions))
	}
	if len(means) > 0 {
		what += " (" + strings.Join(means, "; ") + ")"
	}
	switch {
	case action.Level(kind, len(actions), false) == action.L2:
		word := names[0]
		if len(actions) > 1 {
			word = fmt.Sprint(len(actions))
		}
		m.askWord(what, names, word, stage)
		return nil
	case len(actions) > 1 || sure:
		m.askNames(what, names, stage)
		return nil
	}
	return stage(m)
}

// askWord has a person type a word before something grave happens.
func (m *env) askWord(what string, names []string, word string, do func(m *env) tea.Cmd) {
	title := []draw.Line{draw.Inked(draw.InkBad, " "+what+": type "+word+" to go on, esc cancels")}
	if len(names) > 1 {
		title = append(title, draw.Plain("   "+safe.Truncate(strings.Join(names, ", "), max(1, m.width-4), "~")))
	}
	m.ask(&prompt{title: title, text: newTextField("", false), label: "type " + word + ": ", accept: "enter", done: func(m *env, text string) tea.Cmd {
		if strings.TrimSpace(text) != word {
			m.say(draw.InkDim, "not done: that was not "+word)
			return nil
		}
		return do(m)
	}})
}

// called is the end of a verb that is carried out at once.
type called struct {
	screen  *nounScreen
	label   string
	title   string // of the page for a text that is shown nowhere else
	text    safe.Safe
	once    bool            // the text is shown nowhere else
	unkept  safe.Safe       // why the journal does not have it, "" where it does
	results []action.Result // with what undoes them; nil for what cannot be undone
	entries []string        // of the journal, one for each result
	err     error
}

func (msg called) deliver(m *env) tea.Cmd { return m.called(msg) }

// write puts what was changed into the journal.
func (msg *called) write(book *journal.Journal, results ...action.Result) {
	var err error
	msg.results = results
	if msg.entries, err = book.Add(results, nil); err != nil {
		msg.unkept = safe.Join("", safe.Own("svcctl undo will not know of this: "), shown.Wording(err))
	}
}

// label names a verb that is carried out at once, and its row.
func (t task) label() string {
	return strings.Join(append([]string{t.verb.Name}, shortNames(t.rows)...), " ")
}

// row is the one row of a verb, none where it makes something new.
func (t task) row() (r tables.Row) {
	if len(t.rows) > 0 {
		r = t.rows[0]
	}
	return r
}

// call carries a verb out at once.
func (m *env) call(t task, text string) tea.Cmd {
	if !m.poll.offline.IsZero() || m.poll.loggedOut {
		m.say(draw.InkBad, t.label()+": the server is out of reach")
		return nil
	}
	m.say(draw.InkDim, t.label()+" ...")
	parent, c, book := m.load.ctx, m.load.c, m.journal
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(parent, time.Minute)
		defer cancel()
		answer, err := t.verb.Call(ctx, c, t.row(), text)
		end := called{screen: t.screen, label: t.label(), title: t.noun.Name + " " + t.label(), text: answer, once: t.verb.Once, err: err}
		if err == nil {
			end.write(book, t.verb.Result(t.row(), text, answer))
		}
		return end
	}
}

// called shows the result of a call, also in the list of finished actions.
func (m *env) called(msg called) tea.Cmd {
	done := &staged.Done{Item: &staged.Item{Label: msg.label}, Results: msg.results, Entries: msg.entries, At: m.now()}
	if len(msg.results) == 0 {
		done.Results, done.Entries = []action.Result{{Action: action.Action{Target: msg.label}, Outcome: action.Changed, Err: msg.err}}, nil
	}
	for _, r := range done.Results {
		done.Item.Actions = append(done.Item.Actions, r.Action)
	}
	switch {
	case msg.err != nil:
		done.Results[0].Outcome = action.Failed
		m.say(draw.InkBad, msg.label+": "+staged.Reason(msg.err))
	case msg.once:
		m.say(draw.InkGood, strings.TrimSuffix(msg.label+": done; "+msg.unkept.String(), "; "))
	default:
		done.Item.Label = strings.TrimSuffix(msg.label+": "+safe.Join("; ", msg.text, msg.unkept).String(), ": ")
		m.say(draw.InkGood, done.Item.Label)
	}
	m.staged.Done = append(m.staged.Done, done)
	if msg.screen != nil {
		msg.screen.outdated = true
	}
	cmd := m.screen().renew(m)
	if msg.once && msg.err == nil {
		return tea.Batch(cmd, m.openWhole(msg.title, msg.text.String()))
	}
	return cmd
}

// planned is a plan that was made, or the end of one that was carried out.
type planned struct {
	task
	text string
	plan *tables.Plan
	err  error
}

//nolint:unparam // other messages have commands
func (msg planned) deliver(m *env) tea.Cmd { m.planned(msg); return nil }

// plan makes the plan for a text, and shows it.
func (s *session) plan(t task, text string) tea.Cmd {
	c := s.load.c
	return s.load.run(func(ctx context.Context) tea.Msg {
		plan, err := t.verb.Plan(ctx, c, t.row(), text)
		return planned{t, text, plan, err}
	})
}

// planned asks for confirmation of a plan. An error appears at the field, with
// the text as it was typed.
func (m *env) planned(msg planned) {
	if m.screen() != screen(msg.screen) || m.prompt != nil {
		return
	}
	if msg.err != nil {
		if msg.verb.Ask == "" {
			m.say(draw.InkBad, shortName(msg.row())+": "+staged.Reason(msg.err))
			return
		}
		var lines []draw.Line
		for _, text := range safe.Wrap(staged.Reason(msg.err), max(1, m.width-2)) {
			lines = append(lines, draw.Inked(draw.InkBad, " "+text))
		}
		m.askText(msg.task, msg.text, lines...)
		return
	}
	title := []draw.Line{draw.Inked(draw.InkStrong, " "+msg.plan.Title.String())}
	title = append(title, detailLines(msg.plan.Lines, m.width)...)
	choices := []choice{{"y", "yes, send it", func(m *env) tea.Cmd { return m.sendPlan(msg) }}}
	if msg.verb.Ask != "" {
		choices = append(choices, choice{"t", "type on", func(m *env) tea.Cmd { m.askText(msg.task, msg.text); return nil }})
	}
	m.ask(&prompt{title: title, choices: append(choices, choice{"esc", "cancel", stay})})
}

// sendPlan carries a plan out. A refusal comes back to the field.
func (m *env) sendPlan(msg planned) tea.Cmd {
	c, book := m.load.c, m.journal
	m.say(draw.InkDim, msg.label()+" ...")
	return m.load.run(func(ctx context.Context) tea.Msg {
		answer, results, err := msg.plan.Send(ctx, c)
		var conflict *action.Conflict
		if err != nil && msg.verb.Ask != "" && !errors.As(err, &conflict) {
			msg.plan, msg.err = nil, err
			return msg
		}
		end := called{screen: msg.screen, label: msg.label(), text: answer, err: err}
		end.write(book, results...)
		return end
	})
}
