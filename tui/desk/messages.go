package desk

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/action"
	"svc/client/safe"
	"svc/client/templates"
	"svc/tui/draw"
	"svc/tui/shown"
)

// Letter is a text that a person writes, for one object or several.
type Letter struct {
	Head   string // what it is and for whom, printable
	Label  string // before the field
	Draft  string // its key among the drafts
	Staged string // the label of the staged item
	Kind   action.Kind
	// Targets are the objects, with the values that templates may use for each.
	Targets []string
	Fields  []templates.Fields
}

// WriteMessage opens a message to accounts, with the values for texts about each.
func (m *Env) WriteMessage(people []shown.Person, fields func(shown.Person) templates.Fields) {
	l := Letter{Label: "message: ", Kind: action.UserMessage}
	var names, nicks []string
	for _, p := range people {
		if p.Nick == "" {
			continue
		}
		names, nicks = append(names, "@"+shown.Acct(p.Nick).String()), append(nicks, p.Nick)
		l.Targets, l.Fields = append(l.Targets, "user/"+p.Nick), append(l.Fields, fields(p))
	}
	if len(nicks) == 0 {
		m.Say(draw.InkDim, "nobody here to message")
		return
	}
	slices.Sort(nicks)
	l.Draft = "message " + strings.Join(nicks, " ")
	l.Head = "message to " + shown.Some(names) + ", which cannot be taken back"
	l.Staged = "message " + shown.Some(names) + ""
	m.ChoosePattern(l)
}

// FieldsOf are the values for texts about an account.
func (s *session) FieldsOf(p shown.Person) templates.Fields {
	f := templates.Fields{templates.Nick: p.Nick, templates.Name: p.Name.String(), templates.Server: s.server, templates.Moderator: s.nick}
	if _, host, remote := strings.Cut(p.Nick, "@"); remote {
		f[templates.Host] = host
	}
	return f
}

// ChoosePattern offers the templates, unless there is a draft to go on with.
func (m *Env) ChoosePattern(l Letter) {
	const most = 9
	names := templates.Names(m.templates)
	if draft := m.Staged.Drafts[l.Draft]; draft != "" || len(names) == 0 {
		m.writeLetter(l, draft, false, "")
		return
	}
	var choices []Choice
	for i, name := range names[:min(most, len(names))] {
		choices = append(choices, Choice{fmt.Sprint(i + 1), safe.Line(name), func(m *Env) tea.Cmd {
			text := m.templates[name]
			if len(l.Targets) > 1 { // it is filled for each of them
				m.writeLetter(l, text, false, "")
				return nil
			}
			filled, err := templates.Fill(name, text, l.Fields[0])
			if err != nil {
				m.writeLetter(l, text, false, err.Error())
				return nil
			}
			m.writeLetter(l, filled, true, "")
			return nil
		}})
	}
	choices = append(choices, Choice{"t", "type it", func(m *Env) tea.Cmd { m.writeLetter(l, "", false, ""); return nil }})
	m.Ask(&Prompt{Title: []draw.Line{draw.Inked(draw.InkStrong, " "+l.Head)}, Choices: append(choices, Choice{"esc", "cancel", Stay})})
}

// writeLetter opens the field with a text. A text that is not filled may have fields
// of templates; an error about them stays at the field.
func (m *Env) writeLetter(l Letter, text string, filled bool, wrong string) {
	keep := func(m *Env, text string) tea.Cmd {
		if strings.TrimSpace(text) == "" {
			delete(m.Staged.Drafts, l.Draft)
		} else {
			m.Staged.Drafts[l.Draft] = text
		}
		save := m.Save()
		return m.After(draftWait, func() tea.Msg { return save() })
	}
	keys := "   ctrl-s adds it, esc keeps the draft"
	if l.Kind == action.UserMessage {
		keys = "   ctrl-s sends it, esc keeps the draft"
	}
	title := []draw.Line{{{Text: " " + l.Head, Ink: draw.InkStrong}, {Text: keys, Ink: draw.InkStrong}}}
	for _, part := range safe.Wrap(safe.Line(wrong), max(1, m.Width-2)) {
		if wrong != "" {
			title = append(title, draw.Inked(draw.InkBad, " "+part))
		}
	}
	m.Ask(&Prompt{
		Title:  title,
		Text:   NewTextField(text, true),
		Label:  l.Label,
		Accept: "ctrl+s",
		onText: keep,
		Cancel: keep,
		Done: func(m *Env, text string) tea.Cmd {
			if strings.TrimSpace(text) == "" {
				delete(m.Staged.Drafts, l.Draft)
				m.Say(draw.InkDim, "an empty "+strings.TrimSuffix(l.Label, ": ")+" is not added")
				return m.Save()
			}
			actions := make([]action.Action, len(l.Targets))
			for i, target := range l.Targets {
				own := text
				if !filled && strings.Contains(text, "{{") {
					var err error
					if own, err = templates.Fill(strings.TrimSuffix(l.Label, ": "), text, l.Fields[i]); err != nil {
						m.writeLetter(l, text, false, err.Error())
						return keep(m, text)
					}
				}
				actions[i] = action.Action{Kind: l.Kind, Target: target, Args: map[string]string{"text": own}}
			}
			delete(m.Staged.Drafts, l.Draft)
			return m.Stage(actions, l.Staged)
		},
	})
}
