package output

import (
	"slices"
	"strings"
	"time"

	"svc/client/safe"
)

const (
	gap = 2 // cells between columns
	// These are the cells that a column of text keeps, the first one more, since it
	// names the object. Where that does not fit, columns are left out.
	leastText  = 16
	leastLast  = 16
	leastPair  = 8 // the last one beside the first alone
	leastFirst = 24
)

// table writes the kept records as columns, or a single one as its card. In a pipe
// nothing is cut; on a terminal no line is wider than it.
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
	rows := make([][]string, len(p.kept))
	widths := make([]int, len(p.heads))
	for i, h := range p.heads {
		if !p.opts.NoHeaders {
			widths[i] = safe.Width(h.Title)
		}
	}
	for n, r := range p.kept {
		rows[n] = make([]string, len(p.heads))
		for _, at := range shown {
			if at < len(r.Cells) {
				rows[n][at] = safe.Line(r.Cells[at])
				widths[at] = max(widths[at], safe.Width(rows[n][at]))
			}
		}
	}
	if p.screen.Terminal && p.screen.Width > 0 {
		all := shown
		shown = p.fit(shown, widths)
		p.tellLeftOut(all, shown)
	}
	var b strings.Builder
	if !p.opts.NoHeaders {
		titles := make([]string, len(p.heads))
		for i, h := range p.heads {
			titles[i] = h.Title
		}
		text := line(titles, shown, widths)
		if p.screen.Color {
			text = "\x1b[1m" + text + "\x1b[0m"
		}
		b.WriteString(text + "\n")
	}
	for _, cells := range rows {
		b.WriteString(line(cells, shown, widths) + "\n")
	}
	return writeAll(p.out, []byte(b.String()))
}

// fit narrows the widest columns of text until a line has room on the screen, and
// leaves out columns when that is not enough. It returns those that are left and
// changes widths.
func (p *Printer) fit(shown []int, widths []int) []int {
	shown = slices.Clone(shown)
	for _, at := range shown {
		if !p.heads[at].Whole {
			widths[at] = min(widths[at], p.screen.Width)
		}
	}
	least := func() int {
		sum := gap * (len(shown) - 1)
		for _, at := range shown {
			sum += p.least(shown, at, widths)
		}
		return sum
	}
	for len(shown) > 1 && least() > p.screen.Width {
		at := p.leastImportant(shown)
		if at < 0 {
			break
		}
		shown = slices.Delete(shown, at, at+1)
	}
	for {
		sum, widest := gap*(len(shown)-1), -1
		for _, at := range shown {
			sum += widths[at]
			if widths[at] > p.least(shown, at, widths) && (widest < 0 || widths[at] >= widths[widest]) {
				widest = at
			}
		}
		if sum <= p.screen.Width {
			return shown
		}
		if widest < 0 { // what is of use only as a whole
			return shown
		}
		widths[widest]--
	}
}

// least is the width to which a column is narrowed, if it must be.
func (p *Printer) least(shown []int, at int, widths []int) int {
	if p.heads[at].Whole {
		return widths[at]
	}
	n := leastText
	switch at {
	case shown[0]:
		n = leastFirst
	case shown[len(shown)-1]:
		if n = leastLast; len(shown) == 2 {
			n = leastPair
		}
	}
	return min(widths[at], max(n, safe.Width(p.heads[at].Title)))
}

// leastImportant is where in shown the column stands that is left out first: the
// last one that is for wide tables, or else of minor use, or else neither the first
// nor the last. It is -1 when none may be left out.
func (p *Printer) leastImportant(shown []int) int {
	for _, kind := range []func(i int, h Head) bool{
		func(_ int, h Head) bool { return h.Wide },
		func(_ int, h Head) bool { return h.Minor },
		func(i int, _ Head) bool { return i < len(shown)-1 },
		func(int, Head) bool { return true },
	} {
		for i, at := range slices.Backward(shown) {
			if i > 0 && !p.heads[at].Whole && kind(i, p.heads[at]) {
				return i
			}
		}
	}
	return -1
}

// tellLeftOut names the columns that have no room.
func (p *Printer) tellLeftOut(all, shown []int) {
	var titles []string
	for _, at := range all {
		if !slices.Contains(shown, at) {
			titles = append(titles, p.heads[at].Title)
		}
	}
	if len(titles) > 0 && p.screen.Note != nil {
		p.screen.Note("no room for " + strings.Join(titles, ", ") + "; --fields chooses")
	}
}

// line is a row of the table. The last column is not filled up.
func line(cells []string, shown []int, widths []int) string {
	var b strings.Builder
	for i, at := range shown {
		if i > 0 {
			b.WriteString(strings.Repeat(" ", gap))
		}
		cell := safe.Truncate(cells[at], widths[at], "~")
		b.WriteString(cell)
		if i < len(shown)-1 {
			b.WriteString(strings.Repeat(" ", widths[at]-safe.Width(cell)))
		}
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
