package queue

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/journal"
	"svc/client/safe"
	"svc/tui/desk"
	"svc/tui/draw"
	"svc/tui/shown"
	"svc/tui/staged"
	"svc/tui/tables"
)

// record is what there is about an account beside its profile and posts.
type record struct {
	nick string
	log  []shown.Entry
	past *shown.History  // nil without the privilege, and from a server that keeps none
	own  []journal.Entry // of this machine, newest first
	err  error
}

// openPerson shows an account, at first as far as the object in front knew it.
func (r *Reports) openPerson(m *desk.Env, p shown.Person) tea.Cmd {
	if p.Nick == "" {
		m.Say(draw.InkDim, "the account is gone")
		return nil
	}
	page := r.pages[p.Nick]
	if page == nil {
		page = newUserPage(r, p.Nick)
		r.pages[p.Nick] = page
	}
	if page.user == nil && p.Acct.String() != "" {
		page.user = &p
	}
	return tea.Batch(m.Open(page), r.readUser(m, p.Nick), r.readRecord(m, p.Nick))
}

// paragraph is a heading with its lines.
type paragraph struct {
	head  string
	lines []string
}

// paragraphs are the reports about and by an account, its lines of the log, and what
// was done to it from here.
func (p *userPage) paragraphs(m *desk.Env) []paragraph {
	queue := p.queue
	about, by := queue.with(p.nick, colNick), queue.with(p.nick, colByNick)
	scanned := queue.scanned()
	if !m.Rights.Has(tables.NeedsReports) {
		scanned = " (not among your privileges)"
	}
	history := "no reports"
	if t := queue.tallies[p.nick]; t != nil {
		history = inStates(t.count)
	}
	filed := reportCount(len(by))
	if p.past != nil {
		history, filed, scanned = inStates(p.past.About.Of), reportCount(p.past.By.All()), ""
		if p.past.By.All() > 0 {
			filed += ": " + inStates(p.past.By.Of)
		}
	}
	var all []paragraph
	add := func(head string, lines []string) {
		const most = 8
		if more := len(lines) - most; more > 0 {
			lines = append(slices.Clone(lines[:most]), fmt.Sprintf("and %d more", more))
		}
		all = append(all, paragraph{head, lines})
	}
	var lines []string
	if p.past != nil {
		for _, r := range p.past.Reports {
			lines = append(lines, queue.pastLine(m, r, "by "))
		}
	} else {
		for _, row := range about {
			lines = append(lines, queue.reportLine(m, row, "by "+queue.Text(row, colBy)))
		}
	}
	add("HISTORY "+history+scanned, lines)
	lines = nil
	if p.past != nil {
		for _, r := range p.past.Filed {
			lines = append(lines, queue.pastLine(m, r, "about "))
		}
	} else {
		for _, row := range by {
			lines = append(lines, queue.reportLine(m, row, "about "+queue.Text(row, colAbout)))
		}
	}
	add("REPORTED BY THEM "+filed+scanned, lines)
	lines = nil
	for _, e := range p.log {
		lines = append(lines, shown.Stamp(e.At)+"  "+e.Message.String())
	}
	if m.Rights.Has(tables.NeedsLog) {
		add(fmt.Sprintf("LOG %d", len(lines)), lines)
	}
	if past := p.past; past != nil {
		if len(past.Names) > 0 {
			add(fmt.Sprintf("EARLIER NAMES %d", len(past.Names)), texts(past.Names))
		}
		for _, other := range []struct {
			head string
			shown.Shared
		}{{"SAME MAIL DOMAIN ", past.MailDomain}, {"SAME INVITE ", past.Invite}} {
			if other.What.String() == "" {
				continue
			}
			count := fmt.Sprint(len(other.Accts))
			if other.More {
				count += "+"
			}
			add(other.head+other.What.String()+" "+count+" others", texts(other.Accts))
		}
	}
	lines = nil
	for _, e := range p.own {
		report, isReport := strings.CutPrefix(e.Action.Target, "report/")
		ours := e.Action.Target == "user/"+p.nick
		if isReport {
			row, known := queue.Row(report)
			ours = known && queue.Text(row, colNick) == p.nick
		}
		if !ours {
			continue
		}
		text := shown.Stamp(e.At) + "  " + e.Action.Kind.Verb() + " " + staged.ObjectName(e.Action.Kind, e.Action.Target)
		if e.Undone {
			text += ", undone"
		}
		lines = append(lines, text)
	}
	add(fmt.Sprintf("DONE FROM HERE %d", len(lines)), lines)
	return all
}

func texts(of []safe.Safe) []string {
	lines := make([]string, len(of))
	for i, text := range of {
		lines[i] = text.String()
	}
	return lines
}

// pastLine is a report of a history in a line of a person's page, with who decided on it.
func (r *Reports) pastLine(m *desk.Env, past shown.PastReport, word string) string {
	state := past.State
	if row, known := r.Row(past.ID); known {
		state, _, _, _ = r.drawState(m, row)
	}
	if past.Decided && state == past.State {
		if by := past.DecidedBy.String(); by != "" {
			state += " by " + by
		}
		state += " " + safe.Age(m.Now().Sub(past.DecidedAt)) + " ago"
	}
	line := fmt.Sprintf("%s  %s  %s  %s%s: %s", shown.ShortID(past.ID), state, safe.Age(m.Now().Sub(past.At)), word, past.With, past.Text)
	return strings.TrimSuffix(line, ": ")
}

// reportLine is a report in a line of a person's page.
func (r *Reports) reportLine(m *desk.Env, row int, with string) string {
	state, _, message, _ := r.drawState(m, row)
	old := safe.Age(m.Now().Sub(time.Unix(r.Num(row, numAt), 0)))
	return strings.TrimSuffix(fmt.Sprintf("%s  %s  %s  %s: %s", shown.ShortID(r.ID(row)), state, old, with, message), ": ")
}

// with are the loaded rows with a nickname in a column, newest first.
func (r *Reports) with(nick string, column int) []int {
	var rows []int
	for row := range r.Columns.Len() {
		if r.Text(row, column) == nick {
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, func(a, b int) int { return strings.Compare(r.ID(b), r.ID(a)) })
	return rows
}

// person is the account that a row names, on which keys act: the reporter where
// reports are grouped by reporter, else the reported account.
func (r *Reports) person(row int) shown.Person {
	acct, nick, off, gone := colAbout, colNick, int64(flagDeactivated), int64(flagGone)
	if r.group == byReporter {
		acct, nick, off, gone = colBy, colByNick, flagByDeactivated, flagByGone
	}
	flags := r.Num(row, numFlags)
	return shown.Person{
		Nick: r.Text(row, nick), Acct: safe.Clean(safe.Raw(r.Text(row, acct))),
		Deactivated: flags&off != 0, Gone: flags&gone != 0,
	}
}

// known fills accounts in with what is loaded of them.
func (r *Reports) known(people []shown.Person) []shown.Person {
	for i := range people {
		for _, id := range r.details.Keys() {
			detail, _ := r.details.Peek(id)
			for _, p := range []shown.Person{detail.About, detail.By} {
				if p.Nick == people[i].Nick && p.Nick != "" {
					people[i] = p
				}
			}
		}
	}
	return people
}

// people are the accounts that rows name, each once.
func (r *Reports) people(rows []int) []shown.Person {
	known := map[string]bool{}
	var people []shown.Person
	for _, row := range rows {
		if p := r.person(row); p.Nick != "" && !known[p.Nick] {
			known[p.Nick] = true
			people = append(people, p)
		}
	}
	return people
}
