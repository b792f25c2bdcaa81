package tui

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"svc/tui/draw"
)

var inkNames = map[draw.Ink]string{
	draw.InkPlain: "plain", draw.InkDim: "dim", draw.InkRule: "rule", draw.InkHeader: "header", draw.InkTab: "tab", draw.InkStrong: "strong", draw.InkKey: "key", draw.InkMark: "mark",
	draw.InkGood: "good", draw.InkWarn: "warn", draw.InkBad: "bad", draw.InkOpen: "open", draw.InkResolved: "resolved", draw.InkClosed: "closed", draw.InkGone: "gone",
	draw.InkWarm: "warm", draw.InkHot: "hot", draw.InkRepeat: "repeat", draw.InkServer: "server", draw.InkChip: "chip", draw.InkQuote: "quote", draw.InkNote: "note", draw.InkPost: "post",
	draw.InkAccent: "accent", draw.InkChosen: "chosen", draw.InkBlue: "blue", draw.InkCyan: "cyan", draw.InkGreen: "green", draw.InkAmber: "amber", draw.InkRed: "red", draw.InkViolet: "violet",
}

// inkName is the name of an ink in markup.
func inkName(i draw.Ink) string {
	if i&draw.InkUnder != 0 {
		return "under " + inkNames[i&^draw.InkUnder]
	}
	return inkNames[i]
}

var sgr = regexp.MustCompile("\x1b\\[([0-9;]*)m")

// opening is the sequence before text of an ink, "" for none.
func opening(t draw.Theme, i draw.Ink) string {
	var b strings.Builder
	t.Paint(&b, draw.Inked(i, "x"), 1)
	before, _, _ := strings.Cut(b.String(), "x")
	return before
}

// markedIn is a frame with the names of inks in place of their sequences; inks
// that look alike have the name of the first of them.
func markedIn(t draw.Theme, frame string) string {
	names := map[string]string{}
	for _, under := range []draw.Ink{0, draw.InkUnder} {
		for _, i := range slices.Backward(slices.Sorted(maps.Keys(inkNames))) {
			if s := opening(t, i|under); s != "" {
				names[s] = inkName(i | under)
			}
		}
	}
	return sgr.ReplaceAllStringFunc(frame, func(s string) string {
		if s == "\x1b[0m" {
			return "‹›"
		}
		return "‹" + names[s] + "›"
	})
}

func marked(frame string) string {
	t, err := draw.ThemeNamed("dark", trueColour)
	if err != nil {
		panic(err)
	}
	return markedIn(t, frame)
}

// trueColour is the environment of a terminal that can show all there is.
func trueColour(name string) string {
	return map[string]string{"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}[name]
}

// trimmed has no spaces at the ends of lines.
func trimmed(frame string) string {
	lines := strings.Split(frame, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// TestStatesAgesAndWordsHaveInks reads the markup of a frame.
func TestStatesAgesAndWordsHaveInks(t *testing.T) {
	d := beginIn(t, newWorld(t), 120, 40, t.TempDir(), Options{Theme: "dark"})
	d.press("jr")
	frame := marked(d.m.View())
	for _, want := range []string{
		"‹tab› 1 Reports 16 ‹›", "‹warn›open", "‹warn›resolve 4s", "‹repeat›       9", "‹warm›   5h", "‹server›@bad.example", "‹quote›", "‹post› Win big today", "‹rule›▌", "‹under plain›>    9m",
	} {
		if !strings.Contains(frame, want) {
			t.Errorf("%q is not in\n%s", want, frame)
		}
	}
}
