// Package queue is the screen of the reports, with their evidence, groups, claims and
// playbooks, and the pages of one report and one person that it leads to.
package queue

import (
	"errors"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/hashicorp/golang-lru/v2/simplelru"

	"svc/client"
	"svc/client/safe"
	"svc/tui/desk"
	"svc/tui/draw"
	"svc/tui/keys"
	"svc/tui/list"
	"svc/tui/shown"
	"svc/tui/tables"
)

// Columns of the report list.
const (
	colState = iota
	colAbout // the reported account, as shown
	colNick  // and as it came
	colDomain
	colBy     // the reporter, as shown
	colByNick // and as it came
	colMessage
	colPosts // ids of its posts, joined by spaces
	colTexts // and the beginnings of their texts, in lines
	colClaim // who claimed it last, as shown
	colID    // of the reported account
	colHay   // lower-case text that the filter searches
	reportTexts
)

const (
	numAt = iota
	numPosts
	numFlags
	numClaim // when
	numOpen  // reports about the account that are open, by the server; -1 from one that does not say
	numEver  // and in any state
	reportNums
)

const (
	flagGone = 1 << iota
	flagDeactivated
	flagByGone // the reporter
	flagByDeactivated
)

// States are those of reports, as filters name them.
var States = []string{"open", "closed", "resolved", "all"}

// grouping is under which heads the reports stand.
type grouping int

const (
	flat grouping = iota
	byAccount
	byDomain
	byStatus
	byReporter
	groupings
)

func (g grouping) String() string {
	return [groupings]string{"flat", "account", "domain", "status", "reporter"}[g]
}

type sorting int

const (
	byAge sorting = iota
	byOldest
	byCount
	sortings
)

func (s sorting) String() string { return [sortings]string{"age", "oldest", "reports"}[s] }

// Reports is the screen of the report queue.
type Reports struct {
	desk.Table
	desk.ObserverDefaults
	state  string
	filter list.Filter
	group  grouping
	sort   sorting

	pager
	walked map[string]bool // ids met in this walk
	total  int
	queue  int // open ones, when they were last counted
	all    int

	details *simplelru.LRU[string, *shown.Report]
	asked   map[string]bool // details that are on their way
	tallies map[string]*tally
	// openHosts counts open reports about accounts of other servers, by their host.
	openHosts map[string]int
	viewed    map[string]bool
	posts     postPane
	onPosts   bool // keys go to the evidence
	noted     bool // answers carry notes
	folds     folds
	folded    foldedCount
	pages     map[string]*userPage // opened ones, by nickname
	at        int                  // the row that posts is about
}

// keepDetails is how many reports are kept whole.
const keepDetails = 500

// New is the queue, with its pages, in the program.
func New(m *desk.Env) *Reports {
	details, err := simplelru.NewLRU[string, *shown.Report](keepDetails, nil)
	if err != nil {
		panic(err) // only for a size below one
	}
	r := &Reports{
		Table: desk.Table{List: list.New(reportTexts, reportNums)}, state: "open", details: details, all: -1,
		asked: map[string]bool{}, tallies: map[string]*tally{}, openHosts: map[string]int{}, viewed: map[string]bool{}, walked: map[string]bool{},
		posts: newPostPane(), pages: map[string]*userPage{},
	}
	r.setFolds(m.Staged.Folded)
	r.register(m)
	return r
}

// row is the report's cells.
func reportRow(r *shown.Report) list.Row {
	message := safe.Truncate(r.Text.OneLine().String(), 300, "")
	ids, texts := make([]string, 0, len(r.Posts)), make([]string, 0, len(r.Posts))
	for _, p := range r.Posts {
		if !p.Deleted {
			ids, texts = append(ids, p.ID), append(texts, p.Beginning())
		}
	}
	flags := int64(0)
	if r.About.Gone {
		flags |= flagGone
	}
	if r.About.Deactivated {
		flags |= flagDeactivated
	}
	if r.By.Gone {
		flags |= flagByGone
	}
	if r.By.Deactivated {
		flags |= flagByDeactivated
	}
	about, by := r.About.Acct.String(), r.By.Acct.String()
	hay := strings.ToLower(strings.Join([]string{r.ID, about, r.About.Nick, r.About.Name.String(), by, r.By.Nick, message}, " "))
	claimed, at := claimOf(r)
	open, ever := -1, -1
	if r.Counts != nil {
		open, ever = r.Counts.Of("open"), r.Counts.All()
	}
	return list.Row{
		ID:    r.ID,
		Texts: []string{r.State, about, r.About.Nick, r.About.Domain, by, r.By.Nick, message, strings.Join(ids, " "), strings.Join(texts, "\n"), claimed, r.About.ID, hay},
		Nums:  []int64{r.At.Unix(), int64(len(r.Posts)), flags, at.Unix(), int64(open), int64(ever)},
	}
}

func (r *Reports) On() keys.Places             { return keys.OnReports }
func (r *Reports) Tab() keys.Command           { return keys.Reports }
func (r *Reports) Allowed(mine *keys.Map) bool { return mine.Has(keys.Reports) }
func (r *Reports) FilterText() string          { return r.filter.Text }
func (r *Reports) States() []string            { return States }
func (r *Reports) ScrollText(n int)            { r.posts.top = max(0, r.posts.top+n) }

func (r *Reports) Rows(d draw.Layout) desk.Area {
	if d.Beside {
		return desk.Area{List: r.List, Width: d.Pane, Height: d.List}
	}
	return desk.Area{List: r.List, Width: d.Width, Height: d.List}
}

// Moved goes to the first post of the report or group that is under the cursor now.
func (r *Reports) Moved(m *desk.Env) tea.Cmd {
	if r.Cursor() != r.at {
		r.at, r.onPosts = r.Cursor(), false
		r.posts.reset()
	}
	return tea.Batch(r.Sync(), r.more(m), r.wantDetail(m))
}

// Renew loads the list when it is first looked at, and then the report under the
// cursor when it went out of date.
func (r *Reports) Renew(m *desk.Env) tea.Cmd {
	if !r.begun() && m.Rights.Has(tables.NeedsReports) {
		return r.reload(m)
	}
	return r.wantDetail(m)
}

// openReports are the open reports, as far as the server counted them.
func (r *Reports) openReports(m *desk.Env) int {
	if r.state == "open" {
		return r.total + r.stagedMoves(m)
	}
	return r.queue
}

// setView applies state, filter, sort and group to the list.
func (r *Reports) setView() {
	state, f, judged := r.state, r.filter, r.folds
	view := list.View{Match: func(c list.Columns, row int) bool {
		return (state == "all" || c.Text(row, colState) == state) && f.Matches(c.Text(row, colHay), c.Text(row, colDomain)) && !judged.hides(c, row)
	}}
	switch r.sort {
	case byOldest:
		view.Order = func(c list.Columns, a, b int) int { return strings.Compare(c.ID(a), c.ID(b)) }
	case byCount:
		counts := make(map[string]int, len(r.tallies))
		for nick, t := range r.tallies {
			counts[nick] = t.count(state)
			if t.ever >= 0 && state == "open" {
				counts[nick] = t.open
			}
		}
		view.Order = func(c list.Columns, a, b int) int {
			return counts[c.Text(b, colNick)] - counts[c.Text(a, colNick)]
		}
	}
	if column := [groupings]int{flat: -1, byAccount: colAbout, byDomain: colDomain, byStatus: colPosts, byReporter: colBy}[r.group]; column >= 0 {
		group := r.group
		view.Group = func(c list.Columns, row int) []string {
			text := c.Text(row, column)
			switch {
			case group == byStatus && text != "":
				return strings.Fields(text)
			case text == "" && group == byDomain:
				return []string{"(this server)"}
			case text == "":
				return []string{"(no posts)"}
			}
			return []string{text}
		}
	}
	r.SetView(view)
}

// serverState is the state as the API takes it.
func (r *Reports) serverState() string {
	if r.state == "all" {
		return ""
	}
	return r.state
}

// reload walks the reports from the first page. Rows stay during the walk;
// those that it does not find vanish.
func (r *Reports) reload(m *desk.Env) tea.Cmd {
	r.restart()
	r.walked = map[string]bool{}
	return r.read(m)
}

// eager is how many rows are loaded without being looked at.
const eager = 2000

// more loads the next page when somebody is going to need it.
func (r *Reports) more(m *desk.Env) tea.Cmd {
	if !r.open() {
		return nil
	}
	needed := len(r.walked) < eager || r.filter.Narrows() || r.group != flat || r.sort != byAge || r.Cursor() > r.Len()-2*desk.PageSize
	if !needed {
		return nil
	}
	r.next()
	return r.read(m)
}

func (r *Reports) loaded(m *desk.Env, msg reportsLoaded) tea.Cmd {
	if msg.gen != r.gen {
		return nil
	}
	r.took(msg.page, len(msg.rows), msg.err)
	if msg.err != nil {
		r.complete = r.complete || r.page > 0 && !errors.Is(msg.err, client.ErrNetwork)
		return m.ReportsTrouble(msg.err)
	}
	r.counted(msg.total)
	m.Poll.Good = m.Timer()
	r.put(m, msg.rows, false)
	if msg.page <= 3 {
		for _, found := range msg.reports {
			r.keep(m, found)
		}
	}
	oldest := ""
	for _, row := range msg.rows {
		r.walked[row.ID] = true
		oldest = row.ID
	}
	// Missing reports are looked up once the walk is over, or at its start,
	// where most of them are; on every page it would cost the square of their
	// number.
	var missing tea.Cmd
	switch {
	case r.complete:
		missing = r.reconcile(m, r.walked, "")
	case msg.page == 1:
		missing = r.reconcile(m, r.walked, oldest)
	}
	if r.sort == byCount {
		r.setView()
	}
	return tea.Batch(missing, r.Sync(), r.more(m), r.wantDetail(m))
}

// Show takes reports as the first page of the state that is shown.
func (r *Reports) Show(m *desk.Env, found []*shown.Report) tea.Cmd {
	msg := reportsLoaded{queue: r, gen: r.gen, page: 1, total: len(found), reports: found}
	for _, one := range found {
		msg.rows = append(msg.rows, reportRow(one))
	}
	return r.loaded(m, msg)
}

// put adds and updates rows and counts them.
func (r *Reports) put(m *desk.Env, rows []list.Row, wait bool) {
	for _, row := range rows {
		nick, state := row.Texts[colNick], row.Texts[colState]
		if known, ok := r.Row(row.ID); ok {
			if m.SettledRow(row.ID) {
				row.Texts[colState] = r.Text(known, colState)
			}
			if m.Staged.Busy("user/"+nick) || m.Staged.Busy("user/"+row.Texts[colByNick]) {
				row.Nums[numFlags] = r.Num(known, numFlags)
			}
			r.count(nick, r.Text(known, colState), -1)
			r.count(nick, row.Texts[colState], 1)
			if r.shows(row.Texts[colState]) {
				r.Return(known)
			}
			r.tallies[nick].told(row)
			continue
		}
		r.count(nick, state, 1)
		r.tallies[nick].told(row)
		t := r.tallies[nick]
		at, _ := slices.BinarySearch(t.times, row.Nums[numAt])
		t.times = slices.Insert(t.times, at, row.Nums[numAt])
		const newest = 99
		if len(t.times) > newest {
			t.times = t.times[len(t.times)-newest:]
		}
	}
	r.Put(rows, wait)
}

func (r *Reports) shows(state string) bool { return r.state == "all" || r.state == state }

// movedBy is how the number of shown reports changes when one goes from a state
// to another.
func (r *Reports) movedBy(from, to string) int {
	switch was, is := r.shows(from), r.shows(to); {
	case was && !is:
		return -1
	case is && !was:
		return 1
	}
	return 0
}

// stagedMoves is how the number of shown reports changes with the actions that wait.
func (r *Reports) stagedMoves(m *desk.Env) int {
	n := 0
	for _, item := range m.Staged.Items {
		for _, a := range item.Actions {
			_, id, _ := strings.Cut(a.Target, "/")
			if row, known := r.Row(id); known && a.Kind.State() != "" && r.matches(row) {
				n += r.movedBy(r.Text(row, colState), a.Kind.State())
			}
		}
	}
	return n
}

// matches reports whether a row passes the filter.
func (r *Reports) matches(row int) bool {
	return r.filter.Matches(r.Text(row, colHay), r.Text(row, colDomain))
}

// setState gives a report another state. If the view does not show that state,
// the row goes, or stays as a ghost if keep is set or the cursor is on it.
func (r *Reports) setState(row int, state, reason string, keep bool) {
	if !keep { // an action of one's own, which the server's count does not have yet
		r.total += r.movedBy(r.Text(row, colState), state)
	}
	r.tallies[r.Text(row, colNick)].moved(r.Text(row, colState), state)
	r.count(r.Text(row, colNick), r.Text(row, colState), -1)
	r.count(r.Text(row, colNick), state, 1)
	r.SetText(row, colState, state)
	if detail, ok := r.details.Get(r.ID(row)); ok {
		detail.State = state
	}
	under, _ := r.Under()
	switch {
	case r.shows(state):
		r.Return(row)
	case keep || under.Row == row:
		r.Vanish(row, reason)
	}
}

// reconcile asks about rows that should be among met, which are all that the
// server has from id oldest on, and are not.
func (r *Reports) reconcile(m *desk.Env, met map[string]bool, oldest string) tea.Cmd {
	const most = 20
	var cmds []tea.Cmd
	for row := range r.Columns.Len() {
		id := r.ID(row)
		if id < oldest || met[id] || !r.shows(r.Text(row, colState)) || m.SettledRow(id) {
			continue
		}
		if len(cmds) < most && !r.asked[id] {
			cmds = append(cmds, r.readReport(m, id))
		}
	}
	return tea.Batch(cmds...)
}

// counted takes the server's count of the reports that are shown.
func (r *Reports) counted(total int) {
	r.total = total
	if r.state == "open" {
		r.queue = total
	}
}

// register puts the queue into the program, with the pages that it leads to.
func (r *Reports) register(m *desk.Env) {
	m.Observers = append(m.Observers, r)
	m.Tabs = append(m.Tabs, desk.Tab{Do: keys.Reports, Open: func(m *desk.Env, _ string) tea.Cmd { return m.Open(r) }, Waiting: r.openReports})
	m.Openers["report"] = desk.Opener{
		Needs: keys.Reports, Fits: func(name string) bool { return strings.ContainsAny(name, "0123456789") },
		Open: func(m *desk.Env, id string) tea.Cmd {
			return tea.Batch(m.Open(newReportPage(r, id)), r.readReport(m, id))
		},
	}
	m.Openers["user"] = desk.Opener{Needs: keys.Users, Open: func(m *desk.Env, nick string) tea.Cmd { return r.openPerson(m, shown.Person{Nick: nick}) }}
	m.Openers[tables.ReportedBy] = desk.Opener{Open: r.aboutReport}
	m.Openers[tables.AuthorOf] = desk.Opener{Open: r.byStatus}
}
