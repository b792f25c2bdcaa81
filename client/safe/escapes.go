package safe

import (
	"strings"
	"unicode/utf8"
)

const (
	esc = '\x1b'
	st8 = '\u009c'
)

// skipEscapes drops whole escape sequences (ECMA-48, 7 and 8 bit) from valid
// UTF-8. A control string that is never ended loses only its introducer: a
// terminal would swallow all that follows, but here the rest is evidence.
func skipEscapes(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r == esc || r >= 0x80 && r <= 0x9f }) {
		return text
	}
	// Past the last end of a control string none can end; not looking again
	// keeps a text full of introducers from costing its square.
	lastEnd := strings.LastIndexFunc(text, endsString)
	var b strings.Builder
	b.Grow(len(text))
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == esc && i >= lastEnd && i+1 < len(text) && startsString(text[i+1]):
			i += 2
		case r == esc:
			i += escapeLen(text[i:])
		case r == '\u009b':
			i += size + controlLen(text[i+size:])
		case r == '\u0090', r == '\u0098', r == '\u009d', r == '\u009e', r == '\u009f':
			i += size
			if i <= lastEnd {
				i += stringLen(text[i:])
			}
		default:
			b.WriteString(text[i : i+size])
			i += size
		}
	}
	return b.String()
}

func startsString(c byte) bool { return c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_' }

func endsString(r rune) bool {
	return r == '\a' || r == st8 || r == esc || r == '\x18' || r == '\x1a'
}

// escapeLen is the length of the sequence that starts with the ESC at text[0].
func escapeLen(text string) int {
	if len(text) < 2 {
		return len(text)
	}
	switch c := text[1]; {
	case c == '[':
		return 2 + controlLen(text[2:])
	case startsString(c):
		return 2 + stringLen(text[2:])
	case c >= 0x20 && c <= 0x2f:
		n := 2
		for n < len(text) && text[n] >= 0x20 && text[n] <= 0x2f {
			n++
		}
		if n < len(text) && text[n] >= 0x30 && text[n] <= 0x7e {
			n++
		}
		return n
	case c >= 0x30 && c <= 0x7e:
		return 2
	}
	return 1
}

// controlLen is the length of parameters, intermediates and final byte after
// a control sequence introducer; a byte that fits none of them is not taken.
func controlLen(text string) int {
	n := 0
	for n < len(text) && text[n] >= 0x30 && text[n] <= 0x3f {
		n++
	}
	for n < len(text) && text[n] >= 0x20 && text[n] <= 0x2f {
		n++
	}
	if n < len(text) && text[n] >= 0x40 && text[n] <= 0x7e {
		n++
	}
	return n
}

// stringLen is the length of a control string up to and including its end:
// BEL, ESC \ or U+009C; 0 if it has none.
func stringLen(text string) int {
	for i, r := range text {
		switch {
		case r == '\a':
			return i + 1
		case r == st8:
			return i + 2
		case r == esc && strings.HasPrefix(text[i+1:], `\`):
			return i + 2
		case r == esc, r == '\x18', r == '\x1a':
			return i // cancelled by the next sequence, or by CAN or SUB
		}
	}
	return 0
}
