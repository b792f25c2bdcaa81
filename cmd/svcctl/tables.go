package main

import (
	"fmt"
	"strings"
	"time"

	"svc/client/safe"
)

// table writes the kept records as columns. In a pipe nothing is cut; on a
// terminal the last column, free text, ends at its edge.
func (p *printer) table() error {
	var shown []int
	for i, h := range p.heads {
		if p.format == "wide" || !h.wide {
			shown = append(shown, i)
		}
	}
	if len(p.kept) == 0 || len(shown) == 0 {
		return nil
	}
	var lines [][]string
	if !p.noHeaders {
		titles := make([]string, len(shown))
		for i, at := range shown {
			titles[i] = p.heads[at].title
		}
		lines = append(lines, titles)
	}
	for _, r := range p.kept {
		cells := make([]string, len(shown))
		for i, at := range shown {
			if at < len(r.cells) {
				cells[i] = safe.Line(r.cells[at])
			}
		}
		lines = append(lines, cells)
	}
	widths := make([]int, len(shown))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], safe.Width(cell))
		}
	}
	var b strings.Builder
	for n, line := range lines {
		text := p.line(line, widths)
		if n == 0 && !p.noHeaders && p.color {
			text = "\x1b[1m" + text + "\x1b[0m"
		}
		b.WriteString(text)
		b.WriteByte('\n')
	}
	return writeAll(p.out, []byte(b.String()))
}

func (p *printer) line(cells []string, widths []int) string {
	var b strings.Builder
	used := 0
	for i, cell := range cells {
		if i > 0 {
			b.WriteString("  ")
			used += 2
		}
		if i == len(cells)-1 {
			if p.tty && p.width > 0 {
				cell = safe.Truncate(cell, max(p.width-used, 10), "~")
			}
			b.WriteString(cell)
			break
		}
		b.WriteString(cell)
		b.WriteString(strings.Repeat(" ", widths[i]-safe.Width(cell)))
		used += widths[i]
	}
	return strings.TrimRight(b.String(), " ")
}

// when shows a time: its age on a terminal, else RFC 3339 in UTC.
func (p *printer) when(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	if p.tty && (p.format == "table" || p.format == "wide") {
		return age(p.now.Sub(t))
	}
	return t.UTC().Format(time.RFC3339)
}

// age is a duration in its largest unit.
func age(d time.Duration) string {
	switch {
	case d < 0:
		return "0s"
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}
