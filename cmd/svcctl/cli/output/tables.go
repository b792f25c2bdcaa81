package output

import (
	"strings"
	"time"

	"svc/client/safe"
)

// table writes the kept records as columns. In a pipe nothing is cut; on a
// terminal the last column, free text, ends at its edge.
func (p *Printer) table() error {
	if p.carded() && len(p.kept) == 1 && p.kept[0].Card != "" {
		return writeAll(p.out, []byte(p.kept[0].Card))
	}
	var shown []int
	for i, h := range p.heads {
		if p.Format() == "wide" || !h.Wide {
			shown = append(shown, i)
		}
	}
	if len(p.kept) == 0 || len(shown) == 0 {
		return nil
	}
	var lines [][]string
	if !p.opts.NoHeaders {
		titles := make([]string, len(shown))
		for i, at := range shown {
			titles[i] = p.heads[at].Title
		}
		lines = append(lines, titles)
	}
	for _, r := range p.kept {
		cells := make([]string, len(shown))
		for i, at := range shown {
			if at < len(r.Cells) {
				cells[i] = safe.Line(r.Cells[at])
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
		if n == 0 && !p.opts.NoHeaders && p.screen.Color {
			text = "\x1b[1m" + text + "\x1b[0m"
		}
		b.WriteString(text)
		b.WriteByte('\n')
	}
	return writeAll(p.out, []byte(b.String()))
}

func (p *Printer) line(cells []string, widths []int) string {
	var b strings.Builder
	used := 0
	for i, cell := range cells {
		if i > 0 {
			b.WriteString("  ")
			used += 2
		}
		if i == len(cells)-1 {
			if p.screen.Terminal && p.screen.Width > 0 {
				cell = safe.Truncate(cell, max(p.screen.Width-used, 10), "~")
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

// When shows a time: its age on a terminal, else RFC 3339 in UTC.
func (p *Printer) When(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	if p.screen.Terminal && (p.Format() == "table" || p.Format() == "wide") {
		return safe.Age(p.now.Sub(t))
	}
	return t.UTC().Format(time.RFC3339)
}
