package safe

import (
	"bytes"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON returns document with every character a terminal could act on, which
// encoders leave raw, written \uXXXX: DEL, C1, bidirectional controls, tag
// characters, line separators. The data it stands for is unchanged; bytes
// that are not UTF-8 become \ufffd. document must be valid JSON, so that such
// characters stand in strings only.
func JSON(document []byte) []byte {
	if !bytes.ContainsFunc(document, escaped) {
		return document
	}
	out := make([]byte, 0, len(document)+32)
	for i := 0; i < len(document); {
		r, size := utf8.DecodeRune(document[i:])
		switch {
		case !escaped(r):
			out = append(out, document[i:i+size]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		i += size
	}
	return out
}

func escaped(r rune) bool {
	switch {
	case r == '\n' || r == '\r' || r == '\t':
		return false
	case r < ' ', r >= 0x7f && r <= 0x9f, r == utf8.RuneError, r == '\u2028', r == '\u2029':
		return true
	}
	return reorders(r) || isTag(r)
}
