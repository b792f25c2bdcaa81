package desk

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/safe"
	"svc/tui/draw"
	"svc/tui/keys"
	"svc/tui/list"
)

// Screen is one of the views: it draws itself, carries out commands, and answers
// for itself what the program asks about the screen in front. It does I/O only in
// the tea.Cmds it returns.
type Screen interface {
	On() keys.Places
	Tab() keys.Command // of the tab that it belongs to, "" for texts such as the help
	// Allowed reports whether it may be shown to somebody with these keys.
	Allowed(mine *keys.Map) bool

	Title(m *Env) string
	Extras(m *Env) []Extra
	Bar(m *Env) []keys.Command
	Hint(m *Env) string     // the present effect of keys, "" for none
	Progress(m *Env) string // how much of a long list is loaded, "" for all of it
	Draw(m *Env, d draw.Layout) []draw.Line

	// Run carries out a command; false is for one that means nothing here.
	Run(m *Env, c keys.Command) (tea.Cmd, bool)
	Rows(d draw.Layout) Area
	Moved(m *Env) tea.Cmd // after something else moved the cursor of its list
	ScrollText(n int)     // moves its text by n lines
	Renew(m *Env) tea.Cmd // loads again what of it is out of date

	// For plain mode: the content in sentences, a row in a line, and the name of the
	// object in front with the part of it that keys act on.
	Spoken(m *Env) []string
	SpokenRow(m *Env, i int) string
	Position(m *Env) string
}

// Area is where a screen has its list: at the left of its body, below the heads.
// Without a list it is the zero value.
type Area struct {
	List          *list.List
	Width, Height int
}

// TextDefaults are the answers of a screen without a list, which is text to scroll.
type TextDefaults struct{}

func (TextDefaults) Allowed(*keys.Map) bool     { return true }
func (TextDefaults) Hint(*Env) string           { return "" }
func (TextDefaults) Progress(*Env) string       { return "" }
func (TextDefaults) Rows(draw.Layout) Area      { return Area{} }
func (TextDefaults) Moved(*Env) tea.Cmd         { return nil }
func (TextDefaults) Renew(*Env) tea.Cmd         { return nil }
func (TextDefaults) SpokenRow(*Env, int) string { return "" }

// Extra is a part of the header; those with the highest rank go first when
// the line is too short.
type Extra struct {
	Text string
	Rank int
	Keep bool // it is shortened instead
}

// Smaller than this, one does not see what a key changes.
const (
	leastToChange      = 40
	leastLinesToChange = 8
)

// Layout divides the part of the terminal that the screen has.
func (m *Env) Layout() draw.Layout {
	return draw.NewLayout(m.Width, m.Height, m.Height-m.HeaderLines()-m.footer()-len(m.promptLines()))
}

func (m *Env) promptLines() []draw.Line {
	if m.Prompt == nil {
		return nil
	}
	lines := m.Prompt.Draw(m.Width - 1)
	if most := max(1, m.Height/2); len(lines) > most {
		kept := lines[: most-1 : most-1]
		if most > 2 {
			kept = append(kept[:most-2:most-2], draw.Inked(draw.InkDim, fmt.Sprintf("   (%d more lines)", len(lines)-most+1)))
		}
		lines = append(kept, lines[len(lines)-1])
	}
	// Walls stand at the left alone: to the right of free text they would go astray
	// in terminals that draw its glyphs with another width.
	g := m.Theme.Glyphs
	framed := []draw.Line{draw.Inked(draw.InkRule, g.Corner+strings.Repeat(g.Rule, m.Width-1))}
	for i, l := range lines {
		wall := g.Wall
		if i == len(lines)-1 {
			wall = g.Foot
		}
		framed = append(framed, append(draw.Line{{Text: wall, Ink: draw.InkRule}}, l...))
	}
	return framed
}

// Rule is a line between panes.
func (d *desk) Rule(width int) draw.Line {
	return draw.Inked(draw.InkRule, strings.Repeat(d.Theme.Glyphs.Rule, max(0, width)))
}

// View draws the frame: lines no wider than the terminal, and exactly as many
// as it has.
func (m *Model) View() string {
	if m.Width == 0 || m.Height == 0 {
		return ""
	}
	d := m.Layout()
	lines := append(make([]draw.Line, 0, m.Height), m.header()...)
	body := m.Screen().Draw(m.Env, d)
	for i := range d.Body {
		if i < len(body) {
			lines = append(lines, body[i])
		} else {
			lines = append(lines, nil)
		}
	}
	lines = append(lines, m.promptLines()...)
	lines = append(lines, m.footerLines()...)
	if len(lines) > m.Height {
		lines = append(lines[:m.Height-1:m.Height-1], lines[len(lines)-1])
	}
	var b strings.Builder
	b.Grow(m.Width * m.Height * 2)
	for i, l := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		m.Theme.Paint(&b, l, m.Width)
	}
	m.painted(m.Timer())
	return b.String()
}

// LikeStaff is the label of an account that could be taken for one of the staff, ""
// for others. It remembers, since the same accounts are drawn frame after frame.
func (s *session) LikeStaff(acct string) string {
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

// Wrap is safe.Wrap with a memory, since the same posts are drawn frame after
// frame.
func (t *terminal) Wrap(id string, text safe.Safe, width int) []string {
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
