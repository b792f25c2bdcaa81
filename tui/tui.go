// Package tui is the terminal program for moderators: the queue of reports with
// its evidence, users, the moderation log, settings, relays and other servers, with
// single keys as commands.
//
// It reads through package client, and changes through package client/action, with
// a countdown before anything is sent. It follows the stream of moderation, and polls
// the server where there is none. Text of strangers passes
// package client/safe where it enters (tui/shown, tui/tables) and nowhere else. Screens
// that are tables are described in tui/tables and drawn by nouns.go; keys and commands are in tui/keys. Package tui/list
// has lists that stay on their objects while rows come and go.
//
//	err := tui.Run(ctx, tui.Options{Client: c, StateDir: dir})
//
// A program that links this package imports tui/noprobe too, and restores TERM first.
package tui

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"os"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client"
	"svc/client/action"
	"svc/client/journal"
	"svc/client/playbook"
	"svc/client/safe"
	"svc/tui/draw"
	"svc/tui/keys"
	"svc/tui/noprobe"
	"svc/tui/staged"
	"svc/tui/tty"
)

// Options are the dependencies and preferences of Run.
type Options struct {
	Client *client.Client
	// Context names the instance in the header and the outbox's file; "" is
	// the server's host.
	Context string
	// Colour is one of ContextColours for the context's name, "" for one by the name.
	Colour string
	// Theme is one of ThemeNames, or "" to choose by the terminal.
	Theme string
	// Getenv is the environment of the terminal, for its colours and its locale;
	// nil is this process's.
	Getenv func(string) string
	// StateDir holds outbox, drafts and the journal. It is made when missing.
	StateDir string
	// In and Out are the terminal; nil is standard input and output. Without
	// Remote they are files.
	In  io.Reader
	Out io.Writer
	// Remote, when set, is a terminal on another machine.
	Remote  *Remote
	NoMouse bool
	// Plain is a dialogue of lines without a screen; In and Out may be pipes.
	Plain bool
	// Command carries out a command of the command line for the palette, and returns
	// its output for a screen of a width; nil is for none. Complete offers the words
	// that may stand in place of the last one of a line.
	Command  func(ctx context.Context, args []string, width int) (string, error)
	Complete func(line string) []string
	// Trace gets a JSON object a line for each key, answer and first frame, with the
	// time that it took; nil is for none.
	Trace io.Writer
	// ReadOnly refuses every key that would change something.
	ReadOnly bool
	// Playbooks are offered for reports, as far as the account may do their steps.
	Playbooks []playbook.Playbook
	// Templates are texts for notes and messages, by name; package canned fills them.
	Templates map[string]string
	// Renewal logs in again where the server refuses the token; nil leaves it to the
	// command line.
	Renewal *Renewal
	// Demo says how to reach the server, on :demo; nil where there is no such
	// command.
	Demo []string
	// Instances are others to switch to; nil where there are none.
	Instances *Instances
	// Keys puts commands, by the names that help shows, on other keys; Read
	// checks them.
	Keys map[string][]string
	// Filters are offered by name where a filter is typed; CheckFilters checks them.
	Filters map[string]string
}

// Remote is a terminal on another machine, as a server has it. This machine is not
// the person's then: the program saves no lists here, opens no browser, does not
// suspend, and leaves environment and signals of the process alone.
type Remote struct {
	// Getenv is the environment of the terminal.
	Getenv func(string) string
	// Sizes has the size of the terminal, and then each new one. Plain mode needs
	// none.
	Sizes <-chan Size
}

// Size is a terminal's, in cells.
type Size struct{ Width, Height int }

// ErrNoTerminal is the error of Run where input or output is no terminal.
var ErrNoTerminal = errors.New("this needs a terminal for input and output")

// Run shows the program until the person quits. Cancelling ctx ends it; actions
// that were not sent stay in the outbox for the next start.
//
// SVCCTL_NOW in the environment, RFC 3339, fixes the time on the screen.
func Run(ctx context.Context, o Options) error {
	if o.Remote == nil {
		noprobe.Restore()
	}
	if o.In == nil {
		o.In = os.Stdin
	}
	if o.Out == nil {
		o.Out = os.Stdout
	}
	lines := bufio.NewReader(o.In)
	for {
		next, err := run(ctx, o, lines)
		if next == nil || err != nil {
			return err
		}
		next.In, next.Out, next.Remote = o.In, o.Out, o.Remote
		o = *next
	}
}

// run is Run on one instance. It returns the program to go on with, nil where the
// person quit. Plain mode reads lines.
func run(ctx context.Context, o Options, lines *bufio.Reader) (*Options, error) {
	t, err := deviceOf(o)
	if err != nil {
		return nil, err
	}
	defer t.close()
	o.Getenv = t.getenv
	now := time.Now
	if fixed := t.getenv("SVCCTL_NOW"); fixed != "" {
		at, err := time.Parse(time.RFC3339, fixed)
		if err != nil {
			return nil, fmt.Errorf("SVCCTL_NOW: %w", err)
		}
		now = func() time.Time { return at }
	}
	if o.Plain {
		o.Theme = "mono" // nothing is drawn
	}
	if o.Theme == "" {
		o.Theme = draw.ChooseTheme(t.getenv, t.dark)
	}
	m, err := newModel(ctx, o, now, time.Now)
	if err != nil {
		return nil, err
	}
	if o.Plain {
		err := runPlain(ctx, m, o, lines, t.options)
		return m.next, err
	}
	traced := newTrace(o.Trace, time.Now)
	m.load.trace = traced
	shown, in, out := traced.over(m, t.in, o.Out)
	screen := tty.NewScreen(out)
	options := append(t.options, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(screen.Output(o.Out)),
		tea.WithAltScreen(), tea.WithFPS(1), tea.WithReportFocus())
	if !o.NoMouse {
		options = append(options, tea.WithMouseCellMotion())
	}
	program := tea.NewProgram(&drawn{Model: shown, screen: screen, timer: m.timer, after: m.after}, options...)
	t.follow(program)
	_, err = program.Run()
	if ctx.Err() != nil {
		err = nil // cancelling is no failure
	}
	return m.next, errors.Join(err, m.staged.Close(), traced.failed())
}

// newEngine carries actions out. What the same account did elsewhere is no conflict.
func newEngine(c *client.Client) *action.Engine {
	return action.New(c, action.Options{OwnIsFine: true})
}

func newModel(ctx context.Context, o Options, now, timer func() time.Time) (*model, error) {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	colours, err := draw.ThemeNamed(o.Theme, o.Getenv)
	if err != nil {
		return nil, err
	}
	bound, err := keys.New(o.Keys)
	if err != nil {
		return nil, err
	}
	if o.Remote != nil {
		bound = bound.Without(keys.Save, keys.Suspend)
	}
	if o.Instances == nil {
		bound = bound.Without(keys.Contexts)
	}
	if o.Demo != nil {
		bound.Bindings = append(bound.Bindings, keys.Binding{Do: keys.Demo, On: keys.OnAll, Help: "how to reach this demo by browsers and other clients"})
	}
	base, err := url.Parse(o.Client.BaseURL())
	if err != nil {
		return nil, fmt.Errorf("server address: %w", err)
	}
	if o.Context == "" {
		o.Context = base.Host
	}
	box, err := staged.Open(o.StateDir, o.Context, timer)
	if err != nil {
		return nil, err
	}
	m := &model{&env{
		session: &session{
			load: loader{ctx: ctx, c: o.Client}, renewal: o.Renewal, present: map[string]presence{}, waiting: map[string]int{},
			account: account{labels: map[string]string{}},
			instance: instance{
				host: safe.Line(o.Context), contextName: o.Context, server: base.Host, colour: o.Colour, readOnly: o.ReadOnly, demo: o.Demo, instances: o.Instances,
			},
		},
		outbox: &outbox{
			staged: box, engine: newEngine(o.Client), journal: journal.Open(o.StateDir, o.Client.BaseURL(), now),
			troubles: map[string]string{}, offered: map[*staged.Item]bool{}, playbooks: o.Playbooks, templates: o.Templates,
		},
		desk: &desk{
			registry: registry{openers: map[string]opener{}, nouns: map[string]*nounScreen{}},
			keys:     bound, allKeys: bound, filters: o.Filters, theme: colours, shell: shell{cli: o.Command, complete: o.Complete},
		},
		terminal: &terminal{
			tty: writer{o.Out}, remote: o.Remote != nil, dragFrom: -1, wrapped: map[wrapKey][]string{}, browser: openAddress,
			clocks: clocks{
				now: now, timer: timer, background: func(cmd tea.Cmd) tea.Cmd { return cmd }, jitter: rand.Float64,
				after: func(d time.Duration, msg func() tea.Msg) tea.Cmd {
					return tea.Tick(d, func(time.Time) tea.Msg { return msg() })
				},
			},
		},
	}}
	queue := newReports()
	queue.setFolds(box.Folded)
	queue.register(m.env)
	m.tabs = append(m.tabs, tableTabs()...)
	for _, item := range box.Unsent(staged.Conflict) {
		for target := range item.Why {
			m.troubles[target] = m.conflict(target)
		}
	}
	m.visits = []screen{queue}
	m.poll.lastKey = timer()
	return m, nil
}
