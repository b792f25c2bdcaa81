package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/safe"
	"svc/tui/tables"
)

// page is text to read and scroll.
type page struct {
	textDefaults
	name  string
	text  func(width int) []line
	lines []line // as last drawn
	top   int
	shown int
}

func (p *page) on() places           { return onPage }
func (p *page) tab() command         { return "" }
func (p *page) title(*env) string    { return p.name }
func (p *page) bar(*env) []command   { return []command{doDown, doUp, doBack} }
func (p *page) scroll(n int)         { p.top = max(0, p.top+n) }
func (p *page) position(*env) string { return p.name }

func (p *page) spoken(m *env) []string {
	p.draw(m, m.layout())
	var lines []string
	for _, l := range p.lines {
		if text := words(l); text != "" {
			lines = append(lines, text)
		}
	}
	return lines
}

func (p *page) draw(_ *env, d layout) []line {
	p.shown, p.lines = d.body, p.text(d.width)
	p.top = max(0, min(p.top, len(p.lines)-d.body))
	return p.lines[p.top:min(len(p.lines), p.top+d.body)]
}

func (p *page) run(_ *env, c command) (tea.Cmd, bool) {
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
	return &page{name: "DEMO", text: func(int) []line {
		var lines []line
		for _, text := range m.demo {
			lines = append(lines, plain(" "+safe.Text(text)))
		}
		return lines
	}}
}
