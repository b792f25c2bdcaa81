package safe

import (
	"fmt"
	"unicode/utf8"
)

// terminal is a small model of a terminal. It shares no code with the package:
// it does not know which sequences exist, only that a byte outside printable
// text and newline moves it out of its resting state.
type terminal struct {
	state   string // "" while printing
	changes []string
	marks   int
	fresh   bool // nothing was printed on this line yet
}

// drawn feeds text and returns its effect apart from printing lines, "" for
// none. eightBit reads bytes as a terminal that is not set to UTF-8 would,
// except for bytes of a printable character: without those only ASCII would be
// left.
func drawn(text string, eightBit bool) string {
	term := terminal{fresh: true}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 {
			r = rune(text[i])
			if !eightBit {
				term.change("bad byte %#x", r)
			}
		}
		term.feed(r)
		i += size
	}
	if term.state != "" {
		term.change("ends inside %s", term.state)
	}
	if len(term.changes) == 0 {
		return ""
	}
	return term.changes[0]
}

func (t *terminal) change(format string, args ...any) {
	t.changes = append(t.changes, fmt.Sprintf(format, args...))
}

func (t *terminal) feed(r rune) {
	if t.state == "escape" {
		switch r {
		case '[':
			t.state = "control sequence"
		case ']', 'P', 'X', '^', '_':
			t.state = "control string"
		default:
			t.state = ""
			t.change("escape %q", r)
		}
		return
	}
	if t.state == "control sequence" {
		if r >= '@' && r <= '~' {
			t.state = ""
			t.change("control sequence %q", r)
		}
		return
	}
	if t.state == "control string" {
		if r == 7 || r == 0x9c {
			t.state = ""
			t.change("control string")
		}
		return
	}
	switch {
	case r == 0x1b:
		t.state = "escape"
	case r == '\n':
		t.fresh, t.marks = true, 0
	case r < 0x20, r == 0x7f, r >= 0x80 && r < 0xa0:
		t.change("control %#x", r)
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x61c:
		t.change("direction %#x", r)
	case r == 0x2028, r == 0x2029:
		t.change("separator %#x", r)
	case r >= 0xe0000 && r <= 0xe007f, r == 0x200b, r == 0xfeff:
		t.change("hidden %#x", r)
	case r >= 0x300 && r <= 0x36f || r >= 0x20d0 && r <= 0x20ff || r >= 0xfe20 && r <= 0xfe2f:
		t.marks++
		if t.fresh {
			t.change("mark on nothing")
		}
		if t.marks > 4 {
			t.change("stack of marks")
		}
	default:
		t.fresh, t.marks = false, 0
	}
}
