package tty

import (
	"io"
	"sync"
	"time"
)

// streamWait is the time for the answer of a terminal on another machine about its
// background.
const streamWait = 500 * time.Millisecond

// Stream is the input of a terminal on another machine, without its unasked or late
// answers.
type Stream struct {
	keys
	arrived chan []byte
	rest    []byte
	err     error // why arrived was closed
	over    chan struct{}
	close   sync.Once
}

// NewStream filters the input of r, which is read until it ends or the stream is
// closed and has something more.
func NewStream(r io.Reader, now func() time.Time) *Stream {
	s := &Stream{arrived: make(chan []byte), over: make(chan struct{})}
	s.keys = keys{from: pumped{s}, more: s.wait, now: now}
	go s.pump(r)
	return s
}

// Close ends reading.
func (s *Stream) Close() { s.close.Do(func() { close(s.over) }) }

func (s *Stream) pump(r io.Reader) {
	defer close(s.arrived)
	for {
		buf := make([]byte, 4096)
		n, err := r.Read(buf)
		if n > 0 {
			select {
			case s.arrived <- buf[:n]:
			case <-s.over:
				s.err = io.EOF
				return
			}
		}
		if err != nil {
			s.err = err
			return
		}
	}
}

// wait reports whether something can be read within the time given.
func (s *Stream) wait(d time.Duration) bool {
	if len(s.rest) > 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case s.rest = <-s.arrived:
		return true // the end can be read too
	case <-timer.C:
		return false
	case <-s.over:
		return false
	}
}

// pumped is the input as it arrives.
type pumped struct{ *Stream }

func (s pumped) Read(p []byte) (int, error) {
	if len(s.rest) == 0 {
		select {
		case s.rest = <-s.arrived:
		case <-s.over:
			return 0, io.EOF
		}
		if len(s.rest) == 0 {
			return 0, s.err
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// Dark reports whether the terminal has a dark background: by its answer, else
// by COLORFGBG, else yes.
func (s *Stream) Dark(out io.Writer, env func(string) string) bool {
	dark, known := askBackground(pumped{s}, s.wait, out, streamWait)
	return known && dark || !known && darkByEnv(env)
}
