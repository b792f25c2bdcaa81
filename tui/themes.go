package tui

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"svc/client/safe"
	"svc/tui/tty"
)

// ink is what a piece of text means; a theme says how that looks. What a
// colour tells is always said in words too.
type ink int

const (
	inkPlain  ink = iota
	inkDim        // rules, units, what is over
	inkHeader     // the line at the top
	inkCursor     // the row under the cursor
	inkStrong     // names, heads
	inkMark       // marked rows and posts
	inkGood       // live, done
	inkWarn       // staged, waiting, look-alikes
	inkBad        // failed, offline
	inks
)

// theme is the SGR parameters of each ink, "" for none.
type theme struct {
	name string
	sgr  [inks]string
}

var themes = []theme{
	{"dark", [inks]string{inkDim: "90", inkHeader: "7", inkCursor: "1;97;44", inkStrong: "1", inkMark: "96", inkGood: "92", inkWarn: "93", inkBad: "91"}},
	{"light", [inks]string{inkDim: "90", inkHeader: "7", inkCursor: "1;30;106", inkStrong: "1", inkMark: "34", inkGood: "32", inkWarn: "35", inkBad: "31"}},
	{"mono", [inks]string{}},
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

// span is text in one ink. The text must be printable: of this program's own
// wording or from package safe.
type span struct {
	text string
	ink  ink
}

type line []span

func plain(text string) line { return line{{text, inkPlain}} }

func inked(i ink, text string) line { return line{{text, i}} }

// over gives every span the same ink.
func (l line) over(i ink) line {
	out := make(line, len(l))
	for n, s := range l {
		out[n] = span{s.text, i}
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
	l = l.cut(width)
	if missing := width - l.width(); missing > 0 {
		last := inkPlain
		if len(l) > 0 {
			last = l[len(l)-1].ink
		}
		l = append(slices.Clone(l), span{strings.Repeat(" ", missing), last})
	}
	return l
}

func (l line) cut(width int) line {
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
	for _, s := range l.cut(width) {
		if sgr := t.sgr[s.ink]; sgr != "" && s.text != "" {
			b.WriteString("\x1b[" + sgr + "m" + s.text + "\x1b[0m")
		} else {
			b.WriteString(s.text)
		}
	}
}
