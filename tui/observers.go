package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/action"
	"svc/tui/shown"
	"svc/tui/staged"
)

// observer is a part of the program that keeps up with the server and with the
// person's actions, also while another screen is in front.
type observer interface {
	// look makes a request of a poll, nil for none. With count, it counts what changes
	// slowly, too.
	look(m *env, count bool) query
	// registered hears that somebody awaits approval, or does no longer.
	registered(m *env) tea.Cmd
	// logged takes the entries that are new in the moderation log, oldest first. At
	// the start they tell of changes that are known.
	logged(m *env, fresh []shown.Entry, atStart bool) tea.Cmd
	// staged, cancelled and conceded hear of an action that waits, that the person
	// took back, and that gave way to a change by somebody else: why has the states
	// of the objects by target.
	staged(m *env, actions []action.Action)
	cancelled(m *env, item *staged.Item)
	conceded(m *env, why map[string]string) tea.Cmd
	// ended takes the results of actions that are over.
	ended(m *env, results []action.Result) tea.Cmd
}

// query is a request of a poll. It returns a function that takes the answer.
type query func(ctx context.Context) (take func(m *env) tea.Cmd, err error)

// observerDefaults do nothing.
type observerDefaults struct{}

func (observerDefaults) look(*env, bool) query                    { return nil }
func (observerDefaults) registered(*env) tea.Cmd                  { return nil }
func (observerDefaults) logged(*env, []shown.Entry, bool) tea.Cmd { return nil }
func (observerDefaults) staged(*env, []action.Action)             {}
func (observerDefaults) cancelled(*env, *staged.Item)             {}
func (observerDefaults) conceded(*env, map[string]string) tea.Cmd { return nil }
func (observerDefaults) ended(*env, []action.Result) tea.Cmd      { return nil }

// observed has all observers do something.
func (d *desk) observed(tell func(observer) tea.Cmd) tea.Cmd {
	var cmds []tea.Cmd
	for _, o := range d.observers {
		cmds = append(cmds, tell(o))
	}
	return tea.Batch(cmds...)
}

// delivery is a message that knows its receiver.
type delivery interface{ deliver(m *env) tea.Cmd }
