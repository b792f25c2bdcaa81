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
	"svc/tui/draw"
	"svc/tui/keys"
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
	place keys.Places
	scope string
	part  bool // only the rows of the noun's part are open to the account

	filter   list.Filter
	sorted   int // the column by which rows stand, -1 for the order of the server
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

// Number columns of a table's list.
const (
	numPlace = iota // as the server has them
	numOrder        // in the order of a column
	tableNums
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
		m.say(draw.InkDim, "name "+n.Of+": "+n.Help)
		return nil
	}
	key := n.Name + " " + scope
	s := m.nouns[key]
	if s == nil {
		s = newNounScreen(n, scope)
		m.nouns[key] = s
		m.observers = append(m.observers, s)
	}
	s.part = n.Part != "" && !m.rights.Has(keys.NounNeeds(n)...)
	cmd := m.open(s)
	if s.at.IsZero() && !s.loading || n.Own {
		return tea.Batch(cmd, s.reload(m))
	}
	return tea.Batch(cmd, s.renew(m))
}

func newNounScreen(n *tables.Noun, scope string) *nounScreen {
	s := &nounScreen{table: table{List: list.New(tableTexts, tableNums)}, sorted: -1, noun: n, scope: scope, objects: map[string]tables.Row{}, opened: map[string]bool{}, total: -1}
	for i, other := range tables.All() {
		if other.Name == n.Name {
			s.place = keys.NounPlace(i)
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
			return cmp.Or(cmp.Compare(c.Num(a, numOrder), c.Num(b, numOrder)), strings.Compare(c.Text(a, textOrder), c.Text(b, textOrder)), int(c.Num(a, numPlace)-c.Num(b, numPlace)))
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
		s.failed, s.at = shown.Wording(msg.err), m.timer()
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
	number, text := s.order(r)
	return list.Row{ID: r.ID, Texts: []string{haystack(r), r.Domain, text}, Nums: []int64{int64(at), number}}
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
		s.Put([]list.Row{s.take(msg.row, int(s.Num(row, numPlace)))}, false)
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

// Find is the loaded object of a target.
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

func (s *nounScreen) on() keys.Places             { return s.place }
func (s *nounScreen) tab() keys.Command           { return keys.Command(s.noun.Name) }
func (s *nounScreen) allowed(mine *keys.Map) bool { return mine.Has(s.tab()) }
func (s *nounScreen) moved(m *env) tea.Cmd        { return tea.Batch(s.refresh(), s.more(m)) }

func (s *nounScreen) rows(d draw.Layout) area {
	if s.beside(d) {
		return area{s.List, tableWidth(d), s.height(d)}
	}
	return area{s.List, d.Width, s.height(d)}
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
		extras = append(extras, extra{text: draw.Shortened(s.banner.String(), 28), rank: 1})
	}
	if s.sorted >= 0 {
		extras = append(extras, extra{text: "sort:" + strings.ToLower(s.noun.Columns[s.sorted].Head), rank: 3})
	}
	if n := s.Waiting(); n > 0 {
		extras = append(extras, extra{text: fmt.Sprintf("+%d new (%s)", n, m.keys.Key(keys.Merge))})
	}
	return extras
}

func (s *nounScreen) bar(*env) []keys.Command {
	if s.noun.Bar != nil {
		var commands []keys.Command
		for _, name := range s.noun.Bar {
			commands = append(commands, keys.Command(name))
		}
		return commands
	}
	commands := []keys.Command{keys.In}
	for _, v := range s.noun.Verbs {
		commands = append(commands, keys.VerbCommand(s.noun, v))
	}
	return append(commands, keys.Mark, keys.Filter, keys.Copy)
}

func (s *nounScreen) hint(*env) string {
	if n := len(s.MarkedRows()); n > 0 {
		return fmt.Sprintf("MARKED %d", n)
	}
	return ""
}
