package servertest

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
)

// logged bounds the size of a log, in bytes.
const logged = 1 << 20

// Log is the log of a service or the output of a program, as lines of text, without
// the oldest ones. It is read while it is written.
type Log struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *Log) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelInfo}))
}

// Write takes one line.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buf.Write(p)
	if over := l.buf.Len() - logged; over > 0 {
		l.buf.Next(over)
	}
	return len(p), nil
}

// String returns the lines that are kept.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// Lines returns the lines that contain all of these texts.
func (l *Log) Lines(texts ...string) []string {
	var out []string
lines:
	for line := range strings.Lines(l.String()) {
		for _, text := range texts {
			if !strings.Contains(line, text) {
				continue lines
			}
		}
		out = append(out, strings.TrimSuffix(line, "\n"))
	}
	return out
}
