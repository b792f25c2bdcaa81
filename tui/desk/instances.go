package desk

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/safe"
	"svc/tui/draw"
	"svc/tui/keys"
	"svc/tui/shown"
)

// Instance is one that the program can switch to.
type Instance struct {
	Name, URL string
	Colour    string // one of ContextColours, "" for one by the name
	ReadOnly  bool
}

// Instances are those of the configuration file.
type Instances struct {
	List func() ([]Instance, error)
	// Open prepares the program for another instance: its login is looked for, and
	// nothing of the present one is taken along. Run goes on with the result.
	Open func(ctx context.Context, name string) (Options, error)
}

// instanceOpened is the end of the preparations for another instance.
type instanceOpened struct {
	name    string
	options Options
	err     error
}

// askInstance lists the instances, and reads the name of one.
func (m *Env) askInstance(wrong ...draw.Line) {
	all, err := m.instances.List()
	if err != nil {
		m.Say(draw.InkBad, safe.Line(err.Error()))
		return
	}
	p := &Prompt{Text: NewTextField("", false), Label: "switch to: ", Accept: "enter"}
	show := func(text string) (names []string) {
		p.Title = append([]draw.Line{append(draw.Inked(draw.InkStrong, " instances"), draw.Span{Text: "   enter switches, tab completes, esc cancels", Ink: draw.InkDim})}, wrong...)
		for _, one := range all {
			if _, fits := keys.Fuzzy(one.Name, text); !fits {
				continue
			}
			names = append(names, one.Name)
			mark := "   "
			if one.Name == m.contextName {
				mark = " > "
			}
			l := draw.Line{{Text: mark, Ink: draw.InkStrong}, {Text: safe.Line(one.Name), Ink: draw.ContextInk(one.Name, one.Colour)}, {Text: "  " + safe.Line(one.URL), Ink: draw.InkDim}}
			if one.ReadOnly {
				l = append(l, draw.Span{Text: "  read-only", Ink: draw.InkWarn})
			}
			p.Title = append(p.Title, l.Shortened(m.Width-2))
		}
		return names
	}
	show("")
	p.onText = func(_ *Env, text string) tea.Cmd {
		wrong = nil
		show(strings.TrimSpace(text))
		return nil
	}
	p.complete = func(_ *Env, text string) tea.Cmd {
		p.completed(text, show(text), func([]string) {})
		return nil
	}
	p.Done = func(m *Env, text string) tea.Cmd {
		name := strings.TrimSpace(text)
		if name == "" {
			return nil
		}
		if !slices.ContainsFunc(all, func(one Instance) bool { return one.Name == name }) {
			m.askInstance(draw.Inked(draw.InkBad, " there is no context "+shown.Quoted(name)))
			return nil
		}
		return m.switchTo(name)
	}
	m.Ask(p)
}

// switchTo looks whether another instance can be reached with a login, and leaves
// this one only then.
func (m *Env) switchTo(name string) tea.Cmd {
	if name == m.contextName {
		m.Say(draw.InkDim, "this is "+safe.Line(name))
		return nil
	}
	m.Say(draw.InkDim, "switching to "+safe.Line(name)+" ...")
	open := m.instances.Open
	return m.Load.Run(func(ctx context.Context) tea.Msg {
		options, err := open(ctx, name)
		return instanceOpened{name, options, err}
	})
}

func (m *Env) instanceOpened(msg instanceOpened) tea.Cmd {
	switch {
	case msg.err != nil:
		m.Say(draw.InkBad, fmt.Sprintf("not switched to %s: %s", safe.Line(msg.name), shown.Wording(msg.err)))
		return nil
	case m.Prompt != nil || m.quitting:
		m.Say(draw.InkDim, "not switched to "+safe.Line(msg.name)+": a question was open")
		return nil
	}
	m.Notice, m.Next = nil, &msg.options
	return m.quit()
}
