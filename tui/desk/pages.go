package desk

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/safe"
	"svc/tui/draw"
	"svc/tui/keys"
	"svc/tui/list"
)

// Page is text to read, search and scroll.
type Page struct {
	TextDefaults
	Name   string
	Text   func(width int, filter list.Filter) []draw.Line // what of it the filter matches
	filter list.Filter
	Copies string      // what the key for copying takes, "" for nothing
	Lines  []draw.Line // as last drawn
	top    int
	shown  int
}

func (p *Page) On() keys.Places   { return keys.OnPage }
func (p *Page) Tab() keys.Command { return "" }
func (p *Page) Title(*Env) string { return p.Name }
func (p *Page) Bar(*Env) []keys.Command {
	return []keys.Command{keys.Down, keys.Up, keys.Filter, keys.Back}
}
func (p *Page) ScrollText(n int)     { p.top = max(0, p.top+n) }
func (p *Page) Position(*Env) string { return p.Name + p.filter.Text }
func (p *Page) FilterText() string   { return p.filter.Text }
func (p *Page) States() []string     { return nil }

// SetFilter shows the lines that match.
func (p *Page) SetFilter(_ *Env, text string) tea.Cmd {
	p.filter, p.top = list.ParseFilter(text, nil), 0
	return nil
}

func (p *Page) Extras(*Env) []Extra {
	if p.filter.Text == "" {
		return nil
	}
	return []Extra{{Text: "/" + safe.Line(p.filter.Text), Keep: true}}
}

// OpenWhole shows a text whole on a page of its own, from which it can be copied.
func (m *Env) OpenWhole(name, text string) tea.Cmd {
	return m.Open(&Page{Name: strings.ToUpper(name), Copies: text, Text: func(width int, f list.Filter) []draw.Line {
		var lines []draw.Line
		for _, part := range safe.Wrap(safe.Text(text), max(1, width-1)) {
			lines = append(lines, draw.Plain(" "+part))
		}
		return append(Matching(lines, f), nil, draw.Inked(draw.InkDim, " "+m.Keys.Key(keys.Copy)+" copies it, "+m.Keys.Key(keys.Back)+" goes back"))
	}})
}

// Matching are the lines that a filter matches.
func Matching(lines []draw.Line, f list.Filter) []draw.Line {
	return slices.DeleteFunc(lines, func(l draw.Line) bool { return f.Text != "" && !f.Matches(strings.ToLower(draw.Words(l)), "") })
}

func (p *Page) Spoken(m *Env) []string {
	p.Draw(m, m.Layout())
	var lines []string
	for _, l := range p.Lines {
		if text := draw.Words(l); text != "" {
			lines = append(lines, text)
		}
	}
	return lines
}

func (p *Page) Draw(m *Env, d draw.Layout) []draw.Line {
	p.shown, p.Lines = d.Body, p.Text(d.Width, p.filter)
	if len(p.Lines) == 0 && p.filter.Text != "" {
		p.Lines = []draw.Line{draw.Plain(" nothing matches /" + safe.Line(p.filter.Text) + "; " + m.Keys.Key(keys.Back) + " shows all")}
	}
	p.top = max(0, min(p.top, len(p.Lines)-d.Body))
	return p.Lines[p.top:min(len(p.Lines), p.top+d.Body)]
}

func (p *Page) Run(m *Env, c keys.Command) (tea.Cmd, bool) {
	if c == keys.Back && p.filter.Text != "" {
		return p.SetFilter(m, ""), true
	}
	if c == keys.Copy && p.Copies != "" {
		return m.Copy(p.Copies), true
	}
	steps := map[keys.Command]int{
		keys.Up: -1, keys.Down: 1, keys.HalfUp: -p.shown / 2, keys.HalfDown: p.shown / 2, keys.PageUp: -p.shown, keys.PageDown: p.shown,
		keys.Top: -len(p.Lines), keys.Bottom: len(p.Lines),
	}
	step, ok := steps[c]
	if ok {
		p.top = max(0, min(p.top+step, len(p.Lines)-p.shown))
	}
	return nil, ok
}

// newDemo says how to reach the server of a demo.
func newDemo(m *Env) *Page {
	return &Page{Name: "DEMO", Text: func(_ int, f list.Filter) []draw.Line {
		var lines []draw.Line
		for _, text := range m.demo {
			lines = append(lines, draw.Plain(" "+safe.Text(text)))
		}
		return Matching(lines, f)
	}}
}

// newHelp lists every binding by its purpose, those of the screen in front first,
// and every mark.
func newHelp(m *Env) *Page {
	here := m.Screen().On()
	return &Page{Name: "HELP", Text: func(width int, f list.Filter) []draw.Line {
		return keys.HelpLines(m.Keys, m.Theme.Glyphs, here, width, f)
	}}
}
