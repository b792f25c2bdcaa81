package tui

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// theme is a palette as a terminal writes it.
type theme struct {
	name   string
	styles map[ink]sequences // without one, text is written as it is
	alike  map[ink]ink       // the first ink with the same style
	fills  bool              // lines are painted to their ends
	glyphs glyphs
}

// sequences are what the terminal is written before and after text of a style. A
// frame has hundreds of texts, and lipgloss works out the colours of each anew.
type sequences struct{ before, after string }

func sequencesOf(s lipgloss.Style) (of sequences) {
	of.before, of.after, _ = strings.Cut(s.Render("x"), "x")
	return of
}

// terminalKind is what the environment says of the terminal. Asking the terminal
// itself would write to it.
type terminalKind struct {
	profile termenv.Profile
	utf8    bool
}

func kindOf(env func(string) string) terminalKind {
	k := terminalKind{profile: termenv.ANSI}
	name := env("TERM")
	switch colours := strings.ToLower(env("COLORTERM")); {
	case colours == "truecolor" || colours == "24bit":
		k.profile = termenv.TrueColor
	case strings.Contains(name, "256color"):
		k.profile = termenv.ANSI256
	}
	for _, variable := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToLower(env(variable)); locale != "" {
			k.utf8 = strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
			break
		}
	}
	k.utf8 = k.utf8 && name != "linux" // the console has no such glyphs in most fonts
	return k
}

// glyphs are the characters of lines and marks, each a cell wide everywhere.
type glyphs struct {
	rule, wall        string // lines between panes
	corner, foot      string // of a question
	bar               string // at the left of a post, and in countdowns
	dot               string
	tabOpen, tabClose string // around the tab in front
}

var (
	lineGlyphs  = glyphs{rule: "─", wall: "│", corner: "╭", foot: "╰", bar: "▌", dot: "●", tabOpen: " ", tabClose: " "}
	asciiGlyphs = glyphs{rule: "-", wall: "|", corner: "+", foot: "+", bar: "|", dot: "*", tabOpen: " ", tabClose: " "}
)

// ThemeNames are the names that Options.Theme takes; "" chooses by the
// terminal's background.
func ThemeNames() []string {
	var names []string
	for _, p := range palettes {
		names = append(names, p.name)
	}
	return names
}

func themeNamed(name string, kind terminalKind) (theme, error) {
	i := slices.IndexFunc(palettes, func(p palette) bool { return p.name == name })
	if i < 0 {
		return theme{}, fmt.Errorf("theme %q: there are %s", name, strings.Join(ThemeNames(), ", "))
	}
	return palettes[i].on(kind), nil
}

// on writes the palette for a terminal.
func (p palette) on(kind terminalKind) theme {
	t := theme{name: p.name, styles: map[ink]sequences{}, alike: map[ink]ink{}, fills: p.fills, glyphs: asciiGlyphs}
	if kind.utf8 {
		t.glyphs = lineGlyphs
	}
	if p.marked {
		t.glyphs.tabOpen, t.glyphs.tabClose = "[", "]"
	}
	// The profile is set: asking the terminal would write to it.
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(kind.profile)
	first := map[look]ink{}
	add := func(i ink, n tint, ground string) {
		as := look{n.hex, ground, n.bold, n.italic, n.reverse}
		if kind.profile == termenv.ANSI {
			as.text, as.ground = n.ansi, n.groundANSI
		}
		if as != (look{}) {
			t.styles[i] = sequencesOf(as.style(r))
		}
		if _, known := first[as]; !known {
			first[as] = i
		}
		t.alike[i] = first[as]
	}
	for i, n := range p.tints {
		ground := n.ground
		if ground == "" && p.fills {
			ground = p.grounds[0]
		}
		add(i, n, ground)
		if i >= inkCount {
			continue
		}
		under := n
		switch {
		case p.flat || kind.profile == termenv.ANSI: // sixteen colours have no quiet ground
			under = tint{hex: p.cursorText, ansi: p.cursorANSI, bold: true}
		case under.hex == "":
			under.hex = p.cursorText
		}
		under.groundANSI = p.cursorGroundANSI
		add(i|inkUnder, under, p.cursorGround)
	}
	return t
}

// look is a tint on a terminal, with "" for the terminal's own colours.
type look struct {
	text, ground          string
	bold, italic, reverse bool
}

func (l look) style(r *lipgloss.Renderer) lipgloss.Style {
	s := r.NewStyle().Inline(true).Bold(l.bold).Italic(l.italic).Reverse(l.reverse)
	if l.text != "" {
		s = s.Foreground(lipgloss.Color(l.text))
	}
	if l.ground != "" {
		s = s.Background(lipgloss.Color(l.ground))
	}
	return s
}

// chooseTheme is the theme for a terminal: no colour where the environment
// asks for none, else by background.
func chooseTheme(env func(string) string, dark func() bool) string {
	switch {
	case env("NO_COLOR") != "" || env("TERM") == "dumb":
		return "mono"
	case dark():
		return "dark"
	}
	return "light"
}

// paint is the line for the terminal, at most width cells.
func (t theme) paint(b *strings.Builder, l line, width int) {
	l = l.truncate(width)
	if t.fills {
		l = l.fit(width)
	}
	for start := 0; start < len(l); {
		text, end := l[start].text, start+1
		for end < len(l) && t.alike[l[end].ink] == t.alike[l[start].ink] {
			text += l[end].text
			end++
		}
		style := sequences{}
		if text != "" {
			style = t.styles[l[start].ink]
		}
		b.WriteString(style.before + text + style.after)
		start = end
	}
}
