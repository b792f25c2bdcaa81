package tui

import (
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/action"
	"svc/client/safe"
	"svc/tui/list"
	"svc/tui/shown"
)

// Columns of the user list.
const (
	userAcct = iota
	userNick // as it came
	userDomain
	userState
	userRole
	userWhere
	userName
	userHay
	userTexts
)

// userFilters are the states that the API knows.
var userFilters = []string{"active", "deactivated", "need_approval", "unconfirmed", "local", "external", "is_admin", "is_moderator"}

// users is the screen of accounts.
type users struct {
	table
	filter list.Filter
	pager
	observerDefaults
	total int
}

func newUsers() *users {
	u := &users{table: table{List: list.New(userTexts, 0)}}
	u.setView()
	return u
}

func accountState(p *shown.Person) string {
	switch {
	case p.Deleted:
		return "deleted"
	case p.Deactivated:
		return "deactivated"
	case p.Pending:
		return "pending"
	case p.Unconfirmed:
		return "unconfirmed"
	}
	return "active"
}

// accountInk is the ink of a state of an account.
func accountInk(state string) ink {
	switch state {
	case "pending", "unconfirmed":
		return inkOpen
	case "deactivated", "deleted":
		return inkGone
	}
	return inkPlain
}

func userRow(p *shown.Person) list.Row {
	where := "remote"
	if p.Local {
		where = "local"
	}
	acct, name := p.Acct.String(), p.Name.String()
	hay := strings.ToLower(acct + " " + p.Nick + " " + name)
	return list.Row{ID: p.ID, Texts: []string{acct, p.Nick, p.Domain, accountState(p), p.Roles, where, name, hay}}
}

func (u *users) setView() {
	f := u.filter
	u.SetView(list.View{
		Match: func(c list.Columns, row int) bool { return f.Matches(c.Text(row, userHay), c.Text(row, userDomain)) },
		Order: func(c list.Columns, a, b int) int { return strings.Compare(c.Text(a, userAcct), c.Text(b, userAcct)) },
	})
}

// start loads the list when it is first looked at.
func (u *users) start(m *model) tea.Cmd {
	if u.begun() {
		return nil
	}
	return u.reload(m)
}

func (u *users) reload(m *model) tea.Cmd {
	u.restart()
	return u.read(m)
}

func (u *users) more(m *model) tea.Cmd {
	if !u.open() || u.Columns.Len() >= eager && u.Cursor() < u.Len()-2*pageSize {
		return nil
	}
	u.next()
	return u.read(m)
}

func (u *users) loaded(m *model, msg usersLoaded) tea.Cmd {
	if msg.gen != u.gen {
		return nil
	}
	u.took(msg.page, len(msg.rows), msg.err)
	if msg.err != nil {
		return m.trouble(msg.err)
	}
	u.total = msg.total
	u.Put(msg.rows, false)
	return tea.Batch(u.refresh(), u.more(m))
}

// logged applies the actions of other moderators on accounts.
func (u *users) logged(_ *model, fresh []shown.Entry, atStart bool) tea.Cmd {
	for _, e := range fresh {
		if (e.Action == "activate" || e.Action == "deactivate") && !atStart {
			for _, nick := range e.Users {
				u.setDeactivated(nick, e.Action == "deactivate")
			}
		}
	}
	return u.refresh()
}

func (u *users) registered(m *model) tea.Cmd {
	if u.begun() {
		return u.reload(m)
	}
	return nil
}

// ended loads the accounts again that actions changed.
func (u *users) ended(m *model, results []action.Result) tea.Cmd {
	for _, r := range results {
		if r.Action.Kind.Noun() == "user" && r.Outcome == action.Changed && u.begun() {
			return u.reload(m)
		}
	}
	return nil
}

func (u *users) setDeactivated(nick string, off bool) {
	state := "active"
	if off {
		state = "deactivated"
	}
	for row := range u.Columns.Len() {
		if u.Text(row, userNick) == nick {
			u.SetText(row, userState, state)
		}
	}
}

func (u *users) filterText() string { return u.filter.Text }
func (u *users) states() []string   { return userFilters }

// queryWait is how long typing rests before the server is asked.
const queryWait = 150 * time.Millisecond

// queryDue comes when a filter has not changed for a moment.
type queryDue struct {
	screen querying
	gen    int
}

func (msg queryDue) deliver(m *model) tea.Cmd { return msg.screen.queryDue(m, msg.gen) }

type querying interface {
	queryDue(m *model, gen int) tea.Cmd
}

func (u *users) setFilter(m *model, text string) tea.Cmd {
	u.filter = list.ParseFilter(text, userFilters)
	u.setView()
	u.gen++
	due := queryDue{u, u.gen}
	return tea.Batch(u.refresh(), m.after(queryWait, func() tea.Msg { return due }))
}

func (u *users) queryDue(m *model, gen int) tea.Cmd {
	if gen != u.gen {
		return nil
	}
	u.Clear() // only the server can apply state:
	return tea.Batch(u.reload(m), u.refresh())
}

func (u *users) on() places                { return onUsers }
func (u *users) tab() command              { return doUsers }
func (u *users) allowed(keys *keymap) bool { return keys.has(doUsers) }
func (u *users) moved(m *model) tea.Cmd    { return tea.Batch(u.refresh(), u.more(m)) }

func (u *users) title(*model) string { return fmt.Sprintf("USERS %d/%d", u.Len(), u.total) }

func (u *users) extras(*model) []extra {
	if u.filter.Text != "" {
		return []extra{{text: "/" + safe.Line(u.filter.Text), keep: true}}
	}
	return nil
}

func (u *users) bar(*model) []command {
	return []command{doIn, doDeactivate, doActivate, "approve", "tag", "promote", doMenu, doMark, doFilter, doCopy}
}

func (u *users) hint(*model) string {
	if n := len(u.MarkedRows()); n > 0 {
		return fmt.Sprintf("MARKED deactivate %d", n)
	}
	return ""
}

func (u *users) run(m *model, c command) (tea.Cmd, bool) {
	switch c {
	case doIn:
		e, ok := u.Under()
		if !ok {
			return nil, true
		}
		return m.openUser(u.Text(e.Row, userNick)), true
	case doRefresh:
		return u.reload(m), true
	case doBack:
		switch {
		case len(u.MarkedRows()) > 0:
			u.Unmark()
		case u.filter.Text != "":
			return u.setFilter(m, ""), true
		}
		return nil, true
	case doCopy:
		if e, ok := u.Under(); ok {
			m.askCopy(u.ID(e.Row), u.Text(e.Row, userNick), "")
		}
		return nil, true
	}
	if u.move(c, m.layout().body-1) {
		return tea.Batch(u.refresh(), u.more(m)), true
	}
	people := u.people(u.Chosen())
	cmd, ok := m.onPeople(c, people)
	if ok {
		u.Unmark()
	}
	return cmd, ok
}

// people are the accounts of rows, as far as the list has them.
func (u *users) people(rows []int) []shown.Person {
	var people []shown.Person
	for _, row := range rows {
		state := u.Text(row, userState)
		people = append(people, shown.Person{
			ID: u.ID(row), Nick: u.Text(row, userNick), Local: u.Text(row, userWhere) == "local", Roles: u.Text(row, userRole),
			Deactivated: state == "deactivated" || state == "deleted", Pending: state == "pending", Unconfirmed: state == "unconfirmed",
		})
	}
	return people
}

func (u *users) draw(m *model, d layout) []line {
	height := d.body - 1
	wide := acctWidth(d.width)
	lines := []line{inked(inkDim, "    "+safe.Fit("NICKNAME", wide)+" STATE          ROLE      WHERE  NAME")}
	if u.Len() == 0 {
		return append(lines, nil, u.nothing(m))
	}
	from, to := u.Window(height)
	for i := from; i < to; i++ {
		l := u.drawRow(m, u.At(i).Row, wide, i == u.Cursor()).lastShortened(d.width)
		if i == u.Cursor() {
			l = l.fit(d.width)
		}
		lines = append(lines, l)
	}
	return lines
}

func (u *users) nothing(m *model) line {
	return m.nothing("accounts", "there are no accounts", u.loading, u.failed, u.filter)
}

// acctWidth is the width of the accounts' names. Narrow screens take of it what the
// columns behind need to be whole.
func acctWidth(screen int) int { return max(16, min(28, screen-37)) }

func (u *users) drawRow(m *model, row, acctWidth int, cursor bool) line {
	nick := u.Text(row, userNick)
	lead, ink := []byte("    "), inkPlain
	if cursor {
		lead[0] = '>'
	}
	if u.Marked(row) {
		lead[1], ink = '*', inkMark
	}
	state := u.Text(row, userState)
	ofState := accountInk(state)
	if wish := m.wish("user/" + nick); wish != "" {
		state, ofState = wish, inkWarn
	}
	acct, label := u.Text(row, userAcct), m.likeStaff(nick)
	const stateWidth, roleWidth, whereWidth = 14, 9, 6
	name, nameInk := u.Text(row, userName), inkPlain
	if reason := m.troubles["user/"+nick]; reason != "" {
		name, nameInk = "! "+reason, inkBad
	}
	l := inked(ink, string(lead))
	l = append(l, accountLine(safe.Fit(safe.Truncate(acct, acctWidth-safe.Width(label), "~")+label, acctWidth)+" ", inkPlain)...)
	l = append(l, line{
		{safe.Fit(state, stateWidth) + " ", ofState},
		{safe.Fit(u.Text(row, userRole), roleWidth) + " ", inkChip}, {safe.Fit(u.Text(row, userWhere), whereWidth) + " ", inkDim},
		{name, nameInk},
	}...)
	if cursor {
		return l.underCursor()
	}
	return l
}

func (u *users) spoken(m *model) []string {
	if u.Len() == 0 {
		return []string{sentence(words(u.nothing(m)))}
	}
	return []string{fmt.Sprintf("User %d of %d: %s", u.Cursor()+1, u.Len(), u.spokenRow(m, u.Cursor()))}
}

func (u *users) spokenRow(m *model, i int) string {
	row := u.At(i).Row
	state := u.Text(row, userState)
	if wish := m.wish("user/" + u.Text(row, userNick)); wish != "" {
		state += ", " + wish
	}
	return told(u.Text(row, userAcct)+m.likeStaff(u.Text(row, userNick)), state, u.Text(row, userRole), u.Text(row, userWhere), u.Text(row, userName))
}

// show puts the accounts in front, and loads them when they are first looked at.
func (u *users) show(m *model) tea.Cmd { return tea.Batch(m.open(u), u.start(m)) }
