package text

import (
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

const (
	isolateFirst = 0x2066 // LEFT-TO-RIGHT ISOLATE
	isolateLast  = 0x2068 // FIRST STRONG ISOLATE
	isolateEnd   = 0x2069 // POP DIRECTIONAL ISOLATE
)

// Clean returns s as valid UTF-8 without disturbing invisible characters, and
// false if s had a NUL or was not UTF-8, for callers that refuse rather than
// repair.
//
// Line ends become "
// ". Control characters except tab and newline, byte order marks,
// non-characters, and bidirectional embeddings and overrides are removed;
// bidirectional isolates stay, closed at the end of their line, so that none
// reverses later text. Invalid bytes become U+FFFD.
func Clean(s string) (string, bool) {
	if isClean(s) {
		return s, true
	}
	ok := true
	isolates := 0
	b := make([]byte, 0, len(s)+8)
	closeIsolates := func() {
		for ; isolates > 0; isolates-- {
			b = utf8.AppendRune(b, isolateEnd)
		}
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		switch {
		case r == utf8.RuneError && n == 1:
			ok = false
		case r == 0:
			ok = false
			continue
		case r == '\r' || r == 0x85 || r == 0x2028 || r == 0x2029:
			if r == '\r' && i < len(s) && s[i] == '\n' {
				i++
			}
			r = '\n'
		case isolateFirst <= r && r <= isolateLast:
			if isolates == maxDepth {
				continue
			}
			isolates++
		case r == isolateEnd:
			if isolates == 0 {
				continue
			}
			isolates--
		case !shown(r):
			continue
		}
		if r == '\n' {
			closeIsolates()
		}
		b = utf8.AppendRune(b, r)
	}
	closeIsolates()
	return string(b), ok
}

// isClean quickly recognises most clean texts.
func isClean(s string) bool {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
				return false
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || !shown(r) || isolateFirst <= r && r <= isolateEnd {
			return false
		}
		i += n
	}
	return true
}

// shown reports whether r may be in a text.
func shown(r rune) bool {
	switch {
	case r < ' ':
		return r == '\n' || r == '\t'
	case 0x7f <= r && r <= 0x9f, // DEL and C1
		0x2028 <= r && r <= 0x202e, // line ends, embeddings, overrides
		0x206a <= r && r <= 0x206f, // deprecated shaping
		0xfdd0 <= r && r <= 0xfdef, // non-characters
		r == 0xfeff,                // byte order mark
		0xfff9 <= r && r <= 0xfffb, // interlinear annotation
		r&0xfffe == 0xfffe:         // non-characters
		return false
	}
	return true
}

// cleanLine is Clean for one line: line ends and tabs become spaces, and no
// bidirectional control stays.
func cleanLine(s string) string {
	s, _ = Clean(s)
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case isolateFirst <= r && r <= isolateEnd:
			return -1
		}
		return r
	}, s)
}

// Length returns the number of characters (grapheme clusters) in s without the
// space around it.
func Length(s string) int {
	s = strings.TrimSpace(s)
	n := 0
	for len(s) > 0 {
		// Between two ASCII characters there is always a boundary, but for CR LF.
		if s[0] < utf8.RuneSelf && s[0] != '\r' && (len(s) == 1 || s[1] < utf8.RuneSelf) {
			s = s[1:]
		} else {
			_, s, _, _ = uniseg.FirstGraphemeClusterInString(s, -1)
		}
		n++
	}
	return n
}
