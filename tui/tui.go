// Package tui is the terminal program for moderators: the queue of reports with
// its evidence, users, the moderation log, settings, relays and other servers, with
// single keys as commands.
//
// It reads through package client, and changes through package client/action, with
// a countdown before anything is sent. It follows the stream of moderation, and polls
// the server where there is none. Text of strangers passes
// package client/safe where it enters (tui/shown, tui/nouns) and nowhere else. Screens
// that are tables are described in tui/nouns and drawn by nouns.go. Package tui/list
// has lists that stay on their objects while rows come and go.
//
//	err := tui.Run(ctx, tui.Options{Client: c, StateDir: dir})
//
// A program that links this package imports tui/quiet too, and restores TERM first.
package tui

import (
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
	"svc/client/safe"
	"svc/tui/quiet"
	"svc/tui/staged"
)

// fps is how often the renderer looks for a new frame. At bubbletea's default
// of 60 that look alone costs up to 17 ms after a key.
const fps = 120

// Options are the dependencies and preferences of Run.
type Options struct {
	Client *client.Client
	// Context names the instance in the header and the outbox's file; "" is
	// the server's host.
	Context string
	// Theme is one of ThemeNames, or "" to choose by the terminal.
	Theme string
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
	// ReadOnly refuses every key that would change something.
	ReadOnly bool
	// Keys puts commands, by the names that help shows, on other keys.
	Keys map[string][]string
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
		quiet.Restore()
	}
	if o.In == nil {
		o.In = os.Stdin
	}
	if o.Out == nil {
		o.Out = os.Stdout
	}
	t, err := deviceOf(o)
	if err != nil {
		return err
	}
	defer t.close()
	now := time.Now
	if fixed := t.getenv("SVCCTL_NOW"); fixed != "" {
		at, err := time.Parse(time.RFC3339, fixed)
		if err != nil {
			return fmt.Errorf("SVCCTL_NOW: %w", err)
		}
		now = func() time.Time { return at }
	}
	if o.Plain {
		o.Theme = "mono" // nothing is drawn
	}
	if o.Theme == "" {
		o.Theme = chooseTheme(t.getenv, t.dark)
	}
	m, err := newModel(ctx, o, now, time.Now)
	if err != nil {
		return err
	}
	if o.Plain {
		return runPlain(ctx, m, o, t.options)
	}
	options := append(t.options, tea.WithContext(ctx), tea.WithInput(t.in), tea.WithOutput(o.Out),
		tea.WithAltScreen(), tea.WithFPS(fps), tea.WithReportFocus())
	if !o.NoMouse {
		options = append(options, tea.WithMouseCellMotion())
	}
	program := tea.NewProgram(m, options...)
	t.follow(program)
	_, err = program.Run()
	if ctx.Err() != nil {
		err = nil // cancelling is no failure
	}
	return errors.Join(err, m.staged.Close())
}

func newModel(ctx context.Context, o Options, now, timer func() time.Time) (*model, error) {
	colours, err := themeNamed(o.Theme)
	if err != nil {
		return nil, err
	}
	keys, err := newKeymap(o.Keys)
	if err != nil {
		return nil, err
	}
	if o.Remote != nil {
		keys = keys.without(doSave, doSuspend)
	}
	if o.Context == "" {
		base, err := url.Parse(o.Client.BaseURL())
		if err != nil {
			return nil, fmt.Errorf("server address: %w", err)
		}
		o.Context = base.Host
	}
	box, err := staged.Open(o.StateDir, o.Context, timer)
	if err != nil {
		return nil, err
	}
	m := &model{
		journal: journal.Open(o.StateDir, o.Client.BaseURL(), now),
		load:    loader{ctx, o.Client}, engine: action.New(o.Client, action.Options{}), keys: keys, theme: colours,
		host: safe.Line(o.Context), readOnly: o.ReadOnly, remote: o.Remote != nil, tty: writer{o.Out}, now: now, timer: timer,
		after: func(d time.Duration, msg func() tea.Msg) tea.Cmd {
			return tea.Tick(d, func(time.Time) tea.Msg { return msg() })
		},
		background: func(cmd tea.Cmd) tea.Cmd { return cmd },
		jitter:     rand.Float64, reports: newReports(), users: newUsers(), log: newLogs(), staged: box, nouns: map[string]*nounScreen{},
		troubles: map[string]string{}, dragFrom: -1, wrapped: map[wrapKey][]string{},
	}
	m.visits = []screen{m.reports}
	m.poll.lastKey = timer()
	return m, nil
}
