package tty

import (
	"io"
	"os"
	"strings"
	"testing"
)

func TestAScreenWritesWhatChanged(t *testing.T) {
	var out strings.Builder
	s := NewScreen(&out)
	written := func(want string) {
		t.Helper()
		if got := out.String(); got != want {
			t.Errorf("it wrote %q, want %q", got, want)
		}
		out.Reset()
	}
	s.Draw("a\nb\nc")
	written("") // the shell's screen is still shown
	if _, err := io.WriteString(s, "\x1b[?1049h"); err != nil {
		t.Fatal(err)
	}
	const whole = "\x1b[1;1Ha\x1b[K\x1b[2;1Hb\x1b[K\x1b[3;1Hc\x1b[K"
	written("\x1b[?1049h" + whole)
	s.Draw("a\nb\nc")
	written("")
	s.Draw("a\nB\nc")
	written("\x1b[2;1HB\x1b[K")

	s.Resize(4, 4)
	s.Draw("a\nB\nc")
	written("\x1b[1;1Ha\x1b[K\x1b[2;1HB\x1b[K\x1b[3;1Hc\x1b[K\x1b[4;1H\x1b[J")
	// After a full line EraseLineRight would erase the line's last character.
	s.Draw("\x1b[1mfull\x1b[0m\nwider\nc\nd\ntoo many")
	written("\x1b[1;1H\x1b[1mfull\x1b[0m\x1b[2;1Hwide\x1b[4;1Hd\x1b[K")
	s.Draw("\x1b[1mfull\x1b[0m\nwider")
	written("\x1b[3;1H\x1b[J")

	// Bubbletea's own sequences are followed by the frame, but for the last ones.
	s.Draw("a")
	out.Reset()
	if n, err := s.Write([]byte("\x1b[?25l")); n != 6 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	written("\x1b[?25l\x1b[1;1Ha\x1b[K\x1b[2;1H\x1b[J")
	_, _ = io.WriteString(s, "\x1b[?1049l")
	s.Draw("b")
	written("\x1b[?1049l")
	_, _ = io.WriteString(s, "\x1b[?1049h\x1b[2J")
	written("\x1b[?1049h\x1b[2J\x1b[1;1Hb\x1b[K\x1b[2;1H\x1b[J")
}

// TestAScreenOfAFileIsWrittenThroughTheScreen sees that nothing of the file's own
// methods leads past the screen.
func TestAScreenOfAFileIsWrittenThroughTheScreen(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/terminal")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	s := NewScreen(file)
	out := s.Output(file)
	if f, ok := out.(interface{ Fd() uintptr }); !ok || f.Fd() != file.Fd() {
		t.Errorf("%T is no terminal", out)
	}
	if _, ok := out.(io.ReaderFrom); ok {
		t.Errorf("%T is written around the screen", out)
	}
	s.Draw("a")
	if _, err := io.WriteString(out, "\x1b[?1049h"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file.Name())
	if want := "\x1b[?1049h\x1b[1;1Ha\x1b[K"; err != nil || string(text) != want {
		t.Errorf("it wrote %q, want %q, %v", text, want, err)
	}
}
