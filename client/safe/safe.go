// Package safe makes text of strangers harmless for a terminal: names, statuses,
// comments of reports and HTML that came over the network.
//
//	fmt.Println(safe.Clean(safe.Raw(account.DisplayName)))
//
// Raw is text as it came, Safe is text that may be shown, and Clean is the only
// conversion: Safe has no exported field, so a view that takes a Safe gets nothing
// else. The package also measures, cuts and wraps text by the cells of a terminal,
// says ages in four of them, and writes JSON whose bytes are inert while its data stays exact.
//
// It does no I/O and imports nothing of this module.
package safe

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Raw is text that somebody else wrote.
type Raw string

// Safe is text that can be printed: no control characters except newline, no
// escape sequences, nothing that reorders or hides its neighbours. The zero
// value is the empty text.
type Safe struct{ text string }

func (s Safe) String() string { return s.text }

// constant can only be given as an untyped string constant by other packages.
type constant string

// Own makes a text of the program's own wording printable.
func Own(text constant) Safe { return Safe{string(text)} }

// Join puts parts together with sep between them, leaving empty parts out.
func Join(sep constant, parts ...Safe) Safe {
	texts := make([]string, 0, len(parts))
	for _, part := range parts {
		if part.text != "" {
			texts = append(texts, part.text)
		}
	}
	return Safe{strings.Join(texts, string(sep))}
}

// OneLine returns s with every run of white space turned into one space.
func (s Safe) OneLine() Safe { return Safe{strings.Join(strings.Fields(s.text), " ")} }

// Line is Clean for a cell: one line without leading, trailing or doubled
// white space.
func Line(text string) string { return Clean(Raw(text)).OneLine().text }

// Text is Clean for text of several lines.
func Text(text string) string { return Clean(Raw(text)).text }

const (
	tabWidth = 4
	// Four marks over one letter write every living language; more is a stack
	// that paints over the lines above.
	maxMarks = 4
)

// Clean makes raw printable. Whole escape sequences go, as do C0 (except
// newline), DEL and C1; a tab becomes four spaces, U+2028 and U+2029 become
// newlines. Bidirectional controls and tag characters are spelled out as
// <U+202E>. Characters that print nothing are dropped; the two joiners stay
// where they join something. At most four combining marks follow one letter,
// and none a space.
// Bytes that are not UTF-8 become U+FFFD.
func Clean(raw Raw) Safe {
	if plain(raw) {
		return Safe{string(raw)}
	}
	text := skipEscapes(strings.ToValidUTF8(string(raw), "\uFFFD"))
	var b strings.Builder
	b.Grow(len(text))
	var base, last rune // base: last that is no mark; last: last written
	marks := 0
	for i, r := range text {
		switch {
		case r == '\n' || r == '\u2028' || r == '\u2029':
			b.WriteByte('\n')
			base, last, marks = 0, '\n', 0
		case r == '\t':
			b.WriteString(strings.Repeat(" ", tabWidth))
			base, last, marks = 0, ' ', 0
		case unicode.IsControl(r):
		case reorders(r) || isTag(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
			base, last, marks = '>', '>', 0
		case r == '\u200D' || r == '\u200C':
			next, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
			if joins(r, base, last, next) {
				b.WriteRune(r)
				last = r
			}
		case invisible(r):
		case unicode.Is(unicode.M, r):
			if base == 0 || marks == maxMarks {
				continue
			}
			marks++
			b.WriteRune(r)
			last = r
		default:
			b.WriteRune(r)
			base, last, marks = r, r, 0
			if unicode.IsSpace(r) {
				base = 0
			}
		}
	}
	return Safe{b.String()}
}

func plain(raw Raw) bool {
	for i := 0; i < len(raw); i++ {
		if c := raw[i]; c != '\n' && (c < ' ' || c > '~') {
			return false
		}
	}
	return true
}

// reorders reports the controls that change the order in which text is drawn.
func reorders(r rune) bool {
	return r == '\u061C' || r == '\u200E' || r == '\u200F' ||
		r >= '\u202A' && r <= '\u202E' || r >= '\u2066' && r <= '\u2069'
}

func isTag(r rune) bool { return r >= 0xE0000 && r <= 0xE007F }

// invisible reports characters without width. Their only use is to make two
// names differ that look alike. Variation selectors are marks and not here.
func invisible(r rune) bool {
	switch {
	case r == '\u034F', r == '\u115F', r == '\u1160', r == '\u3164', r == '\uFFA0':
		return true
	case unicode.Is(unicode.Cf, r):
		return !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
	}
	return false
}

// joins reports whether a joiner between last and next is part of a cluster: an
// emoji sequence, or a script that writes with joiners. base is the character
// that last, if it is a mark, belongs to.
func joins(joiner, base, last, next rune) bool {
	if last == '\u200C' || last == '\u200D' || base == 0 {
		return false
	}
	if joiner == '\u200D' && pictographic(base) && pictographic(next) {
		return true
	}
	return unicode.In(base, joiningScripts...) && unicode.In(next, joiningScripts...)
}

var joiningScripts = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Nko, unicode.Devanagari, unicode.Bengali,
	unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada,
	unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan,
}

func pictographic(r rune) bool {
	return r >= 0x1F000 && r <= 0x1FAFF || r >= 0x2190 && r <= 0x2BFF && unicode.In(r, unicode.So, unicode.Sm)
}
