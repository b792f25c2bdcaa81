package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Phrase is a filtered phrase: these characters in any case and, with
// WholeWord, not within longer words. No character is special.
type Phrase struct {
	lowered string
	whole   bool
}

// NewPhrase returns the phrase of a text without surrounding spaces. An empty
// one matches nothing.
func NewPhrase(s string, wholeWord bool) Phrase {
	return Phrase{lowered: Lower(strings.TrimSpace(s)), whole: wholeWord}
}

// Lower returns a text in the form for In.
func Lower(s string) string { return strings.ToLower(s) }

// In reports whether a lowered text contains the phrase. With WholeWord, a
// phrase that begins or ends with a letter, a digit or an underscore must begin
// or end a word there.
func (p Phrase) In(lowered string) bool {
	if p.lowered == "" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(p.lowered)
	last, _ := utf8.DecodeLastRuneInString(p.lowered)
	for rest, at := lowered, 0; ; {
		i := strings.Index(rest, p.lowered)
		if i < 0 {
			return false
		}
		start := at + i
		end := start + len(p.lowered)
		before, _ := utf8.DecodeLastRuneInString(lowered[:start])
		after, _ := utf8.DecodeRuneInString(lowered[end:])
		within := inWord(first) && start > 0 && inWord(before) || inWord(last) && end < len(lowered) && inWord(after)
		if !p.whole || !within {
			return true
		}
		_, size := utf8.DecodeRuneInString(lowered[start:])
		at = start + size
		rest = lowered[at:]
	}
}

func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_'
}
