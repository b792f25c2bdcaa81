package tui

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/action"
	"svc/client/safe"
	"svc/tui/nouns"
	"svc/tui/staged"
)

// called is the end of a verb that is carried out at once.
type called struct {
	screen *nounScreen
	label  string
	text   safe.Safe
	err    error
}

func (s *nounScreen) run(m *model, c command) (tea.Cmd, bool) {
	switch c {
	case doIn:
		return s.enter(m), true
	case doPerson:
		if r, ok := s.under(); ok && r.Person != "" {
			return m.openUser(r.Person), true
		}
		return nil, true
	case doRefresh:
		return s.reload(m), true
	case doBack:
		switch {
		case len(s.MarkedRows()) > 0:
			s.Unmark()
		case s.filter.Text != "":
			return s.setFilter(m, ""), true
		case s.scope != "":
			return m.back(), true
		}
		return nil, true
	case doCopy:
		if r, ok := s.under(); ok {
			m.askCopy(r.ID, r.Person, r.Copy)
		}
		return nil, true
	}
	for _, v := range s.noun.Verbs {
		if verbCommand(s.noun, v) == c {
			return s.start(m, v), true
		}
	}
	if !s.move(c, s.height(m.layout())) {
		return nil, false
	}
	return tea.Batch(s.refresh(), s.more(m)), true
}

// enter shows the objects that belong to the row under the cursor.
func (s *nounScreen) enter(m *model) tea.Cmd {
	r, ok := s.under()
	switch {
	case !ok:
		return nil
	case s.noun.Into != "":
		scope := r.Scope
		if scope == "" {
			scope = r.ID
		}
		return m.openNoun(nouns.Find(s.noun.Into), scope)
	case r.Person != "" && m.keys.has(doUsers):
		return m.openUser(r.Person)
	}
	return m.open(&page{name: strings.ToUpper(s.noun.Name), text: func(int) []line {
		var lines []line
		for i, c := range s.noun.Columns {
			if text := r.Cells[i].String(); text != "" {
				lines = append(lines, line{{" " + safe.Fit(strings.ToLower(c.Head), 14), inkDim}, {text, inkPlain}})
			}
		}
		return append(append(lines, nil), rowLines(m, r, m.width)...)
	}})
}

// start asks for the text of a verb, where it needs one.
func (s *nounScreen) start(m *model, v nouns.Verb) tea.Cmd {
	var rows []nouns.Row
	if !v.New {
		rows = s.chosen()
		if v.Fits != nil {
			rows = slices.DeleteFunc(rows, func(r nouns.Row) bool { return !v.Fits(r) })
		}
		if len(rows) == 0 {
			m.say(inkDim, "nothing here to "+v.Name)
			return nil
		}
		if v.Kind == "" && len(rows) > 1 {
			m.say(inkDim, v.Name+" works on one at a time")
			return nil
		}
	}
	var value string
	options := v.Choices
	if len(rows) == 1 {
		value = rows[0].Value
		if options == nil && v.Ask != "" {
			options = rows[0].Options
		}
	}
	switch {
	case len(options) > 0:
		var choices []choice
		for i, text := range options {
			choices = append(choices, choice{fmt.Sprint(i + 1), safe.Line(text), func(m *model) tea.Cmd { return s.decide(m, v, rows, text) }})
		}
		if v.Ask != "" {
			choices = append(choices, choice{"t", "type it", func(m *model) tea.Cmd { s.askText(m, v, rows, value); return nil }})
		}
		m.ask(&prompt{title: []line{s.asking(v, rows)}, choices: append(choices, choice{"esc", "cancel", stay})})
		return nil
	case v.Ask != "":
		s.askText(m, v, rows, value)
		return nil
	}
	return s.decide(m, v, rows, "")
}

// asking heads the questions of a verb.
func (s *nounScreen) asking(v nouns.Verb, rows []nouns.Row) line {
	l := inked(inkStrong, " "+v.Help)
	switch {
	case len(rows) == 1:
		l = append(l, span{": " + shortName(rows[0]), inkPlain})
	case len(rows) > 1:
		l = append(l, span{fmt.Sprintf(": %d", len(rows)), inkPlain})
	}
	return l
}

// askText reads the text of a verb until it passes the verb's check.
func (s *nounScreen) askText(m *model, v nouns.Verb, rows []nouns.Row, text string, wrong ...line) {
	field := newTextField(text, false)
	field.secret = len(rows) == 1 && rows[0].Secret
	m.ask(&prompt{
		title: append([]line{append(s.asking(v, rows), span{"   enter goes on, esc cancels", inkDim})}, wrong...),
		text:  field, label: v.Ask, accept: "enter",
		done: func(m *model, text string) tea.Cmd {
			text = strings.TrimSpace(text)
			if v.Check != nil {
				if err := v.Check(text); err != nil {
					s.askText(m, v, rows, text, inked(inkBad, " "+wording(err).String()))
					return nil
				}
			}
			return s.decide(m, v, rows, text)
		},
	})
}

// decide asks whether a grave verb is meant, and carries it out.
func (s *nounScreen) decide(m *model, v nouns.Verb, rows []nouns.Row, text string) tea.Cmd {
	if v.Plan != nil {
		return m.plan(s, v, rows[0], text)
	}
	if v.Call != nil {
		var row nouns.Row
		label := v.Name
		if !v.New {
			row = rows[0]
			label += " " + shortName(row)
		}
		do := func(m *model) tea.Cmd { return m.call(s, v, row, text, label) }
		if v.Sure {
			names := []string{shortName(row)}
			if v.New {
				names = nil
			}
			m.askNames(v.Help, names, do)
			return nil
		}
		return do(m)
	}
	var actions []action.Action
	if v.New {
		actions = []action.Action{{Kind: v.Kind, Target: newTarget(v.Kind, text), Args: v.Args}}
	}
	for _, r := range rows {
		args := maps.Clone(r.Args)
		if args == nil {
			args = map[string]string{}
		}
		maps.Copy(args, v.Args)
		if v.Arg != "" {
			args[v.Arg] = text
		}
		actions = append(actions, action.Action{Kind: v.Kind, Target: r.Target, Args: args, Before: r.Before})
	}
	s.Unmark()
	return m.stageSurely(actions, v.Sure)
}

func shortName(r nouns.Row) string {
	if r.Copy != "" {
		return safe.Truncate(safe.Line(r.Copy), 60, "~")
	}
	return safe.Truncate(safe.Line(r.ID), 60, "~")
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
func (m *model) stageSurely(actions []action.Action, sure bool, means ...string) tea.Cmd {
	kind := actions[0].Kind
	names := make([]string, len(actions))
	for i, a := range actions {
		names[i] = objectName(kind, a.Target)
	}
	stage := func(m *model) tea.Cmd { return m.stage(actions, stagedLabel(kind, actions)) }
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
func (m *model) askWord(what string, names []string, word string, do func(m *model) tea.Cmd) {
	title := []line{inked(inkBad, " "+what+": type "+word+" to go on, esc cancels")}
	if len(names) > 1 {
		title = append(title, plain("   "+safe.Truncate(strings.Join(names, ", "), max(1, m.width-4), "~")))
	}
	m.ask(&prompt{title: title, text: newTextField("", false), label: "type " + word + ": ", accept: "enter", done: func(m *model, text string) tea.Cmd {
		if strings.TrimSpace(text) != word {
			m.say(inkDim, "not done: that was not "+word)
			return nil
		}
		return do(m)
	}})
}

// call carries a verb out at once.
func (m *model) call(s *nounScreen, v nouns.Verb, row nouns.Row, text, label string) tea.Cmd {
	if !m.poll.offline.IsZero() || m.poll.loggedOut {
		m.say(inkBad, label+": the server is out of reach")
		return nil
	}
	m.say(inkDim, label+" ...")
	parent, c := m.load.ctx, m.load.c
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(parent, time.Minute)
		defer cancel()
		answer, err := v.Call(ctx, c, row, text)
		return called{s, label, answer, err}
	}
}

// called shows the result of a call, also in the list of finished actions.
func (m *model) called(msg called) tea.Cmd {
	result := action.Result{Action: action.Action{Target: msg.label}, Outcome: action.Changed, Err: msg.err}
	done := &staged.Done{Item: &staged.Item{Label: msg.label}, Results: []action.Result{result}, At: m.now()}
	if msg.err != nil {
		done.Results[0].Outcome = action.Failed
		m.say(inkBad, msg.label+": "+reason(msg.err))
	} else {
		done.Item.Label = strings.TrimSuffix(msg.label+": "+msg.text.String(), ": ")
		m.say(inkGood, done.Item.Label)
	}
	m.staged.Done = append(m.staged.Done, done)
	if msg.screen != nil {
		msg.screen.outdated = true
	}
	return m.screen().renew(m)
}

// planned is a plan that was made up, or the end of one that was carried out.
type planned struct {
	screen *nounScreen
	verb   nouns.Verb
	row    nouns.Row
	text   string
	plan   *nouns.Plan
	err    error
}

// plan makes the plan for a text, and shows it.
func (m *model) plan(s *nounScreen, v nouns.Verb, row nouns.Row, text string) tea.Cmd {
	c := m.load.c
	return m.load.run(func(ctx context.Context) tea.Msg {
		plan, err := v.Plan(ctx, c, row, text)
		return planned{s, v, row, text, plan, err}
	})
}

// planned asks for confirmation of a plan. An error appears at the field, with
// the text as it was typed.
func (m *model) planned(msg planned) {
	s, v, rows := msg.screen, msg.verb, []nouns.Row{msg.row}
	if m.screen() != s || m.prompt != nil {
		return
	}
	if msg.err != nil {
		if v.Ask == "" {
			m.say(inkBad, shortName(msg.row)+": "+reason(msg.err))
			return
		}
		var lines []line
		for _, text := range safe.Wrap(reason(msg.err), max(1, m.width-2)) {
			lines = append(lines, inked(inkBad, " "+text))
		}
		s.askText(m, v, rows, msg.text, lines...)
		return
	}
	title := []line{inked(inkStrong, " "+msg.plan.Title.String())}
	title = append(title, rowLines(m, nouns.Row{More: msg.plan.Lines}, m.width)...)
	choices := []choice{{"y", "yes, send it", func(m *model) tea.Cmd { return m.sendPlan(msg) }}}
	if v.Ask != "" {
		choices = append(choices, choice{"t", "type on", func(m *model) tea.Cmd { s.askText(m, v, rows, msg.text); return nil }})
	}
	m.ask(&prompt{title: title, choices: append(choices, choice{"esc", "cancel", stay})})
}

// sendPlan carries a plan out. A refusal comes back to the field.
func (m *model) sendPlan(msg planned) tea.Cmd {
	c := m.load.c
	label := msg.verb.Name + " " + shortName(msg.row)
	m.say(inkDim, label+" ...")
	return m.load.run(func(ctx context.Context) tea.Msg {
		answer, err := msg.plan.Send(ctx, c)
		var conflict *action.Conflict
		if err != nil && msg.verb.Ask != "" && !errors.As(err, &conflict) {
			msg.plan, msg.err = nil, err
			return msg
		}
		return called{msg.screen, label, answer, err}
	})
}
