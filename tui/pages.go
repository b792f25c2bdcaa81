package tui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/safe"
	"svc/tui/draw"
	"svc/tui/list"
	"svc/tui/tables"
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

func (p *page) on() places           { return onPage }
func (p *page) tab() command         { return "" }
func (p *page) title(*env) string    { return p.name }
func (p *page) bar(*env) []command   { return []command{doDown, doUp, doFilter, doBack} }
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
		return append(matching(lines, f), nil, draw.Inked(draw.InkDim, " "+m.keys.key(doCopy)+" copies it, "+m.keys.key(doBack)+" goes back"))
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
		p.lines = []draw.Line{draw.Plain(" nothing matches /" + safe.Line(p.filter.Text) + "; " + m.keys.key(doBack) + " shows all")}
	}
	p.top = max(0, min(p.top, len(p.lines)-d.Body))
	return p.lines[p.top:min(len(p.lines), p.top+d.Body)]
}

func (p *page) run(m *env, c command) (tea.Cmd, bool) {
	if c == doBack && p.filter.Text != "" {
		return p.setFilter(m, ""), true
	}
	if c == doCopy && p.copies != "" {
		return m.copy(p.copies), true
	}
	steps := map[command]int{
		doUp: -1, doDown: 1, doHalfUp: -p.shown / 2, doHalfDown: p.shown / 2, doPageUp: -p.shown, doPageDown: p.shown,
		doTop: -len(p.lines), doBottom: len(p.lines),
	}
	step, ok := steps[c]
	if ok {
		p.top = max(0, min(p.top+step, len(p.lines)-p.shown))
	}
	return nil, ok
}

func (p places) String() string {
	var names []string
	for _, place := range []struct {
		on   places
		name string
	}{{onReports, "reports"}, {onReport, "report"}, {onUsers, "users"}, {onUser, "user"}, {onLog, "log"}, {onPage, "help"}} {
		if p&place.on != 0 {
			names = append(names, place.name)
		}
	}
	for i, n := range tables.All() {
		if p&nounPlace(i)&^(onUsers|onLog) != 0 {
			names = append(names, n.Name)
		}
	}
	return strings.Join(names, ", ")
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
