package desk

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
	// Look makes a request of a poll, nil for none. With count, it counts what changes
	// slowly, too.
	Look(m *Env, count bool) Query
	// Registered hears that somebody awaits approval, or does no longer.
	Registered(m *Env) tea.Cmd
	// Logged takes the entries that are new in the moderation log, oldest first. At
	// the start they tell of changes that are known.
	Logged(m *Env, fresh []shown.Entry, atStart bool) tea.Cmd
	// Staged, cancelled and conceded hear of an action that waits, that the person
	// took back, and that gave way to a change by somebody else: why has the states
	// of the objects by target.
	Staged(m *Env, actions []action.Action)
	Cancelled(m *Env, item *staged.Item)
	Conceded(m *Env, why map[string]string) tea.Cmd
	// Commanded hears of a command of the command line, which may have changed anything.
	Commanded()
	// Ended takes the results of actions that are over.
	Ended(m *Env, results []action.Result) tea.Cmd
}

// Query is a request of a poll. It returns a function that takes the answer.
type Query func(ctx context.Context) (take func(m *Env) tea.Cmd, err error)

// ObserverDefaults do nothing.
type ObserverDefaults struct{}

func (ObserverDefaults) Look(*Env, bool) Query                    { return nil }
func (ObserverDefaults) Registered(*Env) tea.Cmd                  { return nil }
func (ObserverDefaults) Logged(*Env, []shown.Entry, bool) tea.Cmd { return nil }
func (ObserverDefaults) Staged(*Env, []action.Action)             {}
func (ObserverDefaults) Cancelled(*Env, *staged.Item)             {}
func (ObserverDefaults) Conceded(*Env, map[string]string) tea.Cmd { return nil }
func (ObserverDefaults) Commanded()                               {}
func (ObserverDefaults) Ended(*Env, []action.Result) tea.Cmd      { return nil }

// observed has all observers do something.
func (d *desk) observed(tell func(observer) tea.Cmd) tea.Cmd {
	var cmds []tea.Cmd
	for _, o := range d.Observers {
		cmds = append(cmds, tell(o))
	}
	return tea.Batch(cmds...)
}

// delivery is a message that knows its receiver.
type delivery interface{ Deliver(m *Env) tea.Cmd }
