package tui

import (
	"fmt"
	"strings"
	"time"

	"svc/client/safe"
	"svc/tui/list"
	"svc/tui/shown"
)

// Widths of the columns of the report list. Those that may hold more than
// ASCII stand last on their line.
const (
	aboutWidth = 25
	stateWidth = 10
	// paneWidth is the list beside the evidence, aboutPane its REPORTED.
	paneWidth = 50
	aboutPane = 23
)

func (r *reports) title(*model) string {
	count := fmt.Sprintf("%d", r.total)
	if r.filter.Narrows() {
		count = fmt.Sprintf("%d", r.shownRows())
	}
	if r.all >= 0 {
		count += fmt.Sprintf("/%d", r.all)
	}
	return "REPORTS " + r.state + " " + count
}

// shownRows counts the rows that the filter shows, also in closed groups.
func (r *reports) shownRows() int {
	if !r.Grouped() {
		return r.Len()
	}
	rows := 0
	for i := range r.Len() {
		if e := r.At(i); e.Head() {
			rows += len(r.GroupOf(e).Rows)
		}
	}
	return rows
}

func (r *reports) extras(m *model) []extra {
	extras := []extra{{"by:" + r.group.String(), 2}, {"sort:" + r.sort.String(), 3}}
	if r.filter.Text != "" {
		extras = append(extras, extra{"/" + safe.Line(r.filter.Text), 1})
	}
	if n := r.foldedRows(m); n > 0 {
		extras = append(extras, extra{fmt.Sprintf("%d folded", n), 1})
	}
	if n := r.Waiting(); n > 0 {
		extras = append(extras, extra{fmt.Sprintf("+%d new (.)", n), 0})
	}
	return extras
}

func (r *reports) bar(m *model) []command {
	if r.onPosts {
		return []command{doMark, doDelete, doSensitive, doVisibility, doShowCW, doMedia, doBack}
	}
	return []command{doResolve, doClose, doReopen, doNote, doDeactivate, doDelete, doSensitive, doGroup, doFilter}
}

// hint names the effect of keys on the marked rows.
func (r *reports) hint(*model) string {
	marked := r.MarkedRows()
	if g, ok := r.groupUnder(); ok && len(marked) == 0 {
		return fmt.Sprintf("GROUP resolve %d (%d not viewed)", len(g.Rows), r.notViewed(g.Rows))
	}
	if len(marked) == 0 {
		return ""
	}
	return fmt.Sprintf("MARKED resolve %d (%d not viewed)", len(marked), r.notViewed(marked))
}

func (r *reports) draw(m *model, d layout) []line {
	if r.Columns.Len() == 0 {
		return r.drawEmpty(m, d)
	}
	if !d.beside {
		lines := append([]line{r.heads(m, d)}, r.drawRows(m, d)...)
		if d.evidence > 0 {
			lines = append(lines, inked(inkDim, strings.Repeat("-", d.width)))
			lines = append(lines, r.drawEvidence(m, d.width, d.evidence, false)...)
		}
		return lines
	}
	left := append([]line{r.heads(m, d)}, r.drawRows(m, d)...)
	right := r.drawEvidence(m, d.width-paneWidth-1, d.evidence, true)
	lines := make([]line, 0, d.evidence)
	for i := range d.evidence {
		var l line
		if i < len(left) {
			l = left[i]
		}
		l = append(l.fit(paneWidth), span{"|", inkDim})
		if i < len(right) {
			l = append(l, right[i]...)
		}
		lines = append(lines, l)
	}
	return lines
}

func (r *reports) drawEmpty(m *model, d layout) []line {
	text := "loading reports"
	switch {
	case r.failed.String() != "":
		text = "reports could not be loaded: " + r.failed.String()
	case r.page > 0 && !r.loading:
		text = "no reports"
	}
	return []line{r.heads(m, d), nil, plain("    " + text)}
}

func (r *reports) heads(_ *model, d layout) line {
	if d.compact(r) {
		heads := "    AGE PST RPT STATE      REPORTED                  MESSAGE"
		if r.group == byReporter {
			heads = strings.Replace(heads, "REPORTED", "REPORTER", 1)
		}
		return inked(inkStrong, safe.Truncate(heads, d.listWidth(), ""))
	}
	return inked(inkStrong, safe.Truncate("    ID     AGE PST RPT STATE      REPORTED                  MESSAGE", d.width, ""))
}

// compact reports whether the rows go without their ids.
func (d layout) compact(r *reports) bool { return d.beside || r.Grouped() }

func (d layout) listWidth() int {
	if d.beside {
		return len("    AGE PST RPT STATE      REPORTED")
	}
	return d.width
}

func (r *reports) drawRows(m *model, d layout) []line {
	from, to := r.Window(d.list)
	lines := make([]line, 0, d.list)
	for i := from; i < to; i++ {
		e := r.At(i)
		var l line
		switch {
		case e.Head():
			l = r.drawHead(m, d, r.GroupOf(e))
		case e.Group >= 0:
			l = r.drawRow(m, d, e.Row, true)
		default:
			l = r.drawRow(m, d, e.Row, false)
		}
		if i == r.Cursor() {
			l[0].text = ">" + l[0].text[1:]
			if !r.onPosts {
				l = l.underCursor()
			}
		}
		lines = append(lines, l)
	}
	if rest := r.Len() - to; rest > 0 && d.beside && len(lines) == d.list && to-1 != r.Cursor() {
		lines[len(lines)-1] = inked(inkDim, fmt.Sprintf("    (%d more rows)", rest+1))
	}
	for len(lines) < d.list {
		lines = append(lines, nil)
	}
	return lines
}

func (r *reports) drawHead(m *model, d layout, g list.Group) line {
	posts, open, newest := int64(0), 0, int64(0)
	marked := true
	for _, row := range g.Rows {
		posts += r.Num(row, numPosts)
		newest = max(newest, r.Num(row, numAt))
		if r.Text(row, colState) == "open" {
			open++
		}
		marked = marked && r.Marked(row)
	}
	mark := " "
	switch {
	case marked:
		mark = "*"
	case r.Opened(g):
		mark = "v"
	case len(g.Rows) > 1:
		mark = "+"
	}
	state, ink := r.state, inkPlain
	if open > 0 {
		state = "open"
	}
	if wish := r.groupWish(m, g.Rows); wish != "" {
		state, ink = wish, inkWarn
	}
	key := g.Key
	if r.group == byStatus {
		key = safe.Line(key)
	}
	about := safe.Fit(key, aboutPane)
	first := r.Text(g.Rows[0], colNick)
	switch r.group {
	case byAccount:
		about = r.drawAbout(m, g.Rows[0], first, aboutPane)
	case byReporter:
		about = r.drawReporter(m, g.Rows[0], aboutPane)
	}
	head := fmt.Sprintf(" %s%5s%4d%4d ", mark, safe.Age(m.now().Sub(time.Unix(newest, 0))), min(posts, 999), min(len(g.Rows), 999))
	l := line{{head, inkStrong}, {safe.Fit(state, stateWidth) + " ", ink}, {about, inkStrong}}
	if !d.beside {
		l = append(l, span{"   " + r.Text(g.Rows[0], colMessage), inkPlain})
	}
	return l
}

// groupWish is the staged action of all rows of a group, "" if they differ.
func (r *reports) groupWish(m *model, rows []int) string {
	wish := ""
	for i, row := range rows {
		one := m.wish("report/" + r.ID(row))
		if one == "" || i > 0 && one != wish {
			return ""
		}
		wish = one
	}
	return wish
}

func (r *reports) drawRow(m *model, d layout, row int, member bool) line {
	id := r.ID(row)
	mark, ink := " ", inkPlain
	if r.Marked(row) {
		mark, ink = "*", inkMark
	}
	aged := safe.Age(m.now().Sub(time.Unix(r.Num(row, numAt), 0)))
	state, stateInk, message, messageInk := r.drawState(m, row)
	posts := min(r.Num(row, numPosts), 999)
	count := min(r.tallies[r.Text(row, colNick)].count(r.state), 999)
	l := line{}
	switch {
	case member:
		l = append(l, span{fmt.Sprintf(" %s%6s%3d     ", mark, aged, posts), ink})
	case d.compact(r):
		l = append(l, span{fmt.Sprintf(" %s%5s%4d%4d ", mark, aged, posts, count), ink})
	default:
		l = append(l, span{fmt.Sprintf(" %s  %-5s%5s%4d%4d ", mark, shown.ShortID(id), aged, posts, count), ink})
	}
	l = append(l, span{safe.Fit(state, stateWidth) + " ", stateInk})
	width := aboutWidth
	if d.compact(r) {
		width = aboutPane
	}
	switch {
	case member && r.group == byAccount:
		l = append(l, span{safe.Fit(shown.ShortID(id)+" by "+r.Text(row, colBy), width), inkPlain})
	case r.group == byReporter:
		l = append(l, span{r.drawReporter(m, row, width), inkPlain})
		message = strings.TrimSuffix("on "+r.Text(row, colAbout)+": "+message, ": ")
	default:
		l = append(l, span{r.drawAbout(m, row, r.Text(row, colNick), width), inkPlain})
	}
	if d.beside {
		return l
	}
	gap := " "
	if d.compact(r) {
		gap = "   "
	}
	return append(l, span{gap + message, messageInk})
}

// drawState is the STATE and MESSAGE of a row: its state, or its staged action,
// or the reason of a failure.
func (r *reports) drawState(m *model, row int) (state string, stateInk ink, message string, messageInk ink) {
	target := "report/" + r.ID(row)
	state, message = r.Text(row, colState), r.Text(row, colMessage)
	if why := m.conflict(target); why != "" {
		return "conflict", inkBad, "! " + why, inkBad
	}
	if reason, ghost := r.Ghost(row); ghost {
		if _, by, found := strings.Cut(reason, " by "); found {
			return "gone:" + by, inkDim, reason, inkDim
		}
		return reason, inkDim, message, inkDim
	}
	if wish := m.wish(target); wish != "" {
		return wish, inkWarn, message, inkPlain
	}
	if reason := m.troubles[target]; reason != "" {
		return state + " !", inkBad, "! " + reason, inkBad
	}
	if by, _ := r.claim(m, row); by != "" {
		message = "[claimed by " + by + "] " + message
	}
	return state, inkPlain, message, inkPlain
}

// drawAbout is the reported account with its warnings, in exactly width cells.
func (r *reports) drawAbout(m *model, row int, nick string, width int) string {
	flags := r.Num(row, numFlags)
	label := ""
	switch t := r.tallies[nick]; {
	case flags&flagGone != 0:
		label = " [gone]"
	case m.wish("user/"+nick) != "":
		label = " [" + m.wish("user/"+nick) + "]"
	case flags&flagDeactivated != 0:
		label = " [off]"
	case m.staff.Lookalike(nick) != "":
		label = m.staff.Label(nick).String()
	case t.lastHour(m.now()) >= dogpile:
		label = fmt.Sprintf(" [%d/1h]", t.lastHour(m.now()))
	}
	about := r.Text(row, colAbout)
	if flags&flagGone != 0 && about == "(gone)" {
		return safe.Fit(about, width)
	}
	return safe.Fit(safe.Truncate(about, width-safe.Width(label), "~")+label, width)
}

// drawReporter is the account that reported with its warnings, in exactly width
// cells.
func (r *reports) drawReporter(m *model, row int, width int) string {
	p := r.person(row)
	label := ""
	switch wish := m.wish("user/" + p.Nick); {
	case p.Gone:
		label = " [gone]"
	case wish != "":
		label = " [" + wish + "]"
	case p.Deactivated:
		label = " [off]"
	case m.staff.Lookalike(p.Nick) != "":
		label = m.staff.Label(p.Nick).String()
	}
	if p.Gone && p.Acct.String() == "(gone)" {
		label = ""
	}
	return safe.Fit(safe.Truncate(p.Acct.String(), width-safe.Width(label), "~")+label, width)
}

// dogpile is how many reports about one account within an hour are pointed out.
const dogpile = 5

func (r *reports) drawEvidence(m *model, width, height int, rich bool) []line {
	id := r.UnderID()
	if id == "" {
		return make([]line, height)
	}
	var lines []line
	if g, ok := r.groupUnder(); ok {
		all, head, selected, seen := r.groupEvidence(m, g, width, r.onPosts, rich)
		lines = r.posts.window(all, head, selected, height)
		last := r.posts.top + height
		if last < len(all) {
			last-- // the line that counts those below
		}
		for at, ids := range seen {
			for _, id := range ids {
				r.viewed[id] = r.viewed[id] || at >= r.posts.top && at < last
			}
		}
	} else {
		all, head, selected := r.evidence(m, &r.posts, id, width, r.onPosts, rich)
		lines = r.posts.window(all, head, selected, height)
	}
	for len(lines) < height {
		lines = append(lines, nil)
	}
	return lines
}
