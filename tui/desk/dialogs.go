package desk

import (
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"svc/client/safe"
	"svc/tui/draw"
	"svc/tui/keys"
	"svc/tui/shown"
	"svc/tui/staged"
)

// opened is the end of starting a browser.
type opened struct{ err error }

// Stay is a choice that does nothing.
func Stay(*Env) tea.Cmd { return nil }

// askMenu offers the changes of the screen in front, each with its own key.
func (m *Env) askMenu() {
	var choices []Choice
	here := m.Screen().On()
	for _, b := range m.Keys.Bindings {
		if b.Changes && b.On&here != 0 && len(b.Keys) > 0 {
			choices = append(choices, Choice{b.Keys[0], b.Help, func(m *Env) tea.Cmd {
				if why := m.Unchangeable(); why != "" {
					m.Say(draw.InkWarn, why)
					return nil
				}
				return m.Run(b.Do)
			}})
		}
	}
	m.Ask(&Prompt{Choices: append(choices, Choice{"esc", "back", Stay})})
}

// outboxTitle lists actions for a dialog.
func outboxTitle(head string, items []*staged.Item) []draw.Line {
	lines := []draw.Line{draw.Inked(draw.InkWarn, " "+head)}
	for _, item := range items {
		text := fmt.Sprintf("   %s  %s", shown.Stamp(item.At), item.Label)
		if item.Phase == staged.Conflict {
			text += ": in conflict"
		}
		lines = append(lines, draw.Plain(text))
	}
	return lines
}

// askUnsent asks about actions that must not be sent unasked.
func (m *Env) askUnsent(items []*staged.Item, why string) {
	m.Ask(&Prompt{
		Title: outboxTitle(fmt.Sprintf("%d %s", len(items), why), items),
		Choices: []Choice{
			{"s", "send", func(m *Env) tea.Cmd {
				m.Staged.Hurry(m.Timer())
				return tea.Batch(m.flush(), m.schedule())
			}},
			{"d", "drop", func(m *Env) tea.Cmd {
				for _, item := range items {
					item.Actions = nil
				}
				m.Staged.Drop(items)
				return m.Save()
			}},
			{"k", "keep for later", Stay},
		},
	})
}

func (m *Env) askOutbox() {
	if len(m.Staged.Items) == 0 {
		m.Say(draw.InkDim, "the outbox is empty")
		return
	}
	choices := []Choice{
		{"s", "send now", func(m *Env) tea.Cmd {
			m.Staged.Hurry(m.Timer())
			return tea.Batch(m.flush(), m.schedule())
		}},
		{"d", "drop all", func(m *Env) tea.Cmd { return m.Run(keys.UndoAll) }},
	}
	if conflicts := m.Staged.Unsent(staged.Conflict); len(conflicts) > 0 {
		choices = append(choices, Choice{"c", "decide conflicts", func(m *Env) tea.Cmd {
			clear(m.offered)
			m.AskConflict(conflicts[0])
			return nil
		}})
	}
	m.Ask(&Prompt{
		Title:   outboxTitle(fmt.Sprintf("outbox: %d", len(m.Staged.Items)), m.Staged.Items),
		Choices: append(choices, Choice{"esc", "back", Stay}),
	})
}

// draftWait is how long typing rests before a note's draft is written down.
const draftWait = 300 * time.Millisecond

// AskNames asks whether to do something to several objects, which it names.
func (m *Env) AskNames(what string, names []string, do func(m *Env) tea.Cmd) {
	const most = 12
	list := safe.Clean(safe.Raw(strings.Join(names[:min(most, len(names))], ", "))).String()
	if len(names) > most {
		list += fmt.Sprintf(" and %d more", len(names)-most)
	}
	title := []draw.Line{draw.Inked(draw.InkStrong, " "+what+":")}
	if len(names) == 0 {
		title[0] = draw.Inked(draw.InkStrong, " "+what+"?")
	}
	for _, text := range safe.Wrap(list, m.Width-4) {
		if text == "" {
			continue
		}
		title = append(title, draw.Plain("   "+text))
	}
	yes := "yes"
	if len(names) > 1 {
		yes = "yes, all of them"
	}
	m.Ask(&Prompt{Title: title, Choices: []Choice{{"y", yes, do}, {"esc", "cancel", Stay}}})
}

// AskCopy offers what of an object can be copied.
func (m *Env) AskCopy(id, nick, address string) {
	var choices []Choice
	for _, c := range []struct{ key, label, text string }{{"i", "id", id}, {"n", "name", nick}, {"u", "address", address}} {
		if c.text != "" {
			choices = append(choices, Choice{c.key, c.label + " " + safe.Truncate(safe.Line(c.text), 40, "~"), func(m *Env) tea.Cmd { return m.Copy(c.text) }})
		}
	}
	m.Ask(&Prompt{Title: []draw.Line{draw.Plain(" copy")}, Choices: append(choices, Choice{"esc", "back", Stay})})
}

// Copy puts text on the clipboard by way of the terminal (OSC 52), which also
// works from afar. Without one the text is shown.
func (m *Env) Copy(text string) tea.Cmd {
	if m.Tty == nil {
		return m.OpenWhole("copy", text)
	}
	m.Say(draw.InkGood, "copied "+safe.Truncate(safe.Line(text), 60, "~"))
	tty := m.Tty
	return func() tea.Msg {
		if _, err := tty.WriteString(ansi.SetSystemClipboard(text)); err != nil {
			return SaveFailed{fmt.Errorf("copy: %w", err)}
		}
		return nil
	}
}

func (t *terminal) Browse(address string) tea.Cmd {
	browser := t.Browser
	return func() tea.Msg { return opened{browser(address)} }
}

// openAddress starts a browser and does not wait for its end.
func openAddress(address string) error {
	name := "xdg-open"
	if runtime.GOOS == "darwin" {
		name = "open"
	}
	cmd := exec.Command(name, address)
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }()
	return nil
}
