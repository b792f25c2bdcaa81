package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"svc/tui/keys"
	"svc/tui/shown"
	"svc/tui/tables"
)

// tab is a screen that a command shows from everywhere.
type tab struct {
	do      keys.Command
	open    func(m *env) tea.Cmd
	waiting func(m *env) int // counts the work that waits on the screen
}

// counted is the number on the tab, "" for none.
func (t tab) counted(m *env) string {
	if n := t.waiting(m); n > 0 {
		return shown.Thousands(n)
	}
	return ""
}

// tableTabs are the tabs of the tables.
func tableTabs() []tab {
	var tabs []tab
	for _, n := range tables.All() {
		tabs = append(tabs, tab{
			do: keys.Command(n.Name), open: func(m *env) tea.Cmd { return m.openNoun(n, "") },
			waiting: func(m *env) int { return m.waiting[n.Name] },
		})
	}
	return tabs
}

// showTab carries out the command of a tab; false is for other commands.
func (m *env) showTab(c keys.Command) (tea.Cmd, bool) {
	for _, t := range m.tabs {
		if t.do == c {
			return t.open(m), true
		}
	}
	return nil, false
}

// opener opens an object by its name: user kim, report 9xA1.
type opener struct {
	needs keys.Command           // whose keys it takes
	fits  func(name string) bool // nil: every name does
	open  func(m *env, name string) tea.Cmd
}

// openTarget shows the object of an action.
func (m *env) openTarget(target string) tea.Cmd {
	noun, name, _ := strings.Cut(target, "/")
	if o, known := m.openers[noun]; known {
		return o.open(m, name)
	}
	return nil
}

func (m *env) openUser(nick string) tea.Cmd { return m.openTarget("user/" + nick) }

// mayOpen reports whether there is a screen for objects like this one, and whether
// the account may see it.
func (d *desk) mayOpen(target string) bool {
	noun, _, _ := strings.Cut(target, "/")
	o, known := d.openers[noun]
	return known && d.keys.Has(o.needs)
}
