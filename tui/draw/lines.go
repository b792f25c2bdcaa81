// Package draw has what a frame of the terminal program is made of: lines of text in
// inks, the themes that give an ink its look, and how a terminal of some size is
// divided. It knows no screen, no key and no server.
package draw

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/bidi"

	"svc/client/safe"
)

// Span is text in one ink. The text must be printable: of this program's own
// wording or from package safe.
type Span struct {
	Text string
	Ink  Ink
}

// Line is one line of the screen.
type Line []Span

// Plain is text in the ink of most.
func Plain(text string) Line { return Line{{text, InkPlain}} }

// Inked is text in an ink.
func Inked(i Ink, text string) Line { return Line{{text, i}} }

// UnderCursor is the line on the ground of the cursor.
func (l Line) UnderCursor() Line {
	out := make(Line, len(l))
	for n, s := range l {
		out[n] = Span{s.Text, s.Ink | InkUnder}
	}
	return out
}

// Width is the number of cells.
func (l Line) Width() int {
	width := 0
	for _, s := range l {
		width += safe.Width(s.Text)
	}
	return width
}

// Fit cuts the line, or fills it with spaces, to exactly width cells.
func (l Line) Fit(width int) Line {
	l = l.Truncate(width)
	if missing := width - l.Width(); missing > 0 {
		last := InkPlain
		if len(l) > 0 {
			last = l[len(l)-1].Ink
		}
		l = append(slices.Clone(l), Span{strings.Repeat(" ", missing), last})
	}
	return l
}

// Truncate cuts the line to at most width cells.
func (l Line) Truncate(width int) Line {
	for i, s := range l {
		w := safe.Width(s.Text)
		if w > width {
			return append(slices.Clone(l[:i]), Span{safe.Truncate(s.Text, width, ""), s.Ink})
		}
		width -= w
	}
	return l
}

// More stands where text was shortened.
const More = "..."

// Shortened is text of at most width cells: its last words go, and more says so.
// Only a word that takes much of the width, such as an address, is cut through.
func Shortened(text string, width int) string {
	if safe.Width(text) <= width {
		return text
	}
	room := width - safe.Width(More)
	if room < 1 {
		return safe.Truncate(text, width, "")
	}
	cut := safe.Truncate(text, room, "")
	if !strings.HasPrefix(text[len(cut):], " ") {
		if word := strings.LastIndex(cut, " "); word > 0 && safe.Width(cut[word:]) <= width/3 && strings.TrimSpace(cut[:word]) != "" {
			cut = cut[:word]
		}
	}
	return strings.TrimRight(cut, " ,;:") + More
}

// Shortened is the line in at most width cells, as shortened cuts texts.
func (l Line) Shortened(width int) Line {
	if l.Width() <= width {
		return l
	}
	kept, cut := strings.CutSuffix(Shortened(PlainText(l), width), More)
	l = l.Truncate(safe.Width(kept))
	if cut && len(l) > 0 {
		l = append(slices.Clone(l), Span{More, l[len(l)-1].Ink})
	}
	return l
}

// LastShortened is the line with its last span shortened, for rows of a table.
func (l Line) LastShortened(width int) Line {
	last := len(l) - 1
	if last < 0 || l.Width() <= width {
		return l
	}
	room := width - l[:last].Width()
	if room < 1 {
		return l
	}
	return append(slices.Clone(l[:last]), Span{Shortened(l[last].Text, room), l[last].Ink})
}

// Wrapped breaks the line between spans, and a span of its own between words.
func (l Line) Wrapped(width int) []Line {
	var lines []Line
	for _, part := range l.Flow(width) {
		if len(part) != 1 || part.Width() <= width {
			lines = append(lines, part.Shortened(width))
			continue
		}
		text := strings.TrimLeft(part[0].Text, " ")
		indent := part[0].Text[:len(part[0].Text)-len(text)]
		for _, words := range safe.Wrap(text, max(1, width-len(indent))) {
			lines = append(lines, Inked(part[0].Ink, indent+words))
		}
	}
	return lines
}

// Flow breaks the line between spans where it is wider than width.
func (l Line) Flow(width int) []Line {
	var lines []Line
	var now Line
	used := 0
	for _, s := range l {
		w := safe.Width(s.Text)
		if used+w > width && used > 1 && strings.HasPrefix(s.Text, " ") {
			lines, now, used = append(lines, now), Plain(" "), 1
			s.Text = strings.TrimLeft(s.Text, " ")
			w = safe.Width(s.Text)
		}
		now, used = append(now, s), used+w
	}
	return append(lines, now)
}

// FixedWidth is text of one width in every terminal, for columns with something to
// their right: clusters that terminals draw with different widths, and text that
// runs to the left, become question marks.
func FixedWidth(text string) string {
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

// Spread puts right at the end of a line of this width.
func Spread(left, right Line, width int) Line {
	left = left.Truncate(max(0, width-right.Width()))
	gap := width - left.Width() - right.Width()
	return append(append(slices.Clone(left), Span{strings.Repeat(" ", max(0, gap)), InkPlain}), right...)
}

// PlainText is a line of the screen without its colours.
func PlainText(l Line) string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Words is a line of the screen as text; gaps become commas.
func Words(l Line) string {
	var parts []string
	for _, part := range strings.Split(PlainText(l), "  ") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}

// Joined is a few lines of the screen in one.
func Joined(lines []Line) string {
	var parts []string
	for _, l := range lines {
		if text := Words(l); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, ", ")
}
