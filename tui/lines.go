package tui

import (
	"slices"
	"strings"

	"svc/client/safe"
)

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

// more stands where text was shortened.
const more = "..."

// shortened is text of at most width cells: its last words go, and more says so.
// Only a word that takes much of the width, such as an address, is cut through.
func shortened(text string, width int) string {
	if safe.Width(text) <= width {
		return text
	}
	room := width - safe.Width(more)
	if room < 1 {
		return safe.Truncate(text, width, "")
	}
	cut := safe.Truncate(text, room, "")
	if !strings.HasPrefix(text[len(cut):], " ") {
		if word := strings.LastIndex(cut, " "); word > 0 && safe.Width(cut[word:]) <= width/3 && strings.TrimSpace(cut[:word]) != "" {
			cut = cut[:word]
		}
	}
	return strings.TrimRight(cut, " ,;:") + more
}

// shortened is the line in at most width cells, as shortened cuts texts.
func (l line) shortened(width int) line {
	if l.width() <= width {
		return l
	}
	kept, cut := strings.CutSuffix(shortened(plainText(l), width), more)
	l = l.truncate(safe.Width(kept))
	if cut && len(l) > 0 {
		l = append(slices.Clone(l), span{more, l[len(l)-1].ink})
	}
	return l
}
