package tty

import (
	"io"
	"strings"
	"testing"
	"time"
)

func TestStreamPassesKeysWithoutAnswers(t *testing.T) {
	in, out := io.Pipe()
	s := NewStream(in, time.Now)
	go func() {
		for _, part := range []string{"jj\x1b", "[A\x1b]11;rgb:1e1e/1e", "1e/1e1e\ak"} {
			_, _ = io.WriteString(out, part)
		}
		_ = out.Close()
	}()
	var got strings.Builder
	buf := make([]byte, 256)
	for {
		n, err := s.Read(buf)
		got.Write(buf[:n])
		if err != nil {
			break
		}
	}
	if got.String() != "jj\x1b[Ak" {
		t.Errorf("passed %q", got.String())
	}
}

func TestStreamAsksForTheBackground(t *testing.T) {
	none := func(string) string { return "" }
	for answer, dark := range map[string]bool{"\x1b]11;rgb:ffff/ffff/ffff\a": false, "\x1b]11;rgb:0000/0000/0000\x1b\\": true, "jjj": true} {
		in, keys := io.Pipe()
		s := NewStream(in, time.Now)
		go func() {
			_, _ = io.WriteString(keys, answer)
			_ = keys.Close()
		}()
		var asked strings.Builder
		if got := s.Dark(&asked, none); got != dark || asked.String() != "\x1b]11;?\x1b\\\x1b[c" {
			t.Errorf("%q: dark %v, asked %q", answer, got, asked.String())
		}
		s.Close()
	}
}

// TestATerminalThatOnlySaysItsKindIsNotWaitedFor has an hour for the answers.
func TestATerminalThatOnlySaysItsKindIsNotWaitedFor(t *testing.T) {
	for answer, want := range map[string]struct{ dark, known bool }{
		"\x1b[?62;4c": {}, "\x1b[?6c": {}, "\x1b]11;rgb:0000/0000/0000\x1b\\\x1b[?64;1;2c": {true, true}, "\x1b]11;rgb:ffff/ffff/ffff\a\x1b[?1c": {false, true},
	} {
		in, keys := io.Pipe()
		s := NewStream(in, time.Now)
		go func() {
			for _, b := range []byte(answer) {
				_, _ = keys.Write([]byte{b})
			}
		}()
		if dark, known := askBackground(pumped{s}, s.wait, io.Discard, time.Hour); dark != want.dark || known != want.known {
			t.Errorf("%q: dark %v, known %v", answer, dark, known)
		}
		s.Close()
		_ = keys.Close()
	}
}

func TestAClosedStreamEnds(t *testing.T) {
	in, keys := io.Pipe()
	defer keys.Close()
	s := NewStream(in, time.Now)
	s.Close()
	if _, err := s.Read(make([]byte, 256)); err != io.EOF {
		t.Errorf("read %v", err)
	}
}
