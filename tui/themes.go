package tui

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"svc/client/safe"
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
func chooseTheme(env func(string) string, dark func() bool) string {
	switch {
	case env("NO_COLOR") != "" || env("TERM") == "dumb":
		return "mono"
	case dark():
		return "dark"
	}
	return "light"
}

// span is text in one ink. The text must be printable: of this program's own
// wording or from package safe.
type span struct {
	text string
	ink  ink
}

type line []span

func plain(text string) line { return line{{text, inkPlain}} }

func inked(i ink, text string) line { return line{{text, i}} }

// underCursor is the line in the cursor's ink.
func (l line) underCursor() line {
	out := make(line, len(l))
	for n, s := range l {
		out[n] = span{s.text, inkCursor}
	}
	return out
}

func (l line) width() int {
	width := 0
	for _, s := range l {
		width += safe.Width(s.text)
	}
	return width
}

// fit cuts the line, or fills it with spaces, to exactly width cells.
func (l line) fit(width int) line {
	l = l.truncate(width)
	if missing := width - l.width(); missing > 0 {
		last := inkPlain
		if len(l) > 0 {
			last = l[len(l)-1].ink
		}
		l = append(slices.Clone(l), span{strings.Repeat(" ", missing), last})
	}
	return l
}

func (l line) truncate(width int) line {
	for i, s := range l {
		w := safe.Width(s.text)
		if w > width {
			return append(slices.Clone(l[:i]), span{safe.Truncate(s.text, width, ""), s.ink})
		}
		width -= w
	}
	return l
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
