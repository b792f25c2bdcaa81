package tui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/safe"
	"svc/tui/draw"
	"svc/tui/keys"
	"svc/tui/list"
)

// page is text to read, search and scroll.
type page struct {
	textDefaults
	name   string
	text   func(width int, filter list.Filter) []draw.Line // what of it the filter matches
	filter list.Filter
	copies string      // what the key for copying takes, "" for nothing
	lines  []draw.Line // as last drawn
	top    int
	shown  int
}

func (p *page) on() keys.Places   { return keys.OnPage }
func (p *page) tab() keys.Command { return "" }
func (p *page) title(*env) string { return p.name }
func (p *page) bar(*env) []keys.Command {
	return []keys.Command{keys.Down, keys.Up, keys.Filter, keys.Back}
}
func (p *page) scroll(n int)         { p.top = max(0, p.top+n) }
func (p *page) position(*env) string { return p.name + p.filter.Text }
func (p *page) filterText() string   { return p.filter.Text }
func (p *page) states() []string     { return nil }

//nolint:unparam // lists have commands
func (p *page) setFilter(_ *env, text string) tea.Cmd {
	p.filter, p.top = list.ParseFilter(text, nil), 0
	return nil
}

func (p *page) extras(*env) []extra {
	if p.filter.Text == "" {
		return nil
	}
	return []extra{{text: "/" + safe.Line(p.filter.Text), keep: true}}
}

// openWhole shows a text whole on a page of its own, from which it can be copied.
func (m *env) openWhole(name, text string) tea.Cmd {
	return m.open(&page{name: strings.ToUpper(name), copies: text, text: func(width int, f list.Filter) []draw.Line {
		var lines []draw.Line
		for _, part := range safe.Wrap(safe.Text(text), max(1, width-1)) {
			lines = append(lines, draw.Plain(" "+part))
		}
		return append(matching(lines, f), nil, draw.Inked(draw.InkDim, " "+m.keys.Key(keys.Copy)+" copies it, "+m.keys.Key(keys.Back)+" goes back"))
	}})
}

// matching are the lines that a filter matches.
func matching(lines []draw.Line, f list.Filter) []draw.Line {
	return slices.DeleteFunc(lines, func(l draw.Line) bool { return f.Text != "" && !f.Matches(strings.ToLower(draw.Words(l)), "") })
}

func (p *page) spoken(m *env) []string {
	p.draw(m, m.layout())
	var lines []string
	for _, l := range p.lines {
		if text := draw.Words(l); text != "" {
			lines = append(lines, text)
		}
	}
	return lines
}

func (p *page) draw(m *env, d draw.Layout) []draw.Line {
	p.shown, p.lines = d.Body, p.text(d.Width, p.filter)
	if len(p.lines) == 0 && p.filter.Text != "" {
		p.lines = []draw.Line{draw.Plain(" nothing matches /" + safe.Line(p.filter.Text) + "; " + m.keys.Key(keys.Back) + " shows all")}
	}
	p.top = max(0, min(p.top, len(p.lines)-d.Body))
	return p.lines[p.top:min(len(p.lines), p.top+d.Body)]
}

func (p *page) run(m *env, c keys.Command) (tea.Cmd, bool) {
	if c == keys.Back && p.filter.Text != "" {
		return p.setFilter(m, ""), true
	}
	if c == keys.Copy && p.copies != "" {
		return m.copy(p.copies), true
	}
	steps := map[keys.Command]int{
		keys.Up: -1, keys.Down: 1, keys.HalfUp: -p.shown / 2, keys.HalfDown: p.shown / 2, keys.PageUp: -p.shown, keys.PageDown: p.shown,
		keys.Top: -len(p.lines), keys.Bottom: len(p.lines),
	}
	step, ok := steps[c]
	if ok {
		p.top = max(0, min(p.top+step, len(p.lines)-p.shown))
	}
	return nil, ok
}

// newDemo says how to reach the server of a demo.
func newDemo(m *env) *page {
	return &page{name: "DEMO", text: func(_ int, f list.Filter) []draw.Line {
		var lines []draw.Line
		for _, text := range m.demo {
			lines = append(lines, draw.Plain(" "+safe.Text(text)))
		}
		return matching(lines, f)
	}}
}

// newHelp lists every binding by its purpose, those of the screen in front first,
// and every mark.
func newHelp(m *env) *page {
	here := m.screen().on()
	return &page{name: "HELP", text: func(width int, f list.Filter) []draw.Line {
		return keys.HelpLines(m.keys, m.theme.Glyphs, here, width, f)
	}}
}
