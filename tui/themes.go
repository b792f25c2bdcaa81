package tui

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/muesli/termenv"

	"svc/tui/tty"
)

// theme is a palette as a terminal writes it.
type theme struct {
	name   string
	styles map[ink]string // the sequence before text; without one it is written as it is
	// marked has characters where other themes have colour alone.
	marked bool
	fills  bool // lines are painted to their ends
	glyphs glyphs
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
	t := theme{name: p.name, styles: map[ink]string{}, marked: p.marked, fills: p.fills, glyphs: asciiGlyphs}
	if kind.utf8 {
		t.glyphs = lineGlyphs
	}
	if p.marked {
		t.glyphs.tabOpen, t.glyphs.tabClose = "[", "]"
	}
	for i, n := range p.tints {
		ground := n.ground
		if ground == "" && p.fills {
			ground = p.grounds[0]
		}
		t.styles[i] = sequence(kind.profile, n, ground)
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
		t.styles[i|inkUnder] = sequence(kind.profile, under, p.cursorGround)
	}
	return t
}

// sequence is the SGR sequence of a tint on a ground, "" for none.
func sequence(profile termenv.Profile, n tint, ground string) string {
	var codes []string
	for code, on := range map[string]bool{"1": n.bold, "3": n.italic, "7": n.reverse} {
		if on {
			codes = append(codes, code)
		}
	}
	slices.Sort(codes)
	text, back := n.hex, ground
	if profile == termenv.ANSI {
		text, back = n.ansi, n.groundANSI
	}
	if text != "" {
		codes = append(codes, profile.Color(text).Sequence(false))
	}
	if back != "" {
		codes = append(codes, profile.Color(back).Sequence(true))
	}
	if len(codes) == 0 {
		return ""
	}
	return "\x1b[" + strings.Join(codes, ";") + "m"
}

// chooseTheme is the theme for a terminal: no colour where the environment
// asks for none, else by background.
func chooseTheme(in, out *os.File, env func(string) string) string {
	switch {
	case env("NO_COLOR") != "" || env("TERM") == "dumb":
		return "mono"
	case tty.Dark(in, out, env):
		return "dark"
	}
	return "light"
}

const reset = "\x1b[0m"

// paint is the line for the terminal, at most width cells.
func (t theme) paint(b *strings.Builder, l line, width int) {
	l = l.truncate(width)
	if t.fills {
		l = l.fit(width)
	}
	now := ""
	for _, s := range l {
		style := t.styles[s.ink]
		if s.text == "" {
			continue
		}
		if style != now {
			if now != "" {
				b.WriteString(reset)
			}
			b.WriteString(style)
			now = style
		}
		b.WriteString(s.text)
	}
	if now != "" {
		b.WriteString(reset)
	}
}
