package tui

import (
	"fmt"
	"net/url"
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

func stay(*env) tea.Cmd { return nil }

// askMenu offers the changes of the screen in front, each with its own key.
func (m *env) askMenu() {
	var choices []choice
	here := m.screen().on()
	for _, b := range m.keys.Bindings {
		if b.Changes && b.On&here != 0 && len(b.Keys) > 0 {
			choices = append(choices, choice{b.Keys[0], b.Help, func(m *env) tea.Cmd {
				if why := m.unchangeable(); why != "" {
					m.say(draw.InkWarn, why)
					return nil
				}
				return m.run(b.Do)
			}})
		}
	}
	m.ask(&prompt{choices: append(choices, choice{"esc", "back", stay})})
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
func (m *env) askUnsent(items []*staged.Item, why string) {
	m.ask(&prompt{
		title: outboxTitle(fmt.Sprintf("%d %s", len(items), why), items),
		choices: []choice{
			{"s", "send", func(m *env) tea.Cmd {
				m.staged.Hurry(m.timer())
				return tea.Batch(m.flush(), m.schedule())
			}},
			{"d", "drop", func(m *env) tea.Cmd {
				for _, item := range items {
					item.Actions = nil
				}
				m.staged.Drop(items)
				return m.save()
			}},
			{"k", "keep for later", stay},
		},
	})
}

func (m *env) askOutbox() {
	if len(m.staged.Items) == 0 {
		m.say(draw.InkDim, "the outbox is empty")
		return
	}
	choices := []choice{
		{"s", "send now", func(m *env) tea.Cmd {
			m.staged.Hurry(m.timer())
			return tea.Batch(m.flush(), m.schedule())
		}},
		{"d", "drop all", func(m *env) tea.Cmd { return m.run(keys.UndoAll) }},
	}
	if conflicts := m.staged.Unsent(staged.Conflict); len(conflicts) > 0 {
		choices = append(choices, choice{"c", "decide conflicts", func(m *env) tea.Cmd {
			clear(m.offered)
			m.askConflict(conflicts[0])
			return nil
		}})
	}
	m.ask(&prompt{
		title:   outboxTitle(fmt.Sprintf("outbox: %d", len(m.staged.Items)), m.staged.Items),
		choices: append(choices, choice{"esc", "back", stay}),
	})
}

// draftWait is how long typing rests before a note's draft is written down.
const draftWait = 300 * time.Millisecond

// askNames asks whether to do something to several objects, which it names.
func (m *env) askNames(what string, names []string, do func(m *env) tea.Cmd) {
	const most = 12
	list := safe.Clean(safe.Raw(strings.Join(names[:min(most, len(names))], ", "))).String()
	if len(names) > most {
		list += fmt.Sprintf(" and %d more", len(names)-most)
	}
	title := []draw.Line{draw.Inked(draw.InkStrong, " "+what+":")}
	if len(names) == 0 {
		title[0] = draw.Inked(draw.InkStrong, " "+what+"?")
	}
	for _, text := range safe.Wrap(list, m.width-4) {
		if text == "" {
			continue
		}
		title = append(title, draw.Plain("   "+text))
	}
	yes := "yes"
	if len(names) > 1 {
		yes = "yes, all of them"
	}
	m.ask(&prompt{title: title, choices: []choice{{"y", yes, do}, {"esc", "cancel", stay}}})
}

func (m *env) askCopy(id, nick, address string) {
	var choices []choice
	for _, c := range []struct{ key, label, text string }{{"i", "id", id}, {"n", "name", nick}, {"u", "address", address}} {
		if c.text != "" {
			choices = append(choices, choice{c.key, c.label + " " + safe.Truncate(safe.Line(c.text), 40, "~"), func(m *env) tea.Cmd { return m.copy(c.text) }})
		}
	}
	m.ask(&prompt{title: []draw.Line{draw.Plain(" copy")}, choices: append(choices, choice{"esc", "back", stay})})
}

// copy puts text on the clipboard by way of the terminal (OSC 52), which also
// works from afar. Without one the text is shown.
func (m *env) copy(text string) tea.Cmd {
	if m.tty == nil {
		return m.openWhole("copy", text)
	}
	m.say(draw.InkGood, "copied "+safe.Truncate(safe.Line(text), 60, "~"))
	tty := m.tty
	return func() tea.Msg {
		if _, err := tty.WriteString(ansi.SetSystemClipboard(text)); err != nil {
			return saveFailed{fmt.Errorf("copy: %w", err)}
		}
		return nil
	}
}

// askMedia offers commands on media, which are never fetched here.
func (m *env) askMedia(pane *postPane, posts []shown.Post) {
	var media []shown.Medium
	if pane.at < len(posts) {
		media = posts[pane.at].Media
	}
	if len(media) == 0 {
		m.say(draw.InkDim, "this post has no media")
		return
	}
	title := []draw.Line{draw.Plain(" media; nothing was fetched")}
	var choices []choice
	for i, one := range media[:min(len(media), 4)] {
		title = append(title, draw.Plain(fmt.Sprintf("   %d  %s  %s", i+1, one.Label(m.keys.Key(keys.Media)), safe.Truncate(safe.Line(one.URL), 60, "~"))))
		choices = append(choices, choice{fmt.Sprint(i + 1), "", func(m *env) tea.Cmd { return m.askMedium(one) }})
	}
	m.ask(&prompt{title: title, choices: append(choices, choice{"esc", "back", stay})})
}

func (m *env) askMedium(one shown.Medium) tea.Cmd {
	choices := []choice{{"a", "the alt text, whole", func(m *env) tea.Cmd {
		if one.Alt.String() == "" {
			m.say(draw.InkDim, "it has no alt text")
			return nil
		}
		return m.openWhole("alt text", one.Alt.String())
	}}, {"c", "copy the address", func(m *env) tea.Cmd { return m.copy(one.URL) }}}
	target, err := url.Parse(one.URL)
	if !m.remote && err == nil && (target.Scheme == "https" || target.Scheme == "http") && target.Host != "" {
		host := safe.Line(target.Host)
		choices = append(choices, choice{"o", "open in a browser", func(m *env) tea.Cmd {
			m.ask(&prompt{
				title:   []draw.Line{draw.Inked(draw.InkWarn, " open "+host+" in a browser? It will learn your address.")},
				choices: []choice{{"y", "open " + host, func(m *env) tea.Cmd { return m.browse(one.URL) }}, {"esc", "back", stay}},
			})
			return nil
		}})
	}
	m.ask(&prompt{title: []draw.Line{draw.Plain(" " + one.Label(m.keys.Key(keys.Media)))}, choices: append(choices, choice{"esc", "back", stay})})
	return nil
}

func (t *terminal) browse(address string) tea.Cmd {
	browser := t.browser
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
