package keys

import (
	"slices"
	"strings"

	"svc/client/safe"
	"svc/tui/draw"
	"svc/tui/list"
)

// matching leaves the bindings whose keys, name or help a filter matches.
func (m *Map) matching(f list.Filter) *Map {
	return &Map{slices.DeleteFunc(slices.Clone(m.Bindings), func(b Binding) bool {
		return !f.Matches(strings.ToLower(strings.Join(b.Keys, " ")+" "+string(b.Do)+" "+b.Help), "")
	})}
}

// helpBlock is a few lines under a head, which stay together.
type helpBlock []draw.Line

const (
	helpColumn = 39 // the least width of a column, with the gap behind it
	helpKeys   = 15 // of it for keys
)

// HelpLines are the bindings by their purpose, those that hold here first, and the marks.
func HelpLines(keys *Map, g draw.Glyphs, here Places, width int, f list.Filter) []draw.Line {
	keys = keys.matching(f)
	columns := max(1, width/helpColumn)
	room := width/columns - 1
	var front, elsewhere []helpBlock
	for _, purpose := range Groups {
		var bindings []Binding
		for _, b := range keys.Bindings {
			if b.On&here != 0 && GroupOf(b.Do) == purpose {
				bindings = append(bindings, b)
			}
		}
		front = append(front, bindingBlock(string(purpose), bindings, room))
	}
	front = append(front, legend(g, room, f))
	var places []string
	byPlace := map[string][]Binding{}
	for _, b := range keys.Bindings {
		if b.On&here != 0 {
			continue
		}
		where := b.On.String()
		if !slices.Contains(places, where) {
			places = append(places, where)
		}
		byPlace[where] = append(byPlace[where], b)
	}
	for _, where := range places {
		elsewhere = append(elsewhere, bindingBlock("on "+where, byPlace[where], room))
	}
	lines := inColumns(front, columns, room)
	if len(lines) == 0 {
		return inColumns(elsewhere, columns, room)
	}
	if len(elsewhere) > 0 {
		lines = append(lines, draw.Inked(draw.InkRule, strings.Repeat(g.Rule, width)), nil)
		lines = append(lines, inColumns(elsewhere, columns, room)...)
	}
	return lines
}

// bindingBlock is empty without bindings.
func bindingBlock(title string, bindings []Binding, room int) helpBlock {
	if len(bindings) == 0 {
		return nil
	}
	block := headBlock(title, room)
	for _, b := range bindings {
		names := make([]string, len(b.Keys))
		for i, key := range b.Keys {
			names[i] = Name(key)
		}
		if len(names) == 0 {
			names = []string{":" + string(b.Do)}
		}
		block = append(block, entryLines(strings.Join(names, " "), b.Help, draw.InkKey, room)...)
	}
	return block
}

func headBlock(title string, room int) helpBlock {
	var block helpBlock
	for _, text := range safe.Wrap(strings.ToUpper(title), room-1) {
		block = append(block, draw.Inked(draw.InkStrong, " "+text))
	}
	return block
}

// entryLines are a key or a mark, and its meaning beside it.
func entryLines(what, meaning string, ink draw.Ink, room int) []draw.Line {
	var lines []draw.Line
	label := draw.Line{{Text: " " + safe.Fit(what, helpKeys-2) + " ", Ink: ink}}
	if safe.Width(what) > helpKeys-2 {
		lines, label = append(lines, draw.Inked(ink, " "+what)), draw.Plain(strings.Repeat(" ", helpKeys))
	}
	for _, text := range safe.Wrap(meaning, max(8, room-helpKeys)) {
		lines = append(lines, append(slices.Clone(label), draw.Span{Text: text, Ink: draw.InkPlain}))
		label = draw.Plain(strings.Repeat(" ", helpKeys))
	}
	return lines
}

// legend explains heads and marks.
func legend(g draw.Glyphs, room int, f list.Filter) helpBlock {
	var block helpBlock
	for _, mark := range [][2]string{
		{"AGE", "since it was reported, or its newest report"},
		{"POSTS, PST", "how many posts were reported"},
		{"REPORTS, RPT", "about this account: open, and ever"},
		{">", "the cursor, or the selected post: keys act on it"},
		{"-", "the cursor of the list while keys go to the evidence"},
		{"*  [x]", "marked: a row, a post"},
		{"+  v", "a group, closed or open"},
		{g.Bar, "a post; at the bottom, half a second of a countdown"},
		{"resolve 3s", "sent in 3 seconds"},
		{"resolve ..", "waits for the server"},
		{"resolve ?", "from before, asks first: see the outbox"},
		{"resolve >", "being sent"},
		{"open !", "failed; the reason stands there"},
		{"gone:tess", "left the queue by tess; goes when the cursor does"},
		{"[like: admin]", "the name looks like one of the staff"},
		{"[9/1h]", "reports about the account within an hour"},
		{"[off]  [gone]", "deactivated, deleted"},
		{"~  " + draw.More, "shortened"},
		{"<U+202E>", "a character that would be invisible, or move others"},
		{g.Dot + " live", "news come at once; busy: the server asks for patience"},
	} {
		if f.Matches(strings.ToLower(mark[0]+" "+mark[1]), "") {
			block = append(block, entryLines(mark[0], mark[1], draw.InkMark, room)...)
		}
	}
	if len(block) == 0 {
		return nil
	}
	return append(headBlock("heads and marks", room), block...)
}

// inColumns puts blocks side by side, in order, in columns of about one height.
func inColumns(blocks []helpBlock, columns, room int) []draw.Line {
	blocks = slices.DeleteFunc(slices.Clone(blocks), func(b helpBlock) bool { return len(b) == 0 })
	sum := 0
	for _, b := range blocks {
		sum += len(b) + 1
	}
	// The least height at which everything fits.
	height := sum/columns + 1
	var filled [][]draw.Line
	for ; ; height++ {
		filled = [][]draw.Line{nil}
		for _, b := range blocks {
			last := &filled[len(filled)-1]
			if len(*last) > 0 && len(*last)+len(b) > height {
				filled = append(filled, nil)
				last = &filled[len(filled)-1]
			}
			*last = append(append(*last, b...), nil)
		}
		if len(filled) <= columns {
			break
		}
	}
	var lines []draw.Line
	for i := 0; ; i++ {
		var l draw.Line
		any := false
		for n, column := range filled {
			var cell draw.Line
			if i < len(column) {
				cell, any = column[i], true
			}
			if n < len(filled)-1 {
				cell = append(cell.Fit(room), draw.Span{Text: " ", Ink: draw.InkPlain})
			}
			l = append(l, cell...)
		}
		if !any {
			return lines
		}
		lines = append(lines, l)
	}
}
