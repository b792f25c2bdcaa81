// Package tui is the terminal program for moderators: the queue of reports with
// its evidence, users, the moderation log, settings, relays and other servers, with
// single keys as commands.
//
// It reads through package client, and changes through package client/action, with
// a countdown before anything is sent. It follows the stream of moderation, and polls
// the server where there is none. Text of strangers passes
// package client/safe where it enters (tui/shown, tui/tables) and nowhere else.
//
// Package desk is the program around the screens. This package joins it with the queue
// and the tables (packages queue and grid), on a terminal or as a dialogue (package plain).
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
	"os"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"svc/tui/desk"
	"svc/tui/draw"
	"svc/tui/grid"
	"svc/tui/noprobe"
	"svc/tui/plain"
	"svc/tui/queue"
	"svc/tui/tty"
)

type (
	// Options are the dependencies and preferences of Run.
	Options = desk.Options
	// Remote is a terminal on another machine.
	Remote = desk.Remote
	// Size is a terminal's, in cells.
	Size = desk.Size
	// Renewal is how a login that ended is renewed in place.
	Renewal = desk.Renewal
	// Instance is one that the program can switch to.
	Instance = desk.Instance
	// Instances are those of the configuration file.
	Instances = desk.Instances
)

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
		err := plain.Run(ctx, m, o, lines, t.options)
		return m.Next, err
	}
	traced := newTrace(o.Trace, time.Now)
	if traced != nil {
		m.Load.Watch = traced.loading
	}
	shown, in, out := traced.over(m, t.in, o.Out)
	screen := tty.NewScreen(out)
	options := append(t.options, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(screen.Output(o.Out)),
		tea.WithAltScreen(), tea.WithFPS(1), tea.WithReportFocus())
	if !o.NoMouse {
		options = append(options, tea.WithMouseCellMotion())
	}
	program := tea.NewProgram(&drawn{Model: shown, screen: screen, timer: m.Timer, after: m.After}, options...)
	t.follow(program)
	_, err = program.Run()
	if ctx.Err() != nil {
		err = nil // cancelling is no failure
	}
	return m.Next, errors.Join(err, m.Staged.Close(), traced.failed())
}

// newModel is the program on its first screen.
func newModel(ctx context.Context, o Options, now, timer func() time.Time) (*desk.Model, error) {
	m, err := desk.New(ctx, o, now, timer)
	if err != nil {
		return nil, err
	}
	queue := queue.New(m.Env)
	grid.Register(m.Env)
	m.Begin(queue)
	return m, nil
}
