package grid

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
	"svc/tui/desk"
	"svc/tui/draw"
	"svc/tui/keys"
	"svc/tui/list"
	"svc/tui/shown"
	"svc/tui/staged"
	"svc/tui/tables"
)

func (s *Screen) Run(m *desk.Env, c keys.Command) (tea.Cmd, bool) {
	switch c {
	case keys.In:
		return s.enter(m), true
	case keys.Person:
		if r, ok := s.under(); ok {
			return openOne(m, peopleOf(r), "this row is about no account"), true
		}
		return nil, true
	case keys.Host:
		if r, ok := s.under(); ok && s.Noun.Name != "host" {
			return m.OpenHost(hostOf(r)), true
		}
		return nil, s.Noun.Name == "host"
	case keys.Thread:
		if r, ok := s.under(); ok {
			return m.OpenThread(statusOf(r)), true
		}
		return nil, true
	case keys.Undo:
		if s.Noun.Own {
			return s.undoRow(m), true
		}
		return nil, false
	case keys.ShowCW:
		if r, ok := s.under(); ok && r.Behind.String() != "" {
			s.opened[r.ID] = true
		} else {
			m.Say(draw.InkDim, "no hidden text here")
		}
		return nil, true
	case keys.HideCW:
		clear(s.opened)
		return nil, true
	case keys.Sort:
		s.nextSort(m.Layout().Width)
		return s.Sync(), true
	case keys.Refresh:
		s.Merge()
		return tea.Batch(s.reload(m), s.Sync()), true
	case keys.Back:
		switch {
		case len(s.MarkedRows()) > 0:
			s.Unmark()
		case s.filter.Text != "":
			return s.SetFilter(m, ""), true
		case s.scope != "", s.Noun.Own:
			return m.Back(), true
		}
		return nil, true
	case keys.Copy:
		if r, ok := s.under(); ok && r.CopyName != "" {
			m.AskCopy(r.CopyID, r.CopyName, "")
		} else if ok {
			m.AskCopy(r.ID, r.Person, r.Copy)
		}
		return nil, true
	}
	if s.Obey(c, s.height(m.Layout())) {
		return tea.Batch(s.Sync(), s.more(m)), true
	}
	cmd, ok := runVerb(m, task{screen: s, noun: s.Noun, rows: s.chosen()}, c)
	return cmd, ok
}

// undoRow cancels or takes back the action under the cursor of the table.
func (s *Screen) undoRow(m *desk.Env) tea.Cmd {
	r, ok := s.under()
	if !ok {
		return m.Undo()
	}
	cmd, ok := m.UndoOwn(r.ID)
	if !ok {
		return nil
	}
	return tea.Batch(cmd, s.reload(m))
}

// hostOf is the server that a row is about, "" for this one or none.
func hostOf(r tables.Row) string {
	if name, isHost := strings.CutPrefix(r.Target, "host/"); isHost {
		return name
	}
	_, domain, _ := strings.Cut(r.Person, "@")
	return cmp.Or(r.Domain, domain)
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

// peopleOf are the objects that lead to the accounts of a row.
func peopleOf(r tables.Row) []string {
	if r.Person != "" {
		return []string{"user/" + r.Person}
	}
	return r.People
}

// openOne shows one of the objects, which the person chooses.
func openOne(m *desk.Env, targets []string, none string) tea.Cmd {
	const most = 9
	switch len(targets) {
	case 0:
		m.Say(draw.InkDim, none)
		return nil
	case 1:
		return m.OpenTarget(targets[0])
	}
	var choices []desk.Choice
	for i, target := range targets[:min(most, len(targets))] {
		noun, name, _ := strings.Cut(target, "/")
		label := shown.ShortID(name)
		if noun == "user" {
			label = shown.Acct(name).String()
		}
		choices = append(choices, desk.Choice{Key: fmt.Sprint(i + 1), Label: label, Do: func(m *desk.Env) tea.Cmd { return m.OpenTarget(target) }})
	}
	m.Ask(&desk.Prompt{Title: []draw.Line{draw.Plain(" whose page?")}, Choices: append(choices, desk.Choice{Key: "esc", Label: "cancel", Do: desk.Stay})})
	return nil
}

// task is a verb on rows: those of a table, or the account of a page.
type task struct {
	screen *Screen // nil for a page
	noun   *tables.Noun
	verb   tables.Verb
	rows   []tables.Row
}

// OnAccount carries out a command on the account of a page; false is for one that is
// none of the verbs on accounts.
func OnAccount(m *desk.Env, p *shown.Person, c keys.Command) (tea.Cmd, bool) {
	return runVerb(m, task{noun: tables.Find(string(keys.Users)), rows: []tables.Row{tables.UserRow(p)}}, c)
}

// runVerb carries out a command on rows; false is for one that is none.
func runVerb(m *desk.Env, t task, c keys.Command) (tea.Cmd, bool) {
	for _, v := range t.noun.Verbs {
		if keys.VerbCommand(t.noun, v) == c {
			t.verb = v
			return startVerb(m, t), true
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
		return m.StagePeople(c, people), true
	case keys.Message:
		t.unmark()
		m.WriteMessage(people, m.FieldsOf)
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
func (s *Screen) enter(m *desk.Env) tea.Cmd {
	r, ok := s.under()
	switch {
	case !ok:
		return nil
	case s.Noun.Into != "":
		scope := r.Scope
		if scope == "" {
			scope = r.ID
		}
		return m.OpenTable(keys.Command(s.Noun.Into), scope)
	case r.Person != "" && m.Keys.Has(keys.Users):
		return m.OpenUser(r.Person)
	case r.Opens != nil || s.Noun.Logged != nil:
		return openOne(m, r.Opens, "this entry is about no account")
	}
	return m.Open(&desk.Page{Name: strings.ToUpper(s.Noun.Name), Text: func(width int, f list.Filter) []draw.Line {
		var lines []draw.Line
		for i, c := range s.Noun.Columns {
			if text := r.Cells[i].String(); text != "" {
				lines = append(lines, draw.Line{{Text: " " + safe.Fit(strings.ToLower(c.Head), 14), Ink: draw.InkDim}, {Text: text, Ink: draw.InkPlain}})
			}
		}
		return desk.Matching(append(append(lines, nil), s.rowLines(m, r, width)...), f)
	}})
}

// startVerb asks for the text of a verb, where it needs one.
func startVerb(m *desk.Env, t task) tea.Cmd {
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
			m.Say(draw.InkDim, what+" here to "+v.Name)
			return nil
		}
		if (v.Call != nil || v.Plan != nil) && len(t.rows) > 1 {
			m.Say(draw.InkDim, v.Name+" works on one at a time")
			return nil
		}
	}
	var choices []desk.Choice
	for _, k := range v.Kinds {
		choices = append(choices, desk.Choice{Key: k.Key, Label: k.Word, Do: func(m *desk.Env) tea.Cmd {
			t.verb.Kind = k.Kind
			return decide(m, t, "")
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
		choices = append(choices, desk.Choice{Key: fmt.Sprint(i + 1), Label: safe.Line(text), Do: func(m *desk.Env) tea.Cmd { return decide(m, t, text) }})
	}
	switch {
	case len(choices) == 0 && v.Ask == "":
		return decide(m, t, "")
	case len(choices) == 0:
		askText(m, t, value)
		return nil
	case v.Ask != "":
		choices = append(choices, desk.Choice{Key: "t", Label: "type it", Do: func(m *desk.Env) tea.Cmd { askText(m, t, value); return nil }})
	}
	m.Ask(&desk.Prompt{Title: []draw.Line{t.asking()}, Choices: append(choices, desk.Choice{Key: "esc", Label: "cancel", Do: desk.Stay})})
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
func askText(m *desk.Env, t task, text string, wrong ...draw.Line) {
	field := desk.NewTextField(text, false)
	field.Secret = len(t.rows) == 1 && t.rows[0].Secret
	m.Ask(&desk.Prompt{
		Title: append([]draw.Line{append(t.asking(), draw.Span{Text: "   enter goes on, esc cancels", Ink: draw.InkDim})}, wrong...),
		Text:  field, Label: t.verb.Ask, Accept: "enter",
		Done: func(m *desk.Env, text string) tea.Cmd {
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
				askText(m, t, text, draw.Inked(draw.InkBad, " "+shown.Wording(err).String()))
				return nil
			}
			if text == "" && t.verb.Arg != "" && !t.verb.Optional {
				return nil
			}
			return decide(m, t, text)
		},
	})
}

// decide asks whether a grave verb is meant, and carries it out.
func decide(m *desk.Env, t task, text string) tea.Cmd {
	v := t.verb
	switch {
	case v.Plan != nil:
		return plan(m, t, text)
	case v.Call != nil && v.Sure:
		m.AskNames(v.Help, shortNames(t.rows), func(m *desk.Env) tea.Cmd { return call(m, t, text) })
		return nil
	case v.Call != nil:
		return call(m, t, text)
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
		m.AskNames(fmt.Sprintf(v.Says, ""), shortNames(t.rows), func(m *desk.Env) tea.Cmd { return m.Stage(actions, fmt.Sprintf(v.Says, names)) })
		return nil
	}
	return stageSurely(m, actions, v.Sure, means...)
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
func stageSurely(m *desk.Env, actions []action.Action, sure bool, means ...string) tea.Cmd {
	kind := actions[0].Kind
	names := make([]string, len(actions))
	for i, a := range actions {
		names[i] = staged.ObjectName(kind, a.Target)
	}
	stage := func(m *desk.Env) tea.Cmd { return m.Stage(actions, staged.Label(kind, actions)) }
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
		askWord(m, what, names, word, stage)
		return nil
	case len(actions) > 1 || sure:
		m.AskNames(what, names, stage)
		return nil
	}
	return stage(m)
}

// askWord has a person type a word before something grave happens.
func askWord(m *desk.Env, what string, names []string, word string, do func(m *desk.Env) tea.Cmd) {
	title := []draw.Line{draw.Inked(draw.InkBad, " "+what+": type "+word+" to go on, esc cancels")}
	if len(names) > 1 {
		title = append(title, draw.Plain("   "+safe.Truncate(strings.Join(names, ", "), max(1, m.Width-4), "~")))
	}
	m.Ask(&desk.Prompt{Title: title, Text: desk.NewTextField("", false), Label: "type " + word + ": ", Accept: "enter", Done: func(m *desk.Env, text string) tea.Cmd {
		if strings.TrimSpace(text) != word {
			m.Say(draw.InkDim, "not done: that was not "+word)
			return nil
		}
		return do(m)
	}})
}

// called is the end of a verb that is carried out at once.
type called struct {
	screen  *Screen
	label   string
	title   string // of the page for a text that is shown nowhere else
	text    safe.Safe
	once    bool            // the text is shown nowhere else
	unkept  safe.Safe       // why the journal does not have it, "" where it does
	results []action.Result // with what undoes them; nil for what cannot be undone
	entries []string        // of the journal, one for each result
	err     error
}

func (msg called) Deliver(m *desk.Env) tea.Cmd { return showCalled(m, msg) }

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
func call(m *desk.Env, t task, text string) tea.Cmd {
	if !m.Poll.Offline.IsZero() || m.Poll.LoggedOut {
		m.Say(draw.InkBad, t.label()+": the server is out of reach")
		return nil
	}
	m.Say(draw.InkDim, t.label()+" ...")
	parent, c, book := m.Load.Ctx, m.Load.C, m.Journal
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

// showCalled shows the result of a call, also in the list of finished actions.
func showCalled(m *desk.Env, msg called) tea.Cmd {
	done := &staged.Done{Item: &staged.Item{Label: msg.label}, Results: msg.results, Entries: msg.entries, At: m.Now()}
	if len(msg.results) == 0 {
		done.Results, done.Entries = []action.Result{{Action: action.Action{Target: msg.label}, Outcome: action.Changed, Err: msg.err}}, nil
	}
	for _, r := range done.Results {
		done.Item.Actions = append(done.Item.Actions, r.Action)
	}
	switch {
	case msg.err != nil:
		done.Results[0].Outcome = action.Failed
		m.Say(draw.InkBad, msg.label+": "+staged.Reason(msg.err))
	case msg.once:
		m.Say(draw.InkGood, strings.TrimSuffix(msg.label+": done; "+msg.unkept.String(), "; "))
	default:
		done.Item.Label = strings.TrimSuffix(msg.label+": "+safe.Join("; ", msg.text, msg.unkept).String(), ": ")
		m.Say(draw.InkGood, done.Item.Label)
	}
	m.Staged.Done = append(m.Staged.Done, done)
	if msg.screen != nil {
		msg.screen.outdated = true
	}
	cmd := m.Screen().Renew(m)
	if msg.once && msg.err == nil {
		return tea.Batch(cmd, m.OpenWhole(msg.title, msg.text.String()))
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

func (msg planned) Deliver(m *desk.Env) tea.Cmd { askPlanned(m, msg); return nil }

// plan makes the plan for a text, and shows it.
func plan(m *desk.Env, t task, text string) tea.Cmd {
	c := m.Load.C
	return m.Load.Run(func(ctx context.Context) tea.Msg {
		plan, err := t.verb.Plan(ctx, c, t.row(), text)
		return planned{t, text, plan, err}
	})
}

// askPlanned asks for confirmation of a plan. An error appears at the field, with
// the text as it was typed.
func askPlanned(m *desk.Env, msg planned) {
	if m.Screen() != desk.Screen(msg.screen) || m.Prompt != nil {
		return
	}
	if msg.err != nil {
		if msg.verb.Ask == "" {
			m.Say(draw.InkBad, shortName(msg.row())+": "+staged.Reason(msg.err))
			return
		}
		var lines []draw.Line
		for _, text := range safe.Wrap(staged.Reason(msg.err), max(1, m.Width-2)) {
			lines = append(lines, draw.Inked(draw.InkBad, " "+text))
		}
		askText(m, msg.task, msg.text, lines...)
		return
	}
	title := []draw.Line{draw.Inked(draw.InkStrong, " "+msg.plan.Title.String())}
	title = append(title, detailLines(msg.plan.Lines, m.Width)...)
	choices := []desk.Choice{{Key: "y", Label: "yes, send it", Do: func(m *desk.Env) tea.Cmd { return sendPlan(m, msg) }}}
	if msg.verb.Ask != "" {
		choices = append(choices, desk.Choice{Key: "t", Label: "type on", Do: func(m *desk.Env) tea.Cmd { askText(m, msg.task, msg.text); return nil }})
	}
	m.Ask(&desk.Prompt{Title: title, Choices: append(choices, desk.Choice{Key: "esc", Label: "cancel", Do: desk.Stay})})
}

// sendPlan carries a plan out. A refusal comes back to the field.
func sendPlan(m *desk.Env, msg planned) tea.Cmd {
	c, book := m.Load.C, m.Journal
	m.Say(draw.InkDim, msg.label()+" ...")
	return m.Load.Run(func(ctx context.Context) tea.Msg {
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
