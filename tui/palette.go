package tui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/safe"
	"svc/tui/nouns"
)

// askPalette reads the name of a command: a screen, or a key's action on this
// screen.
func (m *model) askPalette() {
	var names []string
	for _, screen := range screenCommands() {
		if m.keys.has(screen) {
			names = append(names, string(screen))
		}
	}
	title := []line{inked(inkStrong, " a screen, or a command of this one   enter goes, esc cancels")}
	for _, text := range safe.Wrap(strings.Join(names, " "), max(1, m.width-2)) {
		title = append(title, inked(inkDim, " "+text))
	}
	m.ask(&prompt{title: title, text: newTextField("", false), label: ":", accept: "enter", done: func(m *model, text string) tea.Cmd {
		b, problem := m.keys.named(strings.TrimSpace(text), m.screen().on())
		switch {
		case problem != "":
			m.say(inkBad, ":"+safe.Line(text)+": "+problem)
			return nil
		case b.changes && m.readOnly:
			m.say(inkWarn, "read-only: nothing is changed")
			return nil
		}
		return m.run(b.do)
	}})
}

// screenCommands show the screens.
func screenCommands() []command {
	commands := []command{doReports, doUsers, doLog}
	for _, n := range nouns.All() {
		commands = append(commands, command(n.Name))
	}
	return commands
}

// named finds the command of a name, or of the only one that begins so. The
// noun before a verb may be left out.
func (m *keymap) named(name string, at places) (found binding, problem string) {
	if name == "" {
		return found, "no command"
	}
	var begin []binding
	for _, b := range m.bindings {
		if b.on&at == 0 {
			continue
		}
		_, verb, _ := strings.Cut(string(b.do), ".")
		switch {
		case string(b.do) == name || verb == name:
			return b, ""
		case strings.HasPrefix(string(b.do), name) || strings.HasPrefix(verb, name):
			begin = append(begin, b)
		}
	}
	switch len(begin) {
	case 0:
		return found, "no such command here"
	case 1:
		return begin[0], ""
	}
	var words []string
	for _, b := range begin {
		words = append(words, string(b.do))
	}
	slices.Sort(words)
	return found, "which? " + strings.Join(words, ", ")
}
