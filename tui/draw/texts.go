package draw

import (
	"strings"

	"svc/client/safe"
)

// Account is an account in a column with its server and its label in their
// inks.
func Account(text string, name Ink) Line {
	nick, label, labelled := strings.Cut(text, " [")
	nick, host, remote := strings.Cut(nick, "@")
	l := Inked(name, nick)
	if remote {
		l = append(l, Span{Text: "@" + host, Ink: InkServer})
	}
	if labelled {
		l = append(l, Span{Text: " [" + label, Ink: InkWarn})
	}
	return l
}

// Indent wraps text behind a first line's label.
func Indent(label string, text safe.Safe, width int) []Line {
	return IndentIn(InkPlain, label, text, width)
}

// IndentIn is indent with the text in an ink of its own.
func IndentIn(ink Ink, label string, text safe.Safe, width int) []Line {
	var lines []Line
	pad := safe.Width(label)
	if pad > width/2 {
		lines, pad = append(lines, Inked(InkDim, label)), 3
		label = "   "
	}
	for i, part := range safe.Wrap(text.String(), width-pad) {
		if i > 0 {
			label = strings.Repeat(" ", pad)
		}
		lines = append(lines, Line{{Text: label, Ink: InkDim}, {Text: part, Ink: ink}})
	}
	return lines
}
