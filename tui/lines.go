package tui

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/bidi"

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

// inked is text in an ink.
func inked(i ink, text string) line { return line{{text, i}} }

// underCursor is the line on the ground of the cursor.
func (l line) underCursor() line {
	out := make(line, len(l))
	for n, s := range l {
		out[n] = span{s.text, s.ink | inkUnder}
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

// lastShortened is the line with its last span shortened, for rows of a table.
func (l line) lastShortened(width int) line {
	last := len(l) - 1
	if last < 0 || l.width() <= width {
		return l
	}
	room := width - l[:last].width()
	if room < 1 {
		return l
	}
	return append(slices.Clone(l[:last]), span{shortened(l[last].text, room), l[last].ink})
}

// wrapped breaks the line between spans, and a span of its own between words.
func (l line) wrapped(width int) []line {
	var lines []line
	for _, part := range l.flow(width) {
		if len(part) != 1 || part.width() <= width {
			lines = append(lines, part.shortened(width))
			continue
		}
		text := strings.TrimLeft(part[0].text, " ")
		indent := part[0].text[:len(part[0].text)-len(text)]
		for _, words := range safe.Wrap(text, max(1, width-len(indent))) {
			lines = append(lines, inked(part[0].ink, indent+words))
		}
	}
	return lines
}

// flow breaks the line between spans where it is wider than width.
func (l line) flow(width int) []line {
	var lines []line
	var now line
	used := 0
	for _, s := range l {
		w := safe.Width(s.text)
		if used+w > width && used > 1 && strings.HasPrefix(s.text, " ") {
			lines, now, used = append(lines, now), plain(" "), 1
			s.text = strings.TrimLeft(s.text, " ")
			w = safe.Width(s.text)
		}
		now, used = append(now, s), used+w
	}
	return append(lines, now)
}

// fixedWidth is text of one width in every terminal, for columns with something to
// their right: clusters that terminals draw with different widths, and text that
// runs to the left, become question marks.
func fixedWidth(text string) string {
	var b strings.Builder
	for _, r := range text {
		p, _ := bidi.LookupRune(r)
		switch direction := p.Class(); {
		case r < 0x7f:
			b.WriteRune(r)
		case unicode.Is(unicode.M, r) || r == '\u200d': // belongs to the one before
		case !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsPunct(r), direction == bidi.R, direction == bidi.AL:
			b.WriteByte('?')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
