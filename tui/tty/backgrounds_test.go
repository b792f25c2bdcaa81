package tty

import (
	"os"
	"testing"
)

func TestParseBackground(t *testing.T) {
	for answer, want := range map[string]struct{ dark, known bool }{
		"\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\": {true, true}, "\x1b]11;rgb:ff/ff/ee\a": {false, true}, "x\x1b]11;rgb:0/0/0\a": {true, true},
		"\x1b]11;rgb:1e1e/1e1e/1e": {}, "\x1b]11;rgb:1e1e/1e1e\a": {}, "\x1b]11;rgb:zz/00/00\a": {}, "": {},
		"\x1b]11;rgb:1e1e/1e1e/1e1e\x1b": {}, "\x1b]11;rgb:fffff/0/0\a": {},
	} {
		if dark, known := parseBackground(answer); dark != want.dark || known != want.known {
			t.Errorf("%q: dark %v, known %v", answer, dark, known)
		}
	}
}

func TestWithoutAnAnswerColorfgbgDecides(t *testing.T) {
	file, err := os.Open(os.DevNull) // no terminal that could answer
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for value, want := range map[string]bool{"15;0": true, "0;15": false, "0;7": false, "15;8": true, "": true, "default;default": true} {
		if got := Dark(file, file, func(string) string { return value }); got != want {
			t.Errorf("COLORFGBG=%q: dark %v", value, got)
		}
	}
}
