package tui

import (
	"fmt"
	"strings"

	"svc/tui/list"
)

// rows is the list in front, nil where there is none.
func (p *dialogue) rows() *list.List { return p.m.screen().rows(p.m.layout()).list }

// list tells rows from the cursor on, with their numbers.
func (p *dialogue) list() {
	l := p.rows()
	if l == nil {
		p.hear("there is no list here")
		return
	}
	for i := l.Cursor(); i < min(l.Len(), l.Cursor()+plainRows); i++ {
		p.tell(fmt.Sprintf("%d: %s", i+1, p.m.screen().spokenRow(p.m.env, i)))
	}
	if l.Len() == 0 {
		p.tell("The list is empty.")
	}
}

// withCommas joins the parts that are not empty.
func withCommas(parts ...string) string {
	var out []string
	for _, part := range parts {
		if part != "" {
			out = append(out, part)
		}
	}
	return strings.Join(out, ", ")
}

// plainText is a line of the screen without its colours.
func plainText(l line) string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.text)
	}
	return b.String()
}

// words is a line of the screen as text; gaps become commas.
func words(l line) string {
	var parts []string
	for _, part := range strings.Split(plainText(l), "  ") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}

// joined is a few lines of the screen in one.
func joined(lines []line) string {
	var parts []string
	for _, l := range lines {
		if text := words(l); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, ", ")
}
