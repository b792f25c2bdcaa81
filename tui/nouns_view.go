package tui

import (
	"cmp"
	"fmt"
	"strings"

	"svc/client/safe"
	"svc/tui/list"
	"svc/tui/tables"
)

// height is the number of rows; below them the one under the cursor stands in
// full, where there is room.
func (s *nounScreen) height(d layout) int {
	below := s.noun.Below
	if s.noun.BelowIn != "" && s.query().State == s.noun.BelowIn {
		below = 0
	}
	switch {
	case d.evidence == 0 || s.beside(d) || below < 0 || d.body < 3*(below+1):
		return d.body - 1
	case below > 0:
		return d.body - 2 - below
	}
	return d.body - 2 - min(9, d.body/3)
}

// besideNoun is the width from which a table has all of the row beside it.
const besideNoun = 120

// tableWidth is the width of a table with all of the row beside it.
func tableWidth(d layout) int { return d.width * 11 / 20 }

func (s *nounScreen) beside(d layout) bool {
	return s.noun.Beside && d.evidence > 0 && d.width >= besideNoun
}

func (s *nounScreen) draw(m *env, d layout) []line {
	if !s.beside(d) {
		return s.drawTable(m, d)
	}
	whole := d.width
	d.width, d.evidence = tableWidth(d), 0 // all of the table is rows
	table := s.drawTable(m, d)
	right := whole - d.width - 3
	var form []line
	if s.banner.String() != "" {
		for _, text := range safe.Wrap("(!) "+s.banner.String(), right-1) {
			form = append(form, inked(inkBad, " "+text))
		}
	}
	if r, ok := s.under(); ok {
		form = append(form, s.rowLines(m, r, right)...)
	}
	lines := make([]line, d.body)
	for i := range lines {
		if i < len(table) {
			for _, part := range table[i] { // the wall must stand where it stands in every terminal
				lines[i] = append(lines[i], span{fixedWidth(part.text), part.ink})
			}
		}
		lines[i] = append(lines[i].fit(d.width), span{" " + m.theme.glyphs.wall, inkRule})
		if i < len(form) {
			lines[i] = append(lines[i], form[i].truncate(right)...)
		}
	}
	return lines
}

// drawTable draws the rows, and below them all of the one under the cursor where there
// is room.
func (s *nounScreen) drawTable(m *env, d layout) []line {
	lines := []line{inked(inkDim, "    "+s.heads(d.width))}
	height := s.height(d)
	if s.Len() == 0 {
		return append(lines, nil, s.nothing(m))
	}
	from, to := s.Window(height)
	for i := from; i < to; i++ {
		l := s.drawRow(m, s.At(i).Row, i == s.Cursor(), d.width)
		if i == s.Cursor() {
			l = l.fit(d.width)
		}
		lines = append(lines, l)
	}
	if height == d.body-1 {
		return lines
	}
	for len(lines) < height+1 {
		lines = append(lines, nil)
	}
	lines = append(lines, m.rule(d.width))
	if s.banner.String() != "" {
		lines = append(lines, inked(inkBad, " (!) "+s.banner.String()))
	}
	if r, ok := s.under(); ok {
		lines = append(lines, s.rowLines(m, r, d.width)...)
	}
	return lines
}

// nothing says why there are no rows.
func (s *nounScreen) nothing(m *env) line {
	empty := s.noun.Empty
	for _, v := range s.noun.Verbs {
		empty = strings.ReplaceAll(empty, "{"+v.Name+"}", m.keys.key(verbCommand(s.noun, v)))
	}
	return m.nothing(cmp.Or(s.noun.Things, s.noun.Name), empty, s.loading || s.at.IsZero(), s.failed, s.filter)
}

// wideColumns is the width from which columns marked as wide are drawn.
const wideColumns = 100

// lastColumn is the last one that is drawn, which has the room that is left.
func (s *nounScreen) lastColumn(width int) int {
	last := len(s.noun.Columns) - 1
	for last > 0 && !drawnColumn(s.noun.Columns[last], width) {
		last--
	}
	return last
}

// drawnColumn reports whether a column is on a screen of a width.
func drawnColumn(c tables.Column, width int) bool {
	return !c.Saved && (!c.Wide || width >= wideColumns)
}

// columnWidth is the width of a column that is not the last one: one that gives way
// leaves to those behind it what they need.
func (s *nounScreen) columnWidth(c tables.Column, width int) int {
	if c.Least == 0 {
		return c.Width
	}
	const lead, gap = 4, 1
	room := width - lead - gap
	for i, other := range s.noun.Columns {
		if other != c && drawnColumn(other, width) && i != s.lastColumn(width) {
			room -= other.Width + gap
		}
	}
	return max(c.Least, min(c.Width, room))
}

func (s *nounScreen) heads(width int) string {
	var b strings.Builder
	last := s.lastColumn(width)
	for i, c := range s.noun.Columns {
		switch {
		case !drawnColumn(c, width):
		case i == last:
			b.WriteString(c.Head)
		default:
			b.WriteString(safe.Fit(c.Head, s.columnWidth(c, width)) + " ")
		}
	}
	return b.String()
}

func (s *nounScreen) drawRow(m *env, row int, cursor bool, width int) line {
	r := s.objects[s.ID(row)]
	lead, ink := []byte("    "), inkPlain
	if cursor {
		lead[0] = '>'
	}
	if s.Marked(row) {
		lead[1], ink = '*', inkMark
	}
	l := line{{string(lead), ink}}
	last := s.lastColumn(width)
	for i, c := range s.noun.Columns {
		if !drawnColumn(c, width) {
			continue
		}
		text, own := r.Cells[i].String(), ink
		if look, special := lookInks[c.Look]; special {
			own = look
		}
		if c.Tone {
			own = toneInks[r.Tone]
			if wish := m.wish(r.Target); wish != "" {
				text, own = wish, inkWarn
			}
		}
		room := s.columnWidth(c, width)
		switch reason := m.troubles[r.Target]; {
		case c.Look == tables.Account:
			label := m.likeStaff(r.Person)
			l = append(l, accountLine(safe.Fit(safe.Truncate(text, room-safe.Width(label), "~")+label, room)+" ", inkPlain)...)
		case i != last:
			l = append(l, span{safe.Fit(safe.Truncate(text, room, "~"), room) + " ", own})
		case reason != "":
			l = append(l, span{"! " + reason, inkBad}).lastShortened(width)
		case c.Look == tables.Outcome:
			outcome, rest, _ := strings.Cut(text, " ")
			l = append(l, span{outcome, stateInk(outcome)}, span{" " + rest, inkPlain}).lastShortened(width)
		default:
			l = append(l, span{text, own}).lastShortened(width)
		}
	}
	if cursor {
		return l.underCursor()
	}
	return l
}

var lookInks = map[tables.Look]ink{tables.Chip: inkChip, tables.Faint: inkDim, tables.Name: inkStrong}

var toneInks = map[tables.Tone]ink{tables.Plain: inkPlain, tables.Good: inkGood, tables.Warn: inkWarn, tables.Bad: inkBad, tables.Dim: inkDim}

// allOf is all of a row, with the text behind its warning once that was opened.
func (s *nounScreen) allOf(m *env, r tables.Row) []tables.Detail {
	if r.Behind.String() == "" {
		return r.More
	}
	text := r.Behind
	if !s.opened[r.ID] {
		text = safe.Clean(safe.Raw("hidden behind a warning; " + m.keys.key(doShowCW) + " shows it"))
	}
	return append([]tables.Detail{{Text: text}}, r.More...)
}

// rowLines is all of a row in lines.
func (s *nounScreen) rowLines(m *env, r tables.Row, width int) []line {
	lines := detailLines(s.allOf(m, r), width)
	if reason := m.troubles[r.Target]; reason != "" {
		lines = append(lines, inked(inkBad, " ! "+reason))
	}
	return lines
}

func detailLines(details []tables.Detail, width int) []line {
	var lines []line
	for _, d := range details {
		label := d.Label
		if label != "" {
			label += ": "
		}
		for i, text := range safe.Wrap(d.Text.String(), max(1, width-2-safe.Width(label))) {
			if i > 0 {
				label = safe.Fit("", safe.Width(label))
			}
			lines = append(lines, line{{" " + label, inkDim}, {text, inkPlain}})
		}
	}
	return lines
}

func (s *nounScreen) spoken(m *env) []string {
	if s.Len() == 0 {
		return []string{sentence(words(s.nothing(m)))}
	}
	lines := []string{fmt.Sprintf("%d of %d: %s", s.Cursor()+1, s.Len(), s.spokenRow(m, s.Cursor()))}
	if s.banner.String() != "" {
		lines = append(lines, sentence(s.banner.String()))
	}
	if r, ok := s.under(); ok {
		for _, d := range s.allOf(m, r) {
			lines = append(lines, detailWords(d))
		}
		if reason := m.troubles[r.Target]; reason != "" {
			lines = append(lines, sentence("failed: "+reason))
		}
	}
	return lines
}

func detailWords(d tables.Detail) string {
	return strings.TrimPrefix(d.Label+": "+d.Text.OneLine().String(), ": ")
}

func (s *nounScreen) spokenRow(m *env, i int) string {
	r := s.objects[s.ID(s.At(i).Row)]
	var parts []string
	for j, c := range s.noun.Columns {
		if text := r.Cells[j].String(); text != "" && !c.Saved {
			parts = append(parts, strings.ToLower(c.Head)+" "+text)
		}
	}
	return withCommas(append(parts, m.wish(r.Target))...)
}

// nothing says why a table has no rows: of things, empty where there are none.
func (d *desk) nothing(things, empty string, loading bool, failed safe.Safe, f list.Filter) line {
	again := "; " + d.keys.key(doRefresh) + " tries again"
	switch {
	case failed.String() != "":
		return inked(inkBad, "    "+things+" could not be loaded: "+failed.String()+again)
	case loading:
		return inked(inkDim, "    loading "+things)
	case f.Text != "":
		return plain("    nothing matches /" + safe.Line(f.Text) + "; " + d.keys.key(doBack) + " shows all")
	}
	return plain("    " + empty)
}
