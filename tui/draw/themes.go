package draw

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// Theme is a palette as a terminal writes it.
type Theme struct {
	Name   string
	styles map[Ink]sequences // without one, text is written as it is
	alike  map[Ink]Ink       // the first ink with the same style
	fills  bool              // lines are painted to their ends
	Glyphs Glyphs
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

// Glyphs are the characters of lines and marks, each a cell wide everywhere.
type Glyphs struct {
	Rule, Wall        string // lines between panes
	Corner, Foot      string // of a question
	Bar               string // at the left of a post, and in countdowns
	Dot               string
	TabOpen, TabClose string // around the tab in front
}

var (
	// LineGlyphs are for terminals with UTF-8.
	LineGlyphs = Glyphs{Rule: "─", Wall: "│", Corner: "╭", Foot: "╰", Bar: "▌", Dot: "●", TabOpen: " ", TabClose: " "}
	// ASCIIGlyphs are for other terminals, and for plain mode.
	ASCIIGlyphs = Glyphs{Rule: "-", Wall: "|", Corner: "+", Foot: "+", Bar: "|", Dot: "*", TabOpen: " ", TabClose: " "}
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

// ThemeNamed is a theme for the terminal that the environment describes.
func ThemeNamed(name string, env func(string) string) (Theme, error) {
	i := slices.IndexFunc(palettes, func(p palette) bool { return p.name == name })
	if i < 0 {
		return Theme{}, fmt.Errorf("theme %q: there are %s", name, strings.Join(ThemeNames(), ", "))
	}
	return palettes[i].on(kindOf(env)), nil
}

// on writes the palette for a terminal.
func (p palette) on(kind terminalKind) Theme {
	t := Theme{Name: p.name, styles: map[Ink]sequences{}, alike: map[Ink]Ink{}, fills: p.fills, Glyphs: ASCIIGlyphs}
	if kind.utf8 {
		t.Glyphs = LineGlyphs
	}
	if p.marked {
		t.Glyphs.TabOpen, t.Glyphs.TabClose = "[", "]"
	}
	// The profile is set: asking the terminal would write to it.
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(kind.profile)
	first := map[look]Ink{}
	add := func(i Ink, n tint, ground string) {
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
		add(i|InkUnder, under, p.cursorGround)
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

// ChooseTheme is the theme for a terminal: no colour where the environment
// asks for none, else by background.
func ChooseTheme(env func(string) string, dark func() bool) string {
	switch {
	case env("NO_COLOR") != "" || env("TERM") == "dumb":
		return "mono"
	case dark():
		return "dark"
	}
	return "light"
}

// Paint is the line for the terminal, at most width cells.
func (t Theme) Paint(b *strings.Builder, l Line, width int) {
	l = l.Truncate(width)
	if t.fills {
		l = l.Fit(width)
	}
	for start := 0; start < len(l); {
		text, end := l[start].Text, start+1
		for end < len(l) && t.alike[l[end].Ink] == t.alike[l[start].Ink] {
			text += l[end].Text
			end++
		}
		style := sequences{}
		if text != "" {
			style = t.styles[l[start].Ink]
		}
		b.WriteString(style.before + text + style.after)
		start = end
	}
}
