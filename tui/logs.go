package tui

import (
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/safe"
	"svc/tui/list"
	"svc/tui/shown"
)

// Columns of the moderation log.
const (
	logActor = iota
	logWhat
	logMessage // as the server words it
	logReport  // id of the report it is about, as it came
	logUsers   // nicknames of the accounts it is about, as they came
	logStatus  // id of the status it is about, as it came
	logHay
	logTexts
)

// logs is the screen of the moderation log.
type logs struct {
	table
	filter list.Filter
	pager
	observerDefaults
}

func newLogs() *logs {
	l := &logs{table: table{List: list.New(logTexts, 1)}}
	l.setView()
	return l
}

func entryRow(e *shown.Entry) list.Row {
	what, message := e.What.String(), e.Message.String()
	return list.Row{
		ID: e.Key, Nums: []int64{e.At.Unix()},
		Texts: []string{e.Actor, what, message, e.Report, strings.Join(e.Users, " "), e.Status, strings.ToLower(message + " " + what)},
	}
}

func (l *logs) setView() {
	f := l.filter
	l.SetView(list.View{Match: func(c list.Columns, row int) bool {
		return f.Matches(c.Text(row, logHay), strings.ToLower(c.Text(row, logActor)))
	}})
}

func (l *logs) start(m *model) tea.Cmd {
	if l.begun() {
		return nil
	}
	return l.reload(m)
}

func (l *logs) reload(m *model) tea.Cmd {
	l.restart()
	return l.read(m)
}

func (l *logs) more(m *model) tea.Cmd {
	if !l.open() || l.Len() >= pageSize && l.Cursor() < l.Len()-pageSize/2 {
		return nil
	}
	l.next()
	return l.read(m)
}

func (l *logs) loaded(m *model, msg logLoaded) tea.Cmd {
	if msg.gen != l.gen {
		return nil
	}
	l.took(msg.page, len(msg.rows), msg.err)
	if msg.err != nil {
		return m.trouble(msg.err)
	}
	l.Put(msg.rows, false)
	return tea.Batch(l.refresh(), l.more(m))
}

// logged adds the new entries.
func (l *logs) logged(_ *model, fresh []shown.Entry, _ bool) tea.Cmd {
	if l.page == 0 {
		return nil
	}
	var rows []list.Row
	for _, e := range fresh {
		rows = append(rows, entryRow(&e))
	}
	l.Put(rows, l.Cursor() > 0)
	return l.refresh()
}

func (l *logs) filterText() string { return l.filter.Text }
func (l *logs) states() []string   { return nil }

func (l *logs) setFilter(m *model, text string) tea.Cmd {
	l.filter = list.ParseFilter(text, nil)
	l.setView()
	l.gen++
	due := queryDue{l, l.gen}
	return tea.Batch(l.refresh(), m.after(queryWait, func() tea.Msg { return due }))
}

func (l *logs) queryDue(m *model, gen int) tea.Cmd {
	if gen != l.gen {
		return nil
	}
	return l.reload(m)
}

func (l *logs) on() places                { return onLog }
func (l *logs) tab() command              { return doLog }
func (l *logs) allowed(keys *keymap) bool { return keys.has(doLog) }
func (l *logs) moved(m *model) tea.Cmd    { return tea.Batch(l.refresh(), l.more(m)) }
func (l *logs) rows(d layout) area        { return area{l.List, d.width, l.height(d)} }

func (l *logs) title(*model) string { return fmt.Sprintf("LOG %d", l.Len()) }

func (l *logs) extras(m *model) []extra {
	var extras []extra
	if l.filter.Text != "" {
		extras = append(extras, extra{text: "/" + safe.Line(l.filter.Text), keep: true})
	}
	if n := l.Waiting(); n > 0 {
		extras = append(extras, extra{text: fmt.Sprintf("+%d new (%s)", n, m.keys.key(doMerge))})
	}
	return extras
}

func (l *logs) bar(*model) []command {
	return []command{doIn, doFilter, doMerge, doCopy, doReports, doUsers}
}

func (l *logs) run(m *model, c command) (tea.Cmd, bool) {
	switch c {
	case doIn:
		e, ok := l.Under()
		if ok && l.Text(e.Row, logReport) == "" {
			return l.person(m), true
		}
		if !ok {
			return nil, true
		}
		return m.openTarget("report/" + l.Text(e.Row, logReport)), true
	case doPerson:
		return l.person(m), true
	case doRefresh:
		l.Merge()
		return tea.Batch(l.reload(m), l.refresh()), true
	case doBack:
		if l.filter.Text != "" {
			return l.setFilter(m, ""), true
		}
		l.Unmark()
		return nil, true
	case doCopy:
		if e, ok := l.Under(); ok {
			m.askCopy(l.Text(e.Row, logReport), l.Text(e.Row, logActor), "")
		}
		return nil, true
	}
	if !l.move(c, l.height(m.layout())) {
		return nil, false
	}
	return tea.Batch(l.refresh(), l.more(m)), true
}

func (l *logs) draw(m *model, d layout) []line {
	lines := []line{inked(inkDim, "    TIME                  ACTOR         WHAT")}
	if l.Len() == 0 {
		return append(lines, nil, l.nothing(m))
	}
	height := l.height(d)
	from, to := l.Window(height)
	for i := from; i < to; i++ {
		row := l.At(i).Row
		lead := []byte("    ")
		if l.Marked(row) {
			lead[1] = '*'
		}
		const actorWidth = 13
		what := l.Text(row, logWhat)
		outcome, rest, _ := strings.Cut(what, " ")
		text := line{{stamp(time.Unix(l.Num(row, 0), 0)) + "  ", inkDim}, {safe.Fit(l.Text(row, logActor), actorWidth) + " ", inkStrong}, {outcome, stateInk(outcome)}, {" " + rest, inkPlain}}
		if i == l.Cursor() {
			lead[0] = '>'
			lines = append(lines, append(inked(inkStrong, string(lead)), text...).lastShortened(d.width).fit(d.width).underCursor())
			continue
		}
		lines = append(lines, append(plain(string(lead)), text...).lastShortened(d.width))
	}
	if height == d.body-1 {
		return lines
	}
	for len(lines) < height+1 {
		lines = append(lines, nil)
	}
	lines = append(lines, m.rule(d.width))
	if e, ok := l.Under(); ok {
		for _, text := range safe.Wrap(l.Text(e.Row, logMessage), d.width-2) {
			lines = append(lines, plain(" "+text))
		}
	}
	return lines
}

func (l *logs) nothing(m *model) line {
	return m.nothing("the log", "nothing is in the log yet", l.loading, l.failed, l.filter)
}

// height is the number of entries shown; below them the one under the cursor
// stands in full.
func (l *logs) height(d layout) int {
	const full = 5
	if d.body < 3*full {
		return d.body - 1
	}
	return d.body - 1 - full
}

func (l *logs) spoken(m *model) []string {
	if l.Len() == 0 {
		return []string{sentence(words(l.nothing(m)))}
	}
	return []string{fmt.Sprintf("Entry %d of %d: %s", l.Cursor()+1, l.Len(), l.spokenRow(m, l.Cursor()))}
}

func (l *logs) spokenRow(_ *model, i int) string {
	row := l.At(i).Row
	return told(stamp(time.Unix(l.Num(row, 0), 0)), l.Text(row, logActor), l.Text(row, logWhat))
}

// person opens the account that an entry is about, by way of a report or a status
// where the entry names no account.
func (l *logs) person(m *model) tea.Cmd {
	e, ok := l.Under()
	if !ok {
		return nil
	}
	people, report, status := strings.Fields(l.Text(e.Row, logUsers)), l.Text(e.Row, logReport), l.Text(e.Row, logStatus)
	const most = 9
	switch {
	case len(people) == 1:
		return m.openUser(people[0])
	case len(people) > 1:
		var choices []choice
		for i, nick := range people[:min(most, len(people))] {
			choices = append(choices, choice{fmt.Sprint(i + 1), shown.Acct(nick).String(), func(m *model) tea.Cmd { return m.openUser(nick) }})
		}
		m.ask(&prompt{title: []line{plain(" whose page?")}, choices: append(choices, choice{"esc", "cancel", stay})})
		return nil
	case report != "":
		return m.openTarget(reportedBy + "/" + report)
	case status != "":
		return m.openTarget(authorOf + "/" + status)
	}
	m.say(inkDim, "this entry is about no account")
	return nil
}

// show puts the log in front, and loads it when it is first looked at.
func (l *logs) show(m *model) tea.Cmd { return tea.Batch(m.open(l), l.start(m)) }
