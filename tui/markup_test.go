package tui

import (
	"regexp"
	"strings"
)

var inkNames = map[ink]string{
	inkPlain: "plain", inkDim: "dim", inkRule: "rule", inkHeader: "header", inkTab: "tab", inkStrong: "strong", inkKey: "key", inkMark: "mark",
	inkGood: "good", inkWarn: "warn", inkBad: "bad", inkOpen: "open", inkResolved: "resolved", inkClosed: "closed", inkGone: "gone",
	inkWarm: "warm", inkHot: "hot", inkRepeat: "repeat", inkServer: "server", inkChip: "chip", inkQuote: "quote", inkNote: "note", inkPost: "post",
	inkAccent: "accent", inkChosen: "chosen", inkBlue: "blue", inkCyan: "cyan", inkGreen: "green", inkAmber: "amber", inkRed: "red", inkViolet: "violet",
}

func (i ink) String() string {
	if i&inkUnder != 0 {
		return "under " + inkNames[i&^inkUnder]
	}
	return inkNames[i]
}

var sgr = regexp.MustCompile("\x1b\\[([0-9;]*)m")

// opening is the sequence before text of an ink, "" for none.
func (t theme) opening(i ink) string { return t.styles[i].before }

// markedIn is a frame with the names of inks in place of their sequences; inks
// that look alike have the name of the first of them.
func markedIn(t theme, frame string) string {
	names := map[string]string{}
	for _, under := range []ink{0, inkUnder} {
		for i := inkCount - 1; i >= 0; i-- {
			if s := t.opening(i | under); s != "" {
				names[s] = (i | under).String()
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
	t, err := themeNamed("dark", kindOf(trueColour))
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
