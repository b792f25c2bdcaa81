package tui

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"svc/tui/tty"
)

// ink is the meaning of a piece of text; a theme gives it a look. Words always
// repeat the meaning of a colour.
type ink int

const (
	inkPlain  ink = iota
	inkDim        // rules, units, ended things
	inkHeader     // the line at the top
	inkCursor     // the row under the cursor
	inkStrong     // names, heads
	inkMark       // marked rows and posts
	inkGood       // live, done
	inkWarn       // staged, waiting, look-alikes
	inkBad        // failed, offline
)

// theme is the style of each ink; one without styles writes none.
type theme struct {
	name   string
	styles map[ink]lipgloss.Style
}

var themes = []theme{dark(), light(), {name: "mono"}}

// sixteen renders in the terminal's own sixteen colours, which its owner chose.
// The profile is set, since asking the terminal would write to it.
func sixteen() *lipgloss.Renderer {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(termenv.ANSI)
	return r
}

func colour(r *lipgloss.Renderer, number string) lipgloss.Style {
	return r.NewStyle().Inline(true).Foreground(lipgloss.Color(number))
}

func dark() theme {
	r := sixteen()
	return theme{"dark", map[ink]lipgloss.Style{
		inkDim: colour(r, "8"), inkHeader: r.NewStyle().Inline(true).Reverse(true),
		inkCursor: colour(r, "15").Background(lipgloss.Color("4")).Bold(true), inkStrong: r.NewStyle().Inline(true).Bold(true),
		inkMark: colour(r, "14"), inkGood: colour(r, "10"), inkWarn: colour(r, "11"), inkBad: colour(r, "9"),
	}}
}

func light() theme {
	r := sixteen()
	return theme{"light", map[ink]lipgloss.Style{
		inkDim: colour(r, "8"), inkHeader: r.NewStyle().Inline(true).Reverse(true),
		inkCursor: colour(r, "0").Background(lipgloss.Color("14")).Bold(true), inkStrong: r.NewStyle().Inline(true).Bold(true),
		inkMark: colour(r, "4"), inkGood: colour(r, "2"), inkWarn: colour(r, "5"), inkBad: colour(r, "1"),
	}}
}

// ThemeNames are the names that Options.Theme takes; "" chooses by the
// terminal's background.
func ThemeNames() []string {
	var names []string
	for _, t := range themes {
		names = append(names, t.name)
	}
	return names
}

func themeNamed(name string) (theme, error) {
	i := slices.IndexFunc(themes, func(t theme) bool { return t.name == name })
	if i < 0 {
		return theme{}, fmt.Errorf("theme %q: there are %s", name, strings.Join(ThemeNames(), ", "))
	}
	return themes[i], nil
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

// paint is the line for the terminal, at most width cells.
func (t theme) paint(b *strings.Builder, l line, width int) {
	for _, s := range l.truncate(width) {
		if style, ok := t.styles[s.ink]; ok && s.text != "" {
			b.WriteString(style.Render(s.text))
		} else {
			b.WriteString(s.text)
		}
	}
}
