package desk

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"svc/tui/draw"
	"svc/tui/keys"
	"svc/tui/shown"
)

// Tab is a screen that a command shows from everywhere.
type Tab struct {
	Do      keys.Command
	Open    func(m *Env, of string) tea.Cmd // of is the object that a table belongs to, "" for none
	Waiting func(m *Env) int                // counts the work that waits on the screen
}

// counted is the number on the tab, "" for none.
func (t Tab) counted(m *Env) string {
	if n := t.Waiting(m); n > 0 {
		return shown.Thousands(n)
	}
	return ""
}

// showTab carries out the command of a tab; false is for other commands.
func (m *Env) showTab(c keys.Command) (tea.Cmd, bool) {
	known := slices.ContainsFunc(m.Tabs, func(t Tab) bool { return t.Do == c })
	return m.OpenTable(c, ""), known
}

// OpenTable shows the table of a command, of an object where it belongs to one.
func (m *Env) OpenTable(do keys.Command, of string) tea.Cmd {
	for _, t := range m.Tabs {
		if t.Do == do {
			return t.Open(m, of)
		}
	}
	return nil
}

// OpenHost shows what is known of a server, "" for this one.
func (m *Env) OpenHost(name string) tea.Cmd {
	if name == "" {
		m.Say(draw.InkDim, "this is about no other server; "+string(keys.Host)+" NAME shows one")
		return nil
	}
	return m.OpenTable(keys.Host, name)
}

// OpenThread shows the thread of a status, "" for none.
func (m *Env) OpenThread(id string) tea.Cmd {
	if id == "" {
		m.Say(draw.InkDim, "there is no post here; "+string(keys.Thread)+" ID shows the thread of one")
		return nil
	}
	return m.OpenTable(keys.Thread, id)
}

// Opener opens an object by its name: user kim, report 9xA1.
type Opener struct {
	Needs keys.Command           // whose keys it takes
	Fits  func(name string) bool // nil: every name does
	Open  func(m *Env, name string) tea.Cmd
}

// OpenTarget shows the object of an action.
func (m *Env) OpenTarget(target string) tea.Cmd {
	noun, name, _ := strings.Cut(target, "/")
	if o, known := m.Openers[noun]; known {
		return o.Open(m, name)
	}
	return nil
}

// OpenUser shows an account.
func (m *Env) OpenUser(nick string) tea.Cmd { return m.OpenTarget("user/" + nick) }

// mayOpen reports whether there is a screen for objects like this one, and whether
// the account may see it.
func (d *desk) mayOpen(target string) bool {
	noun, _, _ := strings.Cut(target, "/")
	o, known := d.Openers[noun]
	return known && d.Keys.Has(o.Needs)
}
