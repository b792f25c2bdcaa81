package tui

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/safe"
	"svc/tui/draw"
	"svc/tui/keys"
	"svc/tui/list"
)

// screen is one of the views: it draws itself, carries out commands, and answers
// for itself what the program asks about the screen in front. It does I/O only in
// the tea.Cmds it returns.
type screen interface {
	on() keys.Places
	tab() keys.Command // of the tab that it belongs to, "" for texts such as the help
	// allowed reports whether it may be shown to somebody with these keys.
	allowed(mine *keys.Map) bool

	title(m *env) string
	extras(m *env) []extra
	bar(m *env) []keys.Command
	hint(m *env) string     // the present effect of keys, "" for none
	progress(m *env) string // how much of a long list is loaded, "" for all of it
	draw(m *env, d draw.Layout) []draw.Line

	// run carries out a command; false is for one that means nothing here.
	run(m *env, c keys.Command) (tea.Cmd, bool)
	rows(d draw.Layout) area
	moved(m *env) tea.Cmd // after something else moved the cursor of its list
	scroll(n int)         // moves its text by n lines
	renew(m *env) tea.Cmd // loads again what of it is out of date

	// For plain mode: the content in sentences, a row in a line, and the name of the
	// object in front with the part of it that keys act on.
	spoken(m *env) []string
	spokenRow(m *env, i int) string
	position(m *env) string
}

// area is where a screen has its list: at the left of its body, below the heads.
// Without a list it is the zero value.
type area struct {
	list          *list.List
	width, height int
}

// textDefaults are the answers of a screen without a list, which is text to scroll.
type textDefaults struct{}

func (textDefaults) allowed(*keys.Map) bool     { return true }
func (textDefaults) hint(*env) string           { return "" }
func (textDefaults) progress(*env) string       { return "" }
func (textDefaults) rows(draw.Layout) area      { return area{} }
func (textDefaults) moved(*env) tea.Cmd         { return nil }
func (textDefaults) renew(*env) tea.Cmd         { return nil }
func (textDefaults) spokenRow(*env, int) string { return "" }

// extra is a part of the header; those with the highest rank go first when
// the line is too short.
type extra struct {
	text string
	rank int
	keep bool // it is shortened instead
}

// Smaller than this, one does not see what a key changes.
const (
	leastToChange      = 40
	leastLinesToChange = 8
)

func (m *env) layout() draw.Layout {
	return draw.NewLayout(m.width, m.height, m.height-m.headerLines()-m.footer()-len(m.promptLines()))
}

func (m *env) promptLines() []draw.Line {
	if m.prompt == nil {
		return nil
	}
	lines := m.prompt.draw(m.width - 1)
	if most := max(1, m.height/2); len(lines) > most {
		kept := lines[: most-1 : most-1]
		if most > 2 {
			kept = append(kept[:most-2:most-2], draw.Inked(draw.InkDim, fmt.Sprintf("   (%d more lines)", len(lines)-most+1)))
		}
		lines = append(kept, lines[len(lines)-1])
	}
	// Walls stand at the left alone: to the right of free text they would go astray
	// in terminals that draw its glyphs with another width.
	g := m.theme.Glyphs
	framed := []draw.Line{draw.Inked(draw.InkRule, g.Corner+strings.Repeat(g.Rule, m.width-1))}
	for i, l := range lines {
		wall := g.Wall
		if i == len(lines)-1 {
			wall = g.Foot
		}
		framed = append(framed, append(draw.Line{{Text: wall, Ink: draw.InkRule}}, l...))
	}
	return framed
}

// rule is a line between panes.
func (d *desk) rule(width int) draw.Line {
	return draw.Inked(draw.InkRule, strings.Repeat(d.theme.Glyphs.Rule, max(0, width)))
}

// View draws the frame: lines no wider than the terminal, and exactly as many
// as it has.
func (m *model) View() string {
	if m.width == 0 || m.height == 0 {
		return ""
	}
	d := m.layout()
	lines := append(make([]draw.Line, 0, m.height), m.header()...)
	body := m.screen().draw(m.env, d)
	for i := range d.Body {
		if i < len(body) {
			lines = append(lines, body[i])
		} else {
			lines = append(lines, nil)
		}
	}
	lines = append(lines, m.promptLines()...)
	lines = append(lines, m.footerLines()...)
	if len(lines) > m.height {
		lines = append(lines[:m.height-1:m.height-1], lines[len(lines)-1])
	}
	var b strings.Builder
	b.Grow(m.width * m.height * 2)
	for i, l := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		m.theme.Paint(&b, l, m.width)
	}
	m.painted(m.timer())
	return b.String()
}

// likeStaff is the label of an account that could be taken for one of the staff, ""
// for others. It remembers, since the same accounts are drawn frame after frame.
func (s *session) likeStaff(acct string) string {
	const keep = 10_000
	label, known := s.labels[acct]
	if !known {
		if len(s.labels) >= keep {
			clear(s.labels)
		}
		label = s.staff.Label(acct).String()
		s.labels[acct] = label
	}
	return label
}

// wrap is safe.Wrap with a memory, since the same posts are drawn frame after
// frame.
func (t *terminal) wrap(id string, text safe.Safe, width int) []string {
	const keep = 2000
	key := wrapKey{id, text, width}
	if lines, known := t.wrapped[key]; known {
		return lines
	}
	if len(t.wrapped) > keep {
		clear(t.wrapped)
	}
	lines := safe.Wrap(text.String(), width)
	t.wrapped[key] = lines
	return lines
}

type wrapKey struct {
	id    string
	text  safe.Safe
	width int
}
