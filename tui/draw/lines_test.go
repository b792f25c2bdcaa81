package draw

import (
	"strings"
	"testing"

	"svc/client/safe"
)

func TestTextIsShortenedAtWords(t *testing.T) {
	const text = "resolve 9xA1q: the server did not answer in time"
	for width, want := range map[int]string{
		60: text, 48: text, 47: "resolve 9xA1q: the server did not answer in...", 46: "resolve 9xA1q: the server did not answer in...",
		44: "resolve 9xA1q: the server did not answer...", 16: "resolve 9xA1q...", 15: "resolve...", 3: "res", 0: "",
	} {
		if got := Shortened(text, width); got != want || safe.Width(got) > width {
			t.Errorf("at %d: %q, want %q", width, got, want)
		}
	}
	if got := Shortened("see https://example.social/a/very/long/address", 30); got != "see https://example.social/..." {
		t.Errorf("an address: %q", got)
	}
	for width := range 60 {
		l := Line{{"resolve 9xA1q: ", InkStrong}, {"日本語 was 日本語", InkPlain}, {" again and again", InkDim}}.Shortened(width)
		if got := PlainText(l); safe.Width(got) > width || width > 3 && !strings.HasSuffix(got, More) && width < 48 {
			t.Errorf("at %d: %q", width, got)
		}
	}
}

func TestALineFlowsBetweenItsParts(t *testing.T) {
	l := Line{{" ana", InkStrong}, {"  local", InkPlain}, {"   tags: ", InkDim}, {"[a] [b]", InkChip}}
	for width, want := range map[int]string{40: " ana  local   tags: [a] [b]", 20: " ana  local   tags: [a] [b]", 12: " ana  local\n tags: [a] [b]", 8: " ana\n local\n tags: [a] [b]"} {
		var got []string
		for _, part := range l.Flow(width) {
			got = append(got, PlainText(part))
		}
		if strings.Join(got, "\n") != want {
			t.Errorf("at %d: %q, want %q", width, got, want)
		}
	}
}

func TestFixedWidthTextHasOneWidthEverywhere(t *testing.T) {
	if got, want := FixedWidth("日本 né 👩‍👩‍👧 مرحبا e\u0301 a"), "日本 né ??? ????? e a"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
