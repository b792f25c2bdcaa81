package tui

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/action"
	"svc/client/safe"
	"svc/tui/list"
	"svc/tui/shown"
	"svc/tui/tables"
)

// nounScreen draws a noun of package tables as a table, with all of the row under
// the cursor below it.
type nounScreen struct {
	table
	observerDefaults
	noun  *tables.Noun
	place places
	scope string
	part  bool // only the rows of the noun's part are open to the account

	filter   list.Filter
	objects  map[string]tables.Row
	opened   map[string]bool // rows whose text behind a warning is shown, by ID
	gen      int
	next     tables.Reader
	loading  bool
	outdated bool // something of it was changed
	failed   safe.Safe
	banner   safe.Safe
	total    int // -1 where the server does not count
	newest   int // place of the newest row that came in by itself, below those of pages
	at       time.Time
}

// Columns of a table's list.
const (
	textHay    = iota // lower-case text that the filter searches
	textDomain        // what @ in a filter matches
	textOrder         // its place among the rows
	tableTexts
)

// nounLoaded is a page of a noun's rows; first replaces all there are.
type nounLoaded struct {
	screen *nounScreen
	gen    int
	first  bool
	page   tables.Page
	err    error
}

func (msg nounLoaded) deliver(m *env) tea.Cmd { return msg.screen.loaded(m, msg) }

// renewAfter is how old the rows in front may get, as long as there is one page.
const renewAfter = 10 * time.Second

// openNoun shows a noun, and loads it where that was not done.
func (m *env) openNoun(n *tables.Noun, scope string) tea.Cmd {
	if n.Of != "" && scope == "" {
		m.say(inkDim, "name "+n.Of+": "+n.Help)
		return nil
	}
	key := n.Name + " " + scope
	s := m.nouns[key]
	if s == nil {
		s = newNounScreen(n, scope)
		m.nouns[key] = s
		m.observers = append(m.observers, s)
	}
	s.part = n.Part != "" && !m.rights.has(nounNeeds(n)...)
	cmd := m.open(s)
	if s.at.IsZero() && !s.loading || n.Own {
		return tea.Batch(cmd, s.reload(m))
	}
	return tea.Batch(cmd, s.renew(m))
}

func newNounScreen(n *tables.Noun, scope string) *nounScreen {
	s := &nounScreen{table: table{List: list.New(tableTexts, 1)}, noun: n, scope: scope, objects: map[string]tables.Row{}, opened: map[string]bool{}, total: -1}
	for i, other := range tables.All() {
		if other.Name == n.Name {
			s.place = nounPlace(i)
		}
	}
	s.setView()
	return s
}

// setView filters rows by the words that the server does not search for. Rows without
// an order of their own keep the server's.
func (s *nounScreen) setView() {
	f := s.filter
	if s.noun.Searches && len(f.Words) > 0 {
		f.Words = f.Words[1:]
	}
	s.SetView(list.View{
		Match: func(c list.Columns, row int) bool { return f.Matches(c.Text(row, textHay), c.Text(row, textDomain)) },
		Order: func(c list.Columns, a, b int) int {
			return cmp.Or(strings.Compare(c.Text(a, textOrder), c.Text(b, textOrder)), int(c.Num(a, 0)-c.Num(b, 0)))
		},
	})
}

func (s *nounScreen) query() tables.Query {
	q := tables.Query{Scope: s.scope, State: s.filter.State, Domain: s.filter.Domain}
	if s.part {
		q.State = s.noun.PartState
	}
	if s.noun.Searches && len(s.filter.Words) > 0 {
		q.Word = s.filter.Words[0]
	}
	return q
}

func (s *nounScreen) reload(m *env) tea.Cmd {
	s.gen++
	s.loading, s.outdated = true, false
	if s.noun.Own {
		return s.read(m, m.ownRows(), true)
	}
	return s.read(m, s.noun.Rows(m.load.c, s.query()), true)
}

func (s *nounScreen) more(m *env) tea.Cmd {
	const ahead = 50
	if s.loading || s.next == nil || s.Len() > 0 && s.Cursor() < s.Len()-ahead {
		return nil
	}
	s.loading = true
	return s.read(m, s.next, false)
}

func (s *nounScreen) read(m *env, read tables.Reader, first bool) tea.Cmd {
	gen := s.gen
	return m.load.run(func(ctx context.Context) tea.Msg {
		page, err := read(ctx)
		return nounLoaded{s, gen, first, page, err}
	})
}

func (s *nounScreen) loaded(m *env, msg nounLoaded) tea.Cmd {
	if msg.gen != s.gen {
		return nil
	}
	s.loading = false
	if msg.err != nil {
		s.failed, s.at = wording(msg.err), m.timer()
		return m.trouble(msg.err)
	}
	s.failed, s.next, s.at = safe.Safe{}, msg.page.Next, m.timer()
	if msg.page.Total >= 0 || msg.first {
		s.total = msg.page.Total
	}
	if msg.first {
		clear(s.objects)
		s.banner = msg.page.Banner
	}
	var rows []list.Row
	for _, r := range msg.page.Rows {
		rows = append(rows, s.take(r, len(s.objects)))
	}
	if msg.first {
		fresh := s.Len() == 0
		s.Replace(rows)
		if fresh && msg.page.At != "" {
			s.Select(msg.page.At)
		}
		return s.more(m)
	}
	s.Put(rows, false)
	return tea.Batch(s.refresh(), s.more(m))
}

// take keeps an object, whose row is returned.
func (s *nounScreen) take(r tables.Row, at int) list.Row {
	s.objects[r.ID] = r
	return list.Row{ID: r.ID, Texts: []string{haystack(r), r.Domain, r.Sort}, Nums: []int64{int64(at)}}
}

func haystack(r tables.Row) string {
	var b strings.Builder
	for _, cell := range r.Cells {
		b.WriteString(cell.String() + " ")
	}
	for _, d := range r.More {
		b.WriteString(d.Text.String() + " ")
	}
	b.WriteString(safe.Line(r.Search))
	return strings.ToLower(b.String())
}

// rowRead is one row that was read again.
type rowRead struct {
	screen *nounScreen
	row    tables.Row
	err    error
}

func (msg rowRead) deliver(*env) tea.Cmd {
	s := msg.screen
	if msg.err != nil {
		s.outdated = true
		return nil
	}
	if row, known := s.Row(msg.row.ID); known {
		s.Put([]list.Row{s.take(msg.row, int(s.Num(row, 0)))}, false)
	}
	return s.refresh()
}

// ended reads the rows again that actions changed, one by one where that can be done
// and they are few.
func (s *nounScreen) ended(m *env, results []action.Result) tea.Cmd {
	const most = 20
	if s.noun.Own {
		return s.reload(m)
	}
	var cmds []tea.Cmd
	for _, res := range results {
		if !s.noun.About(res.Action.Kind) {
			continue
		}
		row, known := s.find(res.Action.Target)
		if s.noun.One == nil || !known || len(cmds) == most {
			s.outdated = true
			continue
		}
		c := m.load.c
		cmds = append(cmds, m.load.run(func(ctx context.Context) tea.Msg {
			fresh, err := s.noun.One(ctx, c, row)
			return rowRead{s, fresh, err}
		}))
	}
	return tea.Batch(cmds...)
}

// find is the loaded object of a target.
func (s *nounScreen) find(target string) (tables.Row, bool) {
	for _, r := range s.objects {
		if r.Target == target {
			return r, true
		}
	}
	return tables.Row{}, false
}

// logged adds new entries to the log; other tables are out of date where the actions
// of somebody else are about accounts in them.
func (s *nounScreen) logged(m *env, fresh []shown.Entry, atStart bool) tea.Cmd {
	if s.at.IsZero() {
		return nil
	}
	if s.noun.Logged == nil {
		s.outdated = s.outdated || !atStart && s.noun.Accounts && slices.ContainsFunc(fresh, func(e shown.Entry) bool { return len(e.Users) > 0 && e.Actor != m.me.String() })
		return nil
	}
	var rows []list.Row
	for _, e := range fresh {
		r := s.noun.Logged(e)
		if _, known := s.Row(r.ID); !known {
			s.newest--
			rows = append(rows, s.take(r, s.newest))
		}
	}
	s.Put(rows, s.Cursor() > 0)
	return s.refresh()
}

func (s *nounScreen) registered(m *env) tea.Cmd {
	s.outdated = s.outdated || s.noun.Waiting != nil
	return nil
}

// renew loads the table again where it changed, or grew old and is no longer than a
// page.
func (s *nounScreen) renew(m *env) tea.Cmd {
	if s.loading || m.prompt != nil {
		return nil
	}
	if s.at.IsZero() || s.outdated || s.noun.Logged == nil && s.next == nil && m.timer().Sub(s.at) > renewAfter {
		return s.reload(m)
	}
	return nil
}

// chosen are the rows that a verb is about.
func (s *nounScreen) chosen() []tables.Row {
	var rows []tables.Row
	for _, row := range s.Chosen() {
		rows = append(rows, s.objects[s.ID(row)])
	}
	return rows
}

// under is the row under the cursor.
func (s *nounScreen) under() (tables.Row, bool) {
	r, ok := s.objects[s.UnderID()]
	return r, ok
}

func (s *nounScreen) filterText() string { return s.filter.Text }
func (s *nounScreen) states() []string   { return s.noun.States }

func (s *nounScreen) setFilter(m *env, text string) tea.Cmd {
	before := s.query()
	s.filter = list.ParseFilter(text, s.noun.States)
	s.setView()
	if s.query() == before {
		return tea.Batch(s.refresh(), s.more(m))
	}
	s.gen++
	s.loading = true
	due := queryDue{s, s.gen}
	return tea.Batch(s.refresh(), m.after(queryWait, func() tea.Msg { return due }))
}

// queryWait is how long typing rests before the server is asked.
const queryWait = 150 * time.Millisecond

// queryDue comes when a filter has not changed for a moment.
type queryDue struct {
	screen *nounScreen
	gen    int
}

func (msg queryDue) deliver(m *env) tea.Cmd {
	if msg.gen != msg.screen.gen {
		return nil
	}
	return msg.screen.reload(m)
}

func (s *nounScreen) on() places                { return s.place }
func (s *nounScreen) tab() command              { return command(s.noun.Name) }
func (s *nounScreen) allowed(keys *keymap) bool { return keys.has(s.tab()) }
func (s *nounScreen) moved(m *env) tea.Cmd      { return tea.Batch(s.refresh(), s.more(m)) }

func (s *nounScreen) rows(d layout) area {
	if s.beside(d) {
		return area{s.List, tableWidth(d), s.height(d)}
	}
	return area{s.List, d.width, s.height(d)}
}

func (s *nounScreen) title(*env) string {
	name := strings.ToUpper(s.noun.Name)
	if s.scope != "" {
		const width = 30
		name += " " + safe.Truncate(safe.Line(s.scope), width, "~")
	}
	loaded := s.Columns.Len()
	switch {
	case s.total >= 0 && (s.Len() < s.total || s.noun.Counted):
		return fmt.Sprintf("%s %d/%d", name, s.Len(), s.total)
	case s.next != nil && s.noun.Logged == nil:
		return fmt.Sprintf("%s %d of the first %d", name, s.Len(), loaded)
	}
	return fmt.Sprintf("%s %d", name, s.Len())
}

func (s *nounScreen) extras(m *env) []extra {
	var extras []extra
	if s.filter.Text != "" {
		extras = append(extras, extra{text: "/" + safe.Line(s.filter.Text), keep: true})
	}
	if s.banner.String() != "" {
		extras = append(extras, extra{text: shortened(s.banner.String(), 28), rank: 1})
	}
	if n := s.Waiting(); n > 0 {
		extras = append(extras, extra{text: fmt.Sprintf("+%d new (%s)", n, m.keys.key(doMerge))})
	}
	return extras
}

func (s *nounScreen) bar(*env) []command {
	if s.noun.Bar != nil {
		var commands []command
		for _, name := range s.noun.Bar {
			commands = append(commands, command(name))
		}
		return commands
	}
	commands := []command{doIn}
	for _, v := range s.noun.Verbs {
		commands = append(commands, verbCommand(s.noun, v))
	}
	return append(commands, doMark, doFilter, doCopy)
}

func (s *nounScreen) hint(*env) string {
	if n := len(s.MarkedRows()); n > 0 {
		return fmt.Sprintf("MARKED %d", n)
	}
	return ""
}

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
