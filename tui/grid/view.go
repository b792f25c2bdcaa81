package grid

import (
	"cmp"
	"fmt"
	"strings"

	"svc/client/safe"
	"svc/tui/desk"
	"svc/tui/draw"
	"svc/tui/keys"
	"svc/tui/shown"
	"svc/tui/tables"
)

// height is the number of rows; below them the one under the cursor stands in
// full, where there is room.
func (s *Screen) height(d draw.Layout) int {
	below := s.Noun.Below
	if s.Noun.BelowIn != "" && s.query().State == s.Noun.BelowIn {
		below = 0
	}
	switch {
	case d.Evidence == 0 || s.beside(d) || below < 0 || d.Body < 3*(below+1):
		return d.Body - 1
	case below > 0:
		return d.Body - 2 - below
	}
	return d.Body - 2 - min(9, d.Body/3)
}

// besideNoun is the width from which a table has all of the row beside it.
const besideNoun = 120

// tableWidth is the width of a table with all of the row beside it.
func tableWidth(d draw.Layout) int { return d.Width * 11 / 20 }

func (s *Screen) beside(d draw.Layout) bool {
	return s.Noun.Beside && d.Evidence > 0 && d.Width >= besideNoun
}

func (s *Screen) Draw(m *desk.Env, d draw.Layout) []draw.Line {
	if !s.beside(d) {
		return s.drawTable(m, d)
	}
	whole := d.Width
	d.Width, d.Evidence = tableWidth(d), 0 // all of the table is rows
	table := s.drawTable(m, d)
	right := whole - d.Width - 3
	var form []draw.Line
	if s.banner.String() != "" {
		for _, text := range safe.Wrap("(!) "+s.banner.String(), right-1) {
			form = append(form, draw.Inked(draw.InkBad, " "+text))
		}
	}
	if r, ok := s.under(); ok {
		form = append(form, s.rowLines(m, r, right)...)
	}
	lines := make([]draw.Line, d.Body)
	for i := range lines {
		if i < len(table) {
			for _, part := range table[i] { // the wall must stand where it stands in every terminal
				lines[i] = append(lines[i], draw.Span{Text: draw.FixedWidth(part.Text), Ink: part.Ink})
			}
		}
		lines[i] = append(lines[i].Fit(d.Width), draw.Span{Text: " " + m.Theme.Glyphs.Wall, Ink: draw.InkRule})
		if i < len(form) {
			lines[i] = append(lines[i], form[i].Truncate(right)...)
		}
	}
	return lines
}

// drawTable draws the rows, and below them all of the one under the cursor where there
// is room.
func (s *Screen) drawTable(m *desk.Env, d draw.Layout) []draw.Line {
	lines := []draw.Line{draw.Inked(draw.InkDim, "    "+s.heads(d.Width))}
	height := s.height(d)
	if s.Len() == 0 {
		return append(lines, nil, s.Nothing(m))
	}
	from, to := s.Window(height)
	for i := from; i < to; i++ {
		l := s.drawRow(m, s.At(i).Row, i == s.Cursor(), d.Width)
		if i == s.Cursor() {
			l = l.Fit(d.Width)
		}
		lines = append(lines, l)
	}
	if height == d.Body-1 {
		return lines
	}
	for len(lines) < height+1 {
		lines = append(lines, nil)
	}
	lines = append(lines, m.Rule(d.Width))
	if s.banner.String() != "" {
		lines = append(lines, draw.Inked(draw.InkBad, " (!) "+s.banner.String()))
	}
	if r, ok := s.under(); ok {
		lines = append(lines, s.rowLines(m, r, d.Width)...)
	}
	return lines
}

// Nothing says why there are no rows.
func (s *Screen) Nothing(m *desk.Env) draw.Line {
	empty := s.Noun.Empty
	for _, v := range s.Noun.Verbs {
		empty = strings.ReplaceAll(empty, "{"+v.Name+"}", m.Keys.Key(keys.VerbCommand(s.Noun, v)))
	}
	things, again := cmp.Or(s.Noun.Things, s.Noun.Name), "; "+m.Keys.Key(keys.Refresh)+" tries again"
	switch {
	case s.failed.String() != "":
		return draw.Inked(draw.InkBad, "    "+things+" could not be loaded: "+s.failed.String()+again)
	case s.loading || s.at.IsZero():
		return draw.Inked(draw.InkDim, "    loading "+things)
	case s.filter.Text != "":
		return draw.Plain("    nothing matches /" + safe.Line(s.filter.Text) + "; " + m.Keys.Key(keys.Back) + " shows all")
	}
	return draw.Plain("    " + empty)
}

// wideColumns is the width from which columns marked as wide are drawn.
const wideColumns = 100

// lastColumn is the last one that is drawn, which has the room that is left.
func (s *Screen) lastColumn(width int) int {
	last := len(s.Noun.Columns) - 1
	for last > 0 && !DrawnColumn(s.Noun.Columns[last], width) {
		last--
	}
	return last
}

// DrawnColumn reports whether a column is on a screen of a width.
func DrawnColumn(c tables.Column, width int) bool {
	return !c.Saved && (!c.Wide || width >= wideColumns)
}

// columnWidth is the width of a column that is not the last one: one that gives way
// leaves to those behind it what they need.
func (s *Screen) columnWidth(c tables.Column, width int) int {
	if c.Least == 0 {
		return c.Width
	}
	const lead, gap = 4, 1
	room := width - lead - gap
	for i, other := range s.Noun.Columns {
		if other != c && DrawnColumn(other, width) && i != s.lastColumn(width) {
			room -= other.Width + gap
		}
	}
	return max(c.Least, min(c.Width, room))
}

func (s *Screen) heads(width int) string {
	var b strings.Builder
	last := s.lastColumn(width)
	for i, c := range s.Noun.Columns {
		switch {
		case !DrawnColumn(c, width):
		case i == last:
			b.WriteString(c.Head)
		default:
			b.WriteString(safe.Fit(c.Head, s.columnWidth(c, width)) + " ")
		}
	}
	return b.String()
}

func (s *Screen) drawRow(m *desk.Env, row int, cursor bool, width int) draw.Line {
	r := s.Objects[s.ID(row)]
	lead, ink := []byte("    "), draw.InkPlain
	if cursor {
		lead[0] = '>'
	}
	if s.Marked(row) {
		lead[1], ink = '*', draw.InkMark
	}
	l := draw.Line{{Text: string(lead), Ink: ink}}
	last := s.lastColumn(width)
	for i, c := range s.Noun.Columns {
		if !DrawnColumn(c, width) {
			continue
		}
		text, own := r.Cells[i].String(), ink
		if look, special := lookInks[c.Look]; special {
			own = look
		}
		if c.Tone {
			own = toneInks[r.Tone]
			if wish := m.Wish(r.Target); wish != "" {
				text, own = wish, draw.InkWarn
			}
		}
		room := s.columnWidth(c, width)
		switch reason := m.Troubles[r.Target]; {
		case c.Look == tables.Account:
			label := m.LikeStaff(r.Person)
			l = append(l, draw.Account(safe.Fit(safe.Truncate(text, room-safe.Width(label), "~")+label, room)+" ", draw.InkPlain)...)
		case i != last:
			l = append(l, draw.Span{Text: safe.Fit(safe.Truncate(text, room, "~"), room) + " ", Ink: own})
		case reason != "":
			l = append(l, draw.Span{Text: "! " + reason, Ink: draw.InkBad}).LastShortened(width)
		case c.Look == tables.Outcome:
			outcome, rest, _ := strings.Cut(text, " ")
			l = append(l, draw.Span{Text: outcome, Ink: draw.StateInk(outcome)}, draw.Span{Text: " " + rest, Ink: draw.InkPlain}).LastShortened(width)
		default:
			l = append(l, draw.Span{Text: text, Ink: own}).LastShortened(width)
		}
	}
	if cursor {
		return l.UnderCursor()
	}
	return l
}

var lookInks = map[tables.Look]draw.Ink{tables.Chip: draw.InkChip, tables.Faint: draw.InkDim, tables.Name: draw.InkStrong}

var toneInks = map[tables.Tone]draw.Ink{tables.Plain: draw.InkPlain, tables.Good: draw.InkGood, tables.Warn: draw.InkWarn, tables.Bad: draw.InkBad, tables.Dim: draw.InkDim}

// allOf is all of a row, with the text behind its warning once that was opened.
func (s *Screen) allOf(m *desk.Env, r tables.Row) []tables.Detail {
	if r.Behind.String() == "" {
		return r.More
	}
	text := r.Behind
	if !s.opened[r.ID] {
		text = safe.Clean(safe.Raw("hidden behind a warning; " + m.Keys.Key(keys.ShowCW) + " shows it"))
	}
	return append([]tables.Detail{{Text: text}}, r.More...)
}

// rowLines is all of a row in lines.
func (s *Screen) rowLines(m *desk.Env, r tables.Row, width int) []draw.Line {
	lines := detailLines(s.allOf(m, r), width)
	if reason := m.Troubles[r.Target]; reason != "" {
		lines = append(lines, draw.Inked(draw.InkBad, " ! "+reason))
	}
	return lines
}

func detailLines(details []tables.Detail, width int) []draw.Line {
	var lines []draw.Line
	for _, d := range details {
		label := d.Label
		if label != "" {
			label += ": "
		}
		for i, text := range safe.Wrap(d.Text.String(), max(1, width-2-safe.Width(label))) {
			if i > 0 {
				label = safe.Fit("", safe.Width(label))
			}
			lines = append(lines, draw.Line{{Text: " " + label, Ink: draw.InkDim}, {Text: text, Ink: draw.InkPlain}})
		}
	}
	return lines
}

func (s *Screen) Spoken(m *desk.Env) []string {
	if s.Len() == 0 {
		return []string{shown.Sentence(draw.Words(s.Nothing(m)))}
	}
	lines := []string{fmt.Sprintf("%d of %d: %s", s.Cursor()+1, s.Len(), s.SpokenRow(m, s.Cursor()))}
	if s.banner.String() != "" {
		lines = append(lines, shown.Sentence(s.banner.String()))
	}
	if r, ok := s.under(); ok {
		for _, d := range s.allOf(m, r) {
			lines = append(lines, detailWords(d))
		}
		if reason := m.Troubles[r.Target]; reason != "" {
			lines = append(lines, shown.Sentence("failed: "+reason))
		}
	}
	return lines
}

func detailWords(d tables.Detail) string {
	return strings.TrimPrefix(d.Label+": "+d.Text.OneLine().String(), ": ")
}

func (s *Screen) SpokenRow(m *desk.Env, i int) string {
	r := s.Objects[s.ID(s.At(i).Row)]
	var parts []string
	for j, c := range s.Noun.Columns {
		if text := r.Cells[j].String(); text != "" && !c.Saved {
			parts = append(parts, strings.ToLower(c.Head)+" "+text)
		}
	}
	return shown.WithCommas(append(parts, m.Wish(r.Target))...)
}

func (s *Screen) Sheet() desk.Sheet {
	out := desk.Sheet{Name: s.Noun.Name}
	for _, c := range s.Noun.Columns {
		if !c.Unsaved {
			out.Heads = append(out.Heads, strings.ReplaceAll(strings.ToLower(c.Head), " ", "_"))
		}
	}
	for _, row := range s.Shown() {
		var cells []string
		for i, cell := range s.Objects[s.ID(row)].Cells {
			if !s.Noun.Columns[i].Unsaved {
				cells = append(cells, cell.String())
			}
		}
		out.Rows = append(out.Rows, cells)
	}
	return out
}
