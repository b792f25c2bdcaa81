// Package grid is the screen of every table of package tables: it loads and draws rows, and
// carries out the verbs that keys give.
package grid

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
	"svc/tui/desk"
	"svc/tui/draw"
	"svc/tui/keys"
	"svc/tui/list"
	"svc/tui/shown"
	"svc/tui/tables"
)

// Screen draws a noun of package tables as a table, with all of the row under
// the cursor below it.
type Screen struct {
	desk.Table
	desk.ObserverDefaults
	Noun  *tables.Noun
	place keys.Places
	scope string
	part  bool // only the rows of the noun's part are open to the account

	filter   list.Filter
	Sorted   int // the column by which rows stand, -1 for the order of the server
	Objects  map[string]tables.Row
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
	screen *Screen
	gen    int
	first  bool
	page   tables.Page
	err    error
}

// Rows names what came, for a trace.
func (msg nounLoaded) Rows() string { return msg.screen.Noun.Name }

func (msg nounLoaded) Deliver(m *desk.Env) tea.Cmd { return msg.screen.loaded(m, msg) }

// renewAfter is how old the rows in front may get, as long as there is one page.
const renewAfter = 10 * time.Second

// Register puts the tables into the program.
func Register(m *desk.Env) {
	opened := map[string]*Screen{} // by noun and scope
	for _, n := range tables.All() {
		m.Tabs = append(m.Tabs, desk.Tab{
			Do: keys.Command(n.Name), Open: func(m *desk.Env, of string) tea.Cmd { return openNoun(m, opened, n, of) },
			Waiting: func(m *desk.Env) int { return m.Waiting[n.Name] },
		})
	}
}

// openNoun shows a noun, and loads it where that was not done.
func openNoun(m *desk.Env, opened map[string]*Screen, n *tables.Noun, scope string) tea.Cmd {
	if n.Of != "" && scope == "" {
		m.Say(draw.InkDim, "name "+n.Of+": "+n.Help)
		return nil
	}
	key := n.Name + " " + scope
	s := opened[key]
	if s == nil {
		s = newScreen(n, scope)
		opened[key] = s
		m.Observers = append(m.Observers, s)
	}
	s.part = n.Part != "" && !m.Rights.Has(keys.NounNeeds(n)...)
	cmd := m.Open(s)
	if s.at.IsZero() && !s.loading || n.Own {
		return tea.Batch(cmd, s.reload(m))
	}
	return tea.Batch(cmd, s.Renew(m))
}

func newScreen(n *tables.Noun, scope string) *Screen {
	s := &Screen{Table: desk.Table{List: list.New(tableTexts, tableNums)}, Sorted: -1, Noun: n, scope: scope, Objects: map[string]tables.Row{}, opened: map[string]bool{}, total: -1}
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
func (s *Screen) setView() {
	f := s.filter
	if s.Noun.Searches && len(f.Words) > 0 {
		f.Words = f.Words[1:]
	}
	s.SetView(list.View{
		Match: func(c list.Columns, row int) bool { return f.Matches(c.Text(row, textHay), c.Text(row, textDomain)) },
		Order: func(c list.Columns, a, b int) int {
			return cmp.Or(cmp.Compare(c.Num(a, numOrder), c.Num(b, numOrder)), strings.Compare(c.Text(a, textOrder), c.Text(b, textOrder)), int(c.Num(a, numPlace)-c.Num(b, numPlace)))
		},
	})
}

func (s *Screen) query() tables.Query {
	q := tables.Query{Scope: s.scope, State: s.filter.State, Domain: s.filter.Domain}
	if s.part {
		q.State = s.Noun.PartState
	}
	if s.Noun.Searches && len(s.filter.Words) > 0 {
		q.Word = s.filter.Words[0]
	}
	return q
}

func (s *Screen) reload(m *desk.Env) tea.Cmd {
	s.gen++
	s.loading, s.outdated = true, false
	if s.Noun.Own {
		return s.read(m, m.OwnRows(), true)
	}
	return s.read(m, s.Noun.Rows(m.Load.C, s.query()), true)
}

func (s *Screen) more(m *desk.Env) tea.Cmd {
	const ahead = 50
	if s.loading || s.next == nil || s.Len() > 0 && s.Cursor() < s.Len()-ahead {
		return nil
	}
	s.loading = true
	return s.read(m, s.next, false)
}

func (s *Screen) read(m *desk.Env, read tables.Reader, first bool) tea.Cmd {
	gen := s.gen
	return m.Load.Run(func(ctx context.Context) tea.Msg {
		page, err := read(ctx)
		return nounLoaded{s, gen, first, page, err}
	})
}

func (s *Screen) loaded(m *desk.Env, msg nounLoaded) tea.Cmd {
	if msg.gen != s.gen {
		return nil
	}
	s.loading = false
	if msg.err != nil {
		s.failed, s.at = shown.Wording(msg.err), m.Timer()
		return m.Trouble(msg.err)
	}
	s.failed, s.next, s.at = safe.Safe{}, msg.page.Next, m.Timer()
	if msg.page.Total >= 0 || msg.first {
		s.total = msg.page.Total
	}
	if msg.first {
		clear(s.Objects)
		s.banner = msg.page.Banner
	}
	var rows []list.Row
	for _, r := range msg.page.Rows {
		rows = append(rows, s.take(r, len(s.Objects)))
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
	return tea.Batch(s.Sync(), s.more(m))
}

// take keeps an object, whose row is returned.
func (s *Screen) take(r tables.Row, at int) list.Row {
	s.Objects[r.ID] = r
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
	screen *Screen
	row    tables.Row
	err    error
}

func (msg rowRead) Deliver(*desk.Env) tea.Cmd {
	s := msg.screen
	if msg.err != nil {
		s.outdated = true
		return nil
	}
	if row, known := s.Row(msg.row.ID); known {
		s.Put([]list.Row{s.take(msg.row, int(s.Num(row, numPlace)))}, false)
	}
	return s.Sync()
}

// Ended reads the rows again that actions changed, one by one where that can be done
// and they are few.
func (s *Screen) Ended(m *desk.Env, results []action.Result) tea.Cmd {
	const most = 20
	if s.Noun.Own {
		return s.reload(m)
	}
	var cmds []tea.Cmd
	for _, res := range results {
		if !s.Noun.About(res.Action.Kind) {
			continue
		}
		row, known := s.find(res.Action.Target)
		if s.Noun.One == nil || !known || len(cmds) == most {
			s.outdated = true
			continue
		}
		c := m.Load.C
		cmds = append(cmds, m.Load.Run(func(ctx context.Context) tea.Msg {
			fresh, err := s.Noun.One(ctx, c, row)
			return rowRead{s, fresh, err}
		}))
	}
	return tea.Batch(cmds...)
}

// find is the loaded object of a target.
func (s *Screen) find(target string) (tables.Row, bool) {
	for _, r := range s.Objects {
		if r.Target == target {
			return r, true
		}
	}
	return tables.Row{}, false
}

// Logged adds new entries to the log; other tables are out of date where the actions
// of somebody else are about accounts in them.
func (s *Screen) Logged(m *desk.Env, fresh []shown.Entry, atStart bool) tea.Cmd {
	if s.at.IsZero() {
		return nil
	}
	if s.Noun.Logged == nil {
		s.outdated = s.outdated || !atStart && s.Noun.Accounts && slices.ContainsFunc(fresh, func(e shown.Entry) bool { return len(e.Users) > 0 && e.Actor != m.Me.String() })
		return nil
	}
	var rows []list.Row
	for _, e := range fresh {
		r := s.Noun.Logged(e)
		if _, known := s.Row(r.ID); !known {
			s.newest--
			rows = append(rows, s.take(r, s.newest))
		}
	}
	s.Put(rows, s.Cursor() > 0)
	return s.Sync()
}

func (s *Screen) Registered(*desk.Env) tea.Cmd {
	s.outdated = s.outdated || s.Noun.Waiting != nil
	return nil
}

func (s *Screen) Commanded() { s.outdated = true }

// Renew loads the table again where it changed, or grew old and is no longer than a
// page.
func (s *Screen) Renew(m *desk.Env) tea.Cmd {
	if s.loading || m.Prompt != nil {
		return nil
	}
	if s.at.IsZero() || s.outdated || s.Noun.Logged == nil && s.next == nil && m.Timer().Sub(s.at) > renewAfter {
		return s.reload(m)
	}
	return nil
}

// chosen are the rows that a verb is about.
func (s *Screen) chosen() []tables.Row {
	var rows []tables.Row
	for _, row := range s.Chosen() {
		rows = append(rows, s.Objects[s.ID(row)])
	}
	return rows
}

// under is the row under the cursor.
func (s *Screen) under() (tables.Row, bool) {
	r, ok := s.Objects[s.UnderID()]
	return r, ok
}

func (s *Screen) FilterText() string { return s.filter.Text }
func (s *Screen) States() []string   { return s.Noun.States }

func (s *Screen) SetFilter(m *desk.Env, text string) tea.Cmd {
	before := s.query()
	s.filter = list.ParseFilter(text, s.Noun.States)
	s.setView()
	if s.query() == before {
		return tea.Batch(s.Sync(), s.more(m))
	}
	s.gen++
	s.loading = true
	due := queryDue{s, s.gen}
	return tea.Batch(s.Sync(), m.After(QueryWait, func() tea.Msg { return due }))
}

// QueryWait is how long typing rests before the server is asked.
const QueryWait = 150 * time.Millisecond

// queryDue comes when a filter has not changed for a moment.
type queryDue struct {
	screen *Screen
	gen    int
}

func (msg queryDue) Deliver(m *desk.Env) tea.Cmd {
	if msg.gen != msg.screen.gen {
		return nil
	}
	return msg.screen.reload(m)
}

func (s *Screen) On() keys.Places             { return s.place }
func (s *Screen) Tab() keys.Command           { return keys.Command(s.Noun.Name) }
func (s *Screen) Allowed(mine *keys.Map) bool { return mine.Has(s.Tab()) }
func (s *Screen) Moved(m *desk.Env) tea.Cmd   { return tea.Batch(s.Sync(), s.more(m)) }

func (s *Screen) Rows(d draw.Layout) desk.Area {
	if s.beside(d) {
		return desk.Area{List: s.List, Width: tableWidth(d), Height: s.height(d)}
	}
	return desk.Area{List: s.List, Width: d.Width, Height: s.height(d)}
}

func (s *Screen) Title(*desk.Env) string {
	name := strings.ToUpper(s.Noun.Name)
	if s.scope != "" {
		const width = 30
		name += " " + safe.Truncate(safe.Line(s.scope), width, "~")
	}
	loaded := s.Columns.Len()
	switch {
	case s.total >= 0 && (s.Len() < s.total || s.Noun.Counted):
		return fmt.Sprintf("%s %d/%d", name, s.Len(), s.total)
	case s.next != nil && s.Noun.Logged == nil:
		return fmt.Sprintf("%s %d of the first %d", name, s.Len(), loaded)
	}
	return fmt.Sprintf("%s %d", name, s.Len())
}

func (s *Screen) Extras(m *desk.Env) []desk.Extra {
	var extras []desk.Extra
	if s.filter.Text != "" {
		extras = append(extras, desk.Extra{Text: "/" + safe.Line(s.filter.Text), Keep: true})
	}
	if s.banner.String() != "" {
		extras = append(extras, desk.Extra{Text: draw.Shortened(s.banner.String(), 28), Rank: 1})
	}
	if s.Sorted >= 0 {
		extras = append(extras, desk.Extra{Text: "sort:" + strings.ToLower(s.Noun.Columns[s.Sorted].Head), Rank: 3})
	}
	if n := s.Waiting(); n > 0 {
		extras = append(extras, desk.Extra{Text: fmt.Sprintf("+%d new (%s)", n, m.Keys.Key(keys.Merge))})
	}
	return extras
}

func (s *Screen) Bar(*desk.Env) []keys.Command {
	if s.Noun.Bar != nil {
		var commands []keys.Command
		for _, name := range s.Noun.Bar {
			commands = append(commands, keys.Command(name))
		}
		return commands
	}
	commands := []keys.Command{keys.In}
	for _, v := range s.Noun.Verbs {
		commands = append(commands, keys.VerbCommand(s.Noun, v))
	}
	return append(commands, keys.Mark, keys.Filter, keys.Copy)
}

func (s *Screen) Hint(*desk.Env) string {
	if n := len(s.MarkedRows()); n > 0 {
		return fmt.Sprintf("MARKED %d", n)
	}
	return ""
}
