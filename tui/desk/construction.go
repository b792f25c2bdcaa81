package desk

import (
	"context"
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
	"svc/tui/draw"
	"svc/tui/keys"
	"svc/tui/staged"
)

// newEngine carries actions out. What the same account did elsewhere is no conflict.
func newEngine(c *client.Client) *action.Engine {
	return action.New(c, action.Options{OwnIsFine: true})
}

// New is the program without a screen: the four parts, with what the options say.
func New(ctx context.Context, o Options, now, timer func() time.Time) (*Model, error) {
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
	m := &Model{&Env{
		session: &session{
			Load: loader{Ctx: ctx, C: o.Client}, renewal: o.Renewal, present: map[string]presence{}, Waiting: map[string]int{},
			account: account{labels: map[string]string{}},
			instance: instance{
				Host: safe.Line(o.Context), contextName: o.Context, server: base.Host, colour: o.Colour, readOnly: o.ReadOnly, demo: o.Demo, instances: o.Instances,
			},
		},
		outbox: &outbox{
			Staged: box, engine: newEngine(o.Client), Journal: journal.Open(o.StateDir, o.Client.BaseURL(), now),
			Troubles: map[string]string{}, offered: map[*staged.Item]bool{}, Playbooks: o.Playbooks, templates: o.Templates,
		},
		desk: &desk{
			registry: registry{Openers: map[string]Opener{}},
			Keys:     bound, allKeys: bound, filters: o.Filters, Theme: colours, shell: shell{Cli: o.Command, complete: o.Complete},
		},
		terminal: &terminal{
			Tty: writer{o.Out}, Remote: o.Remote != nil, dragFrom: -1, wrapped: map[wrapKey][]string{}, Browser: openAddress,
			clocks: clocks{
				Now: now, Timer: timer, Background: func(cmd tea.Cmd) tea.Cmd { return cmd }, Jitter: rand.Float64,
				After: func(d time.Duration, msg func() tea.Msg) tea.Cmd {
					return tea.Tick(d, func(time.Time) tea.Msg { return msg() })
				},
			},
		},
	}}
	for _, item := range box.Unsent(staged.Conflict) {
		for target := range item.Why {
			m.Troubles[target] = m.Conflict(target)
		}
	}
	m.Poll.lastKey = timer()
	return m, nil
}

// Begin opens the first screen.
func (d *desk) Begin(s Screen) { d.visits = []Screen{s} }

type writer struct{ io.Writer }

func (w writer) WriteString(text string) (int, error) { return io.WriteString(w.Writer, text) }
