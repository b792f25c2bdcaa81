package tty

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
)

// Screen draws frames on a terminal, each as soon as it is made. Bubbletea's own
// renderer looks for a frame by a clock: a key waits for its next look, and a program
// at rest wakes a hundred times a second. Here bubbletea keeps the terminal's modes
// only, and writes them through the screen, which draws its frame again after them.
type Screen struct {
	mu            sync.Mutex
	out           io.Writer
	on            bool // the alternate screen, on which alone frames are drawn
	width, height int  // 0 before they are known
	frame         string
	lines         []string // on the terminal, nil where that is unknown
}

// NewScreen draws on out.
func NewScreen(out io.Writer) *Screen { return &Screen{out: out} }

// Output is the screen for bubbletea, which tells by a file that the terminal has
// a size of its own.
func (s *Screen) Output(terminal io.Writer) io.Writer {
	if file, ok := terminal.(*os.File); ok {
		return screenFile{file, s}
	}
	return s
}

// screenFile has no methods of the file that write around the screen.
type screenFile struct {
	terminal
	*Screen
}

type terminal interface {
	io.ReadCloser
	Fd() uintptr
}

const altOn, altOff = "\x1b[?1049h", "\x1b[?1049l"

// Write sends bubbletea's own sequences to the terminal, and draws the frame again.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if on, off := bytes.LastIndex(p, []byte(altOn)), bytes.LastIndex(p, []byte(altOff)); on != off {
		s.on = on > off
	}
	s.lines = nil
	all := append(bytes.Clone(p), s.changes()...)
	if _, err := s.out.Write(all); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Resize makes the next Draw write every line: after a change of its size a terminal
// shows lines moved or cut.
func (s *Screen) Resize(width, height int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.width, s.height, s.lines = width, height, nil
}

// Draw puts a frame on the terminal, of which only lines that changed are written.
// A failed write is ignored: the input of a terminal that is gone ends too.
func (s *Screen) Draw(frame string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if frame == s.frame && s.lines != nil {
		return
	}
	s.frame = frame
	if text := s.changes(); len(text) > 0 {
		_, _ = s.out.Write(text)
	}
}

// changes writes what turns the lines on the terminal into the frame.
func (s *Screen) changes() []byte {
	if !s.on || s.frame == "" {
		return nil
	}
	var b bytes.Buffer
	lines := strings.Split(s.frame, "\n")
	if s.height > 0 && len(lines) > s.height {
		lines = lines[:s.height]
	}
	for i, line := range lines {
		if i < len(s.lines) && s.lines[i] == line {
			continue
		}
		b.WriteString("\x1b[" + strconv.Itoa(i+1) + ";1H")
		wide := ansi.StringWidth(line)
		if s.width > 0 && wide > s.width {
			line, wide = ansi.Truncate(line, s.width, ""), s.width
		}
		b.WriteString(line)
		if wide < s.width || s.width == 0 { // after a full line this erases its last character
			b.WriteString(ansi.EraseLineRight)
		}
	}
	if len(lines) < s.height && (s.lines == nil || len(lines) < len(s.lines)) {
		b.WriteString("\x1b[" + strconv.Itoa(len(lines)+1) + ";1H" + ansi.EraseScreenBelow)
	}
	s.lines = lines
	return b.Bytes()
}
