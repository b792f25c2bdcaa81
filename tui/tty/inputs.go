// Package tty is the terminal below the program, which may be on another machine:
// it keeps late and unasked answers of terminals out of the keys, asks for the
// background before the program starts, and draws its frames. It imports nothing of
// this module.
package tty

import (
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

const (
	// escapeWait is how long the rest of an escape sequence may take to follow
	// its ESC before that counts as the key.
	escapeWait = 20 * time.Millisecond
	// replyWait is how long a control string may pause before it counts as over.
	replyWait = 2 * time.Second
	// maxReply is the longest control string in bytes: a clipboard, encoded.
	maxReply = 1 << 20
)

// Input is standard input without unasked or late answers of the terminal.
//
// It embeds the file so that bubbletea still finds a terminal to set to raw
// mode and to wait on.
type Input struct {
	*os.File
	keys
}

// NewInput filters the input of file.
func NewInput(file *os.File, now func() time.Time) *Input {
	more := func(wait time.Duration) bool { return readable(file.Fd(), wait) }
	return &Input{file, keys{from: file, more: more, now: now}}
}

// Read returns 0 and no error when all that arrived was dropped.
func (in *Input) Read(p []byte) (int, error) { return in.keys.Read(p) }

// keys is input without OSC, DCS, APC, PM and SOS strings, of which the program
// would take the content for keys, and without answers to DA1. A sequence may be spread over several reads; a
// lone ESC is passed on if nothing follows it.
type keys struct {
	from   io.Reader
	filter replyFilter
	// more reports whether another byte arrives within the time given.
	more func(time.Duration) bool
	now  func() time.Time
}

func (in *keys) Read(p []byte) (int, error) {
	if len(p) <= maxHeld {
		return 0, io.ErrShortBuffer
	}
	n := 0
	for {
		buf := make([]byte, len(p)-n-maxHeld)
		read, err := in.from.Read(buf)
		n += copy(p[n:], in.filter.pass(buf[:read], in.now()))
		if err != nil || !in.filter.undecided() || len(p)-n <= maxHeld+1 {
			return n, err
		}
		if !in.more(escapeWait) {
			n += copy(p[n:], in.filter.give())
			return n, nil
		}
	}
}

// Is reports whether f is a terminal.
func Is(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// maxHeld is the most bytes that the filter keeps back as undecided.
const maxHeld = 64

type filterState int

const (
	ground   filterState = iota
	escaped              // after ESC
	sequence             // inside CSI or after ESC O
	reply                // inside a control string
	replyEsc             // inside a control string, after ESC
)

// replyFilter drops control strings from a stream of bytes.
type replyFilter struct {
	state filterState
	held  []byte // of a sequence that is not decided yet
	first bool   // the introducer ended its read: it may be alt and a key
	kind  byte   // of the control string: ] P X ^ _
	size  int
	last  time.Time
}

// pass returns the keys in data.
func (f *replyFilter) pass(data []byte, now time.Time) []byte {
	if f.state == reply && now.Sub(f.last) > replyWait {
		f.state = ground
	}
	f.last = now
	out := make([]byte, 0, len(data)+len(f.held))
	for i, c := range data {
		out = f.step(out, c)
		if f.state == reply && f.size == 0 {
			f.first = i == len(data)-1
		}
	}
	return out
}

func (f *replyFilter) step(out []byte, c byte) []byte {
	switch f.state {
	case ground:
		if c == 0x1b {
			f.state, f.held = escaped, append(f.held[:0], c)
			return out
		}
		return append(out, c)
	case escaped:
		switch c {
		case ']', 'P', 'X', '^', '_':
			f.state, f.kind, f.size, f.held = reply, c, 0, f.held[:0]
			return out
		case '[', 'O':
			f.state, f.held = sequence, append(f.held, c)
			return out
		case 0x1b:
			return append(out, 0x1b) // the first was a key, the second is held
		}
		f.state = ground
		return f.flush(append(f.held, c), out)
	case sequence:
		if c == 0x1b {
			out = f.flush(f.held, out)
			f.state, f.held = escaped, append(f.held[:0], c)
			return out
		}
		f.held = append(f.held, c)
		if c >= 0x40 && c <= 0x7e || c < 0x20 || c > 0x7e || len(f.held) >= maxHeld {
			f.state = ground
			if c == 'c' && f.held[2] == '?' {
				f.held = f.held[:0] // the kind of terminal (see question)
				return out
			}
			return f.flush(f.held, out)
		}
		return out
	case replyEsc:
		if c == '\\' {
			f.state = ground
			return out
		}
		f.state, f.held = escaped, append(f.held[:0], 0x1b)
		return f.step(out, c)
	}
	// Inside a control string.
	f.size++
	switch {
	case f.size == 1 && f.first && !startsReply(f.kind, c):
		// A person typed alt and the introducer; this is the next key.
		f.state = ground
		return f.step(out, c)
	case c == 0x1b:
		f.state = replyEsc
	case c == '\a', c == 0x18, c == 0x1a, f.size > maxReply:
		f.state = ground
	case c < 0x20: // enter, ctrl-c: no reply holds these
		f.state = ground
		return append(out, c)
	}
	return out
}

// startsReply recognises answers of terminals that arrive cut after their
// introducer.
func startsReply(kind, c byte) bool {
	switch kind {
	case ']':
		return c >= '0' && c <= '9' || c == 'l' || c == 'L'
	case 'P':
		return c >= '0' && c <= '9' || c == '>' || c == '!' || c == '$' || c == '+'
	case '_':
		return c == 'G'
	}
	return false
}

func (f *replyFilter) flush(bytes, out []byte) []byte {
	out = append(out, bytes...)
	f.held = f.held[:0]
	return out
}

// undecided reports whether the last bytes may be a key as well as the start of
// a sequence. A sequence that already has parameters is typed by no one, and
// waits for its end however long it takes.
func (f *replyFilter) undecided() bool {
	return f.state == escaped || f.state == sequence && len(f.held) == 2
}

// give ends the waiting: the bytes held back count as keys.
func (f *replyFilter) give() []byte {
	f.state = ground
	out := append([]byte(nil), f.held...)
	f.held = f.held[:0]
	return out
}
