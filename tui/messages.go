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
	"svc/tui/shown"
)

// letter is a text that a person writes, for one object or several.
type letter struct {
	head   string // what it is and for whom, printable
	label  string // before the field
	draft  string // its key among the drafts
	staged string // the label of the staged item
	kind   action.Kind
	// targets are the objects, with the values that templates may use for each.
	targets []string
	fields  []canned.Fields
}

// writeMessage opens a message to accounts, with the values for texts about each.
func (m *env) writeMessage(people []shown.Person, fields func(shown.Person) canned.Fields) {
	l := letter{label: "message: ", kind: action.UserMessage}
	var names, nicks []string
	for _, p := range people {
		if p.Nick == "" {
			continue
		}
		names, nicks = append(names, "@"+shown.Acct(p.Nick).String()), append(nicks, p.Nick)
		l.targets, l.fields = append(l.targets, "user/"+p.Nick), append(l.fields, fields(p))
	}
	if len(nicks) == 0 {
		m.say(draw.InkDim, "nobody here to message")
		return
	}
	slices.Sort(nicks)
	l.draft = "message " + strings.Join(nicks, " ")
	l.head = "message to " + shown.Some(names) + ", which cannot be taken back"
	l.staged = "message " + shown.Some(names) + ""
	m.choosePattern(l)
}

// fieldsOf are the values for texts about an account.
func (s *session) fieldsOf(p shown.Person) canned.Fields {
	f := canned.Fields{canned.Nick: p.Nick, canned.Name: p.Name.String(), canned.Server: s.server, canned.Moderator: s.nick}
	if _, host, remote := strings.Cut(p.Nick, "@"); remote {
		f[canned.Host] = host
	}
	return f
}

// choosePattern offers the templates, unless there is a draft to go on with.
func (m *env) choosePattern(l letter) {
	const most = 9
	names := canned.Names(m.templates)
	if draft := m.staged.Drafts[l.draft]; draft != "" || len(names) == 0 {
		m.writeLetter(l, draft, false, "")
		return
	}
	var choices []choice
	for i, name := range names[:min(most, len(names))] {
		choices = append(choices, choice{fmt.Sprint(i + 1), safe.Line(name), func(m *env) tea.Cmd {
			text := m.templates[name]
			if len(l.targets) > 1 { // it is filled for each of them
				m.writeLetter(l, text, false, "")
				return nil
			}
			filled, err := canned.Fill(name, text, l.fields[0])
			if err != nil {
				m.writeLetter(l, text, false, err.Error())
				return nil
			}
			m.writeLetter(l, filled, true, "")
			return nil
		}})
	}
	choices = append(choices, choice{"t", "type it", func(m *env) tea.Cmd { m.writeLetter(l, "", false, ""); return nil }})
	m.ask(&prompt{title: []draw.Line{draw.Inked(draw.InkStrong, " "+l.head)}, choices: append(choices, choice{"esc", "cancel", stay})})
}

// writeLetter opens the field with a text. A text that is not filled may have fields
// of templates; an error about them stays at the field.
func (m *env) writeLetter(l letter, text string, filled bool, wrong string) {
	keep := func(m *env, text string) tea.Cmd {
		if strings.TrimSpace(text) == "" {
			delete(m.staged.Drafts, l.draft)
		} else {
			m.staged.Drafts[l.draft] = text
		}
		save := m.save()
		return m.after(draftWait, func() tea.Msg { return save() })
	}
	keys := "   ctrl-s adds it, esc keeps the draft"
	if l.kind == action.UserMessage {
		keys = "   ctrl-s sends it, esc keeps the draft"
	}
	title := []draw.Line{{{Text: " " + l.head, Ink: draw.InkStrong}, {Text: keys, Ink: draw.InkStrong}}}
	for _, part := range safe.Wrap(safe.Line(wrong), max(1, m.width-2)) {
		if wrong != "" {
			title = append(title, draw.Inked(draw.InkBad, " "+part))
		}
	}
	m.ask(&prompt{
		title:  title,
		text:   newTextField(text, true),
		label:  l.label,
		accept: "ctrl+s",
		onText: keep,
		cancel: keep,
		done: func(m *env, text string) tea.Cmd {
			if strings.TrimSpace(text) == "" {
				delete(m.staged.Drafts, l.draft)
				m.say(draw.InkDim, "an empty "+strings.TrimSuffix(l.label, ": ")+" is not added")
				return m.save()
			}
			actions := make([]action.Action, len(l.targets))
			for i, target := range l.targets {
				own := text
				if !filled && strings.Contains(text, "{{") {
					var err error
					if own, err = canned.Fill(strings.TrimSuffix(l.label, ": "), text, l.fields[i]); err != nil {
						m.writeLetter(l, text, false, err.Error())
						return keep(m, text)
					}
				}
				actions[i] = action.Action{Kind: l.kind, Target: target, Args: map[string]string{"text": own}}
			}
			delete(m.staged.Drafts, l.draft)
			return m.stage(actions, l.staged)
		},
	})
}
