package queue

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"svc/client/safe"
	"svc/tui/desk"
	"svc/tui/draw"
	"svc/tui/keys"
	"svc/tui/list"
	"svc/tui/shown"
)

// stateWidth holds the longest state: resolved, gone:tess, resolve 3s.
const stateWidth = 10

// reportColumns are the columns of the list. Those that may hold more than ASCII
// stand last on their line.
type reportColumns struct {
	words   bool // heads are whole words
	id      bool
	account int  // its width
	message int  // its width, 0 for none
	last    bool // nothing stands to the right of the message
}

func (r *Reports) columns(d draw.Layout) reportColumns {
	const lead, id, messageGap = 2, 7, 1
	c := reportColumns{words: d.Beside, id: !d.Beside && !r.Grouped(), account: 24}
	if !d.Beside {
		used := lead + id
		if r.Grouped() {
			c.account, used = 23, lead
		}
		used += len(" AGE PST   RPT ") + stateWidth + 1 + c.account + messageGap
		c.message, c.last = max(1, d.Width-used), true
		return c
	}
	fixed := lead + len("  AGE POSTS REPORTS ") + stateWidth + 1
	c.id, c.message = d.Width >= draw.WideWidth, 0
	if c.id {
		c.account = 25
		c.message = d.Pane - fixed - id - c.account - messageGap
		return c
	}
	c.account = d.Pane - fixed
	return c
}

func (r *Reports) Title(m *desk.Env) string {
	n := r.total
	if r.filter.Narrows() {
		n = r.shownRows()
	}
	count := fmt.Sprintf("%d", max(0, n+r.stagedMoves(m)))
	if r.all >= 0 {
		count += fmt.Sprintf("/%d", r.all)
	}
	return "REPORTS " + r.state + " " + count
}

// shownRows counts the rows that the filter shows, also in closed groups.
func (r *Reports) shownRows() int {
	if !r.Grouped() {
		return r.Len() - r.Ghosts()
	}
	rows := -r.Ghosts()
	for i := range r.Len() {
		if e := r.At(i); e.Head() {
			rows += len(r.GroupOf(e).Rows)
		}
	}
	return rows
}

func (r *Reports) Extras(m *desk.Env) []desk.Extra {
	var extras []desk.Extra
	if r.group != flat {
		extras = append(extras, desk.Extra{Text: "by:" + r.group.String(), Rank: 2})
	}
	if r.sort != byAge {
		extras = append(extras, desk.Extra{Text: "sort:" + r.sort.String(), Rank: 3})
	}
	if r.filter.Text != "" {
		extras = append(extras, desk.Extra{Text: "/" + safe.Line(r.filter.Text), Keep: true})
	}
	if n := r.foldedRows(m); n > 0 {
		extras = append(extras, desk.Extra{Text: fmt.Sprintf("%d folded", n), Rank: 1})
	}
	if n := r.Waiting(); n > 0 {
		extras = append(extras, desk.Extra{Text: fmt.Sprintf("+%d new (%s)", n, m.Keys.Key(keys.Merge))})
	}
	return extras
}

func (r *Reports) Bar(m *desk.Env) []keys.Command {
	if r.onPosts {
		return []keys.Command{keys.Mark, keys.Delete, keys.Sensitive, keys.Visibility, keys.ShowCW, keys.Media, keys.Back}
	}
	return []keys.Command{keys.Resolve, keys.Close, keys.Reopen, keys.Note, keys.Play, keys.Deactivate, keys.Delete, keys.Sensitive, keys.Group, keys.Filter}
}

// Hint names the effect of keys on the marked rows.
func (r *Reports) Hint(*desk.Env) string {
	marked := r.MarkedRows()
	if g, ok := r.groupUnder(); ok && len(marked) == 0 {
		return fmt.Sprintf("GROUP resolve %d (%d not viewed)", len(g.Rows), r.notViewed(g.Rows))
	}
	if len(marked) == 0 {
		return ""
	}
	return fmt.Sprintf("MARKED resolve %d (%d not viewed)", len(marked), r.notViewed(marked))
}

func (r *Reports) Draw(m *desk.Env, d draw.Layout) []draw.Line {
	if r.Len() == 0 {
		return r.drawEmpty(m, d)
	}
	if !d.Beside {
		lines := append([]draw.Line{r.heads(m, d)}, r.drawRows(m, d)...)
		if d.Evidence > 0 {
			lines = append(lines, m.Rule(d.Width))
			lines = append(lines, r.drawEvidence(m, d.Width, d.Evidence, false)...)
		}
		return lines
	}
	left := append([]draw.Line{r.heads(m, d)}, r.drawRows(m, d)...)
	right := r.drawEvidence(m, d.Width-d.Pane-1, d.Evidence, true)
	lines := make([]draw.Line, 0, d.Evidence)
	for i := range d.Evidence {
		var l draw.Line
		if i < len(left) {
			l = left[i]
		}
		l = append(l.Fit(d.Pane), draw.Span{Text: m.Theme.Glyphs.Wall, Ink: draw.InkRule})
		if i < len(right) {
			l = append(l, right[i]...)
		}
		lines = append(lines, l)
	}
	return lines
}

func (r *Reports) drawEmpty(m *desk.Env, d draw.Layout) []draw.Line {
	ink, text := draw.InkPlain, ""
	switch loaded := r.Progress(m); {
	case r.failed.String() != "":
		ink, text = draw.InkBad, "reports could not be loaded: "+r.failed.String()+"; "+m.Keys.Key(keys.Refresh)+" tries again"
	case r.page == 0 || r.loading && r.Columns.Len() == 0:
		ink, text = draw.InkDim, "loading reports"
	case r.filter.Narrows() && loaded != "":
		text = "nothing matches /" + safe.Line(r.filter.Text) + " yet: " + loaded
	case r.filter.Narrows():
		text = "nothing matches /" + safe.Line(r.filter.Text) + "; " + m.Keys.Key(keys.Back) + " shows all"
	case r.loading:
		ink, text = draw.InkDim, "loading reports"
	case r.state == "all":
		text = "there are no reports"
	default:
		text = "no " + r.state + " reports: nothing is left to do here"
		if r.state != "open" {
			text = "no " + r.state + " reports"
		}
	}
	lines := []draw.Line{r.heads(m, d), nil}
	for _, part := range safe.Wrap(text, d.Width-6) {
		lines = append(lines, draw.Inked(ink, "    "+part))
	}
	return lines
}

// Progress says how many of the reports were loaded, while it matters.
func (r *Reports) Progress(*desk.Env) string {
	if r.complete || r.total == 0 || len(r.walked) >= r.total {
		return ""
	}
	text := fmt.Sprintf("loaded %s of %s", shown.Thousands(len(r.walked)), shown.Thousands(r.total))
	switch {
	case r.filter.Narrows():
		text += "; the filter searches what is loaded"
	case r.group != flat:
		text += "; groups have what is loaded"
	case r.sort != byAge:
		text += "; sorted is what is loaded"
	}
	return text
}

func (r *Reports) heads(_ *desk.Env, d draw.Layout) draw.Line {
	c := r.columns(d)
	heads := "  "
	if c.id {
		heads += "  ID   "
	}
	if c.words {
		heads += "  AGE POSTS REPORTS "
	} else {
		heads += " AGE PST   RPT "
	}
	about := [groupings]string{flat: "ACCOUNT", byAccount: "ACCOUNT", byDomain: "DOMAIN", byStatus: "AUTHOR", byReporter: "REPORTER"}[r.group]
	message := "MESSAGE"
	if r.group == byStatus {
		message = "POST"
	}
	heads += safe.Fit("STATE", stateWidth) + " " + safe.Fit(about, c.account)
	if c.message != 0 {
		heads += " " + message
	}
	return draw.Inked(draw.InkDim, strings.TrimRight(heads, " "))
}

// numbers are the cells of age, posts and reports, of which reports are so many in all;
// a report within a group has none for reports.
func (r *Reports) numbers(m *desk.Env, c reportColumns, at, posts int64, reports int, count string) draw.Line {
	old := m.Now().Sub(time.Unix(at, 0))
	ink := draw.InkPlain
	switch {
	case old >= 24*time.Hour:
		ink = draw.InkHot
	case old >= 4*time.Hour:
		ink = draw.InkWarm
	}
	age, narrow, wide := "%4s", "%4d", "%6s"
	if c.words {
		age, narrow, wide = "%5s", "%6d", "%8s"
	}
	countInk := draw.InkPlain
	if reports >= repeatedly {
		countInk = draw.InkRepeat
	}
	return draw.Line{{Text: fmt.Sprintf(age, safe.Age(old)), Ink: ink}, {Text: fmt.Sprintf(narrow, min(posts, 999)), Ink: draw.InkPlain}, {Text: fmt.Sprintf(wide, count) + " ", Ink: countInk}}
}

// repeatedly is how many reports about one account stand out.
const repeatedly = 3

func (r *Reports) drawRows(m *desk.Env, d draw.Layout) []draw.Line {
	from, to := r.Window(d.List)
	lines := make([]draw.Line, 0, d.List)
	for i := from; i < to; i++ {
		e := r.At(i)
		var l draw.Line
		switch {
		case e.Head():
			l = r.drawHead(m, d, r.GroupOf(e))
		case e.Group >= 0:
			l = r.drawRow(m, d, e.Row, true)
		default:
			l = r.drawRow(m, d, e.Row, false)
		}
		if i == r.Cursor() {
			// The mark of the cursor says where keys go, too.
			mark := ">"
			if r.onPosts {
				mark = "-"
			}
			l[0].Text = mark
			if !r.onPosts {
				if !d.Beside {
					l = l.Fit(d.Width)
				}
				l = l.UnderCursor()
			}
		}
		lines = append(lines, l)
	}
	if rest := r.Len() - to; rest > 0 && d.Beside && len(lines) == d.List && to-1 != r.Cursor() {
		lines[len(lines)-1] = draw.Inked(draw.InkDim, fmt.Sprintf("    (%d more rows)", rest+1))
	}
	for len(lines) < d.List {
		lines = append(lines, nil)
	}
	return lines
}

func (r *Reports) drawHead(m *desk.Env, d draw.Layout, g list.Group) draw.Line {
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
	state, ink := r.state, draw.StateInk(r.state)
	if open > 0 {
		state, ink = "open", draw.InkOpen
	}
	if wish := r.groupWish(m, g.Rows); wish != "" {
		state, ink = wish, draw.InkWarn
	}
	c := r.columns(d)
	about := draw.Inked(draw.InkStrong, safe.Fit(g.Key, c.account))
	first, message := r.Text(g.Rows[0], colNick), r.Text(g.Rows[0], colMessage)
	switch r.group {
	case byStatus:
		message = r.postText(g)
		about = draw.Account(r.drawAbout(m, g.Rows[0], first, c.account), draw.InkStrong)
	case byAccount:
		about = draw.Account(r.drawAbout(m, g.Rows[0], first, c.account), draw.InkStrong)
	case byReporter:
		about = draw.Account(r.drawReporter(m, g.Rows[0], c.account), draw.InkStrong)
	}
	l := lead(mark)
	if c.id {
		l = append(l, draw.Span{Text: strings.Repeat(" ", 7), Ink: draw.InkPlain})
	}
	reports, count := len(g.Rows), fmt.Sprint(min(len(g.Rows), 999))
	if r.group == byAccount {
		if n, known := r.tallies[first].inAll(r.state); n > reports {
			reports, count = n, known
		}
	}
	l = append(l, r.numbers(m, c, newest, posts, reports, count)...)
	l = append(l, draw.Span{Text: safe.Fit(state, stateWidth) + " ", Ink: ink})
	return c.withMessage(append(l, about...), message, draw.InkPlain)
}

// postText is the beginning of the post of a group by status.
func (r *Reports) postText(g list.Group) string {
	at := slices.Index(strings.Fields(r.Text(g.Rows[0], colPosts)), g.Key)
	if at < 0 {
		return g.Key // without posts
	}
	return strings.Split(r.Text(g.Rows[0], colTexts), "\n")[at]
}

// groupName is the head of a group in words.
func (r *Reports) groupName(g list.Group) string {
	if r.group == byStatus {
		return shown.WithCommas(safe.Line(g.Key), r.postText(g))
	}
	return safe.Line(g.Key)
}

// withMessage ends a row.
func (c reportColumns) withMessage(l draw.Line, message string, ink draw.Ink) draw.Line {
	switch {
	case c.last:
		return append(l, draw.Span{Text: " " + draw.Shortened(message, c.message), Ink: ink})
	case c.message > 0:
		return append(l, draw.Span{Text: " " + safe.Fit(draw.FixedWidth(message), c.message), Ink: ink})
	}
	return l
}

// lead begins a row: a cell for the cursor, and one for the mark.
func lead(mark string) draw.Line {
	if mark == " " {
		return draw.Line{{Text: " ", Ink: draw.InkPlain}, {Text: " ", Ink: draw.InkPlain}}
	}
	return draw.Line{{Text: " ", Ink: draw.InkPlain}, {Text: mark, Ink: draw.InkMark}}
}

// groupWish is the staged action of all rows of a group, "" if they differ.
func (r *Reports) groupWish(m *desk.Env, rows []int) string {
	wish := ""
	for i, row := range rows {
		one := m.Wish("report/" + r.ID(row))
		if one == "" || i > 0 && one != wish {
			return ""
		}
		wish = one
	}
	return wish
}

func (r *Reports) drawRow(m *desk.Env, d draw.Layout, row int, member bool) draw.Line {
	id, c := r.ID(row), r.columns(d)
	mark := " "
	if r.Marked(row) {
		mark = "*"
	}
	state, ofState, message, messageInk := r.drawState(m, row)
	reports, count := 0, ""
	if !member {
		reports, count = r.tallies[r.Text(row, colNick)].inAll(r.state)
	}
	l := lead(mark)
	if c.id {
		l = append(l, draw.Span{Text: fmt.Sprintf("  %-5s", shown.ShortID(id)), Ink: draw.InkDim})
	}
	l = append(l, r.numbers(m, c, r.Num(row, numAt), r.Num(row, numPosts), reports, count)...)
	l = append(l, draw.Span{Text: safe.Fit(state, stateWidth) + " ", Ink: ofState})
	switch {
	case member && r.group == byAccount:
		by := "by " + r.Text(row, colBy)
		if !c.id {
			by = shown.ShortID(id) + " " + by
		}
		l = append(l, draw.Span{Text: safe.Fit(by, c.account), Ink: draw.InkDim})
	case r.group == byReporter:
		l = append(l, draw.Account(r.drawReporter(m, row, c.account), draw.InkPlain)...)
		message = strings.TrimSuffix("on "+r.Text(row, colAbout)+": "+message, ": ")
	default:
		l = append(l, draw.Account(r.drawAbout(m, row, r.Text(row, colNick), c.account), draw.InkPlain)...)
	}
	return c.withMessage(l, message, messageInk)
}

// drawState is the STATE and MESSAGE of a row: its state, or its staged action,
// or the reason of a failure.
func (r *Reports) drawState(m *desk.Env, row int) (state string, ofState draw.Ink, message string, messageInk draw.Ink) {
	target := "report/" + r.ID(row)
	state, message = r.Text(row, colState), r.Text(row, colMessage)
	if why := m.Conflict(target); why != "" {
		return "conflict", draw.InkBad, "! " + why, draw.InkBad
	}
	if reason, ghost := r.Ghost(row); ghost {
		if _, by, found := strings.Cut(reason, " by "); found {
			return "gone:" + by, draw.InkGone, reason, draw.InkGone
		}
		return reason, draw.InkGone, message, draw.InkGone
	}
	if wish := m.Wish(target); wish != "" {
		return wish, draw.InkWarn, message, draw.InkPlain
	}
	if reason := m.Troubles[target]; reason != "" {
		return state + " !", draw.InkBad, "! " + reason, draw.InkBad
	}
	if by, _ := r.claim(m, row); by != "" {
		message = "[claimed by " + by + "] " + message
	}
	return state, draw.StateInk(state), message, draw.InkPlain
}

// drawAbout is the reported account with its warnings, in exactly width cells.
func (r *Reports) drawAbout(m *desk.Env, row int, nick string, width int) string {
	flags := r.Num(row, numFlags)
	label := ""
	switch t := r.tallies[nick]; {
	case flags&flagGone != 0:
		label = " [gone]"
	case m.Wish("user/"+nick) != "":
		label = wishLabel(m.Wish("user/"+nick), r.Text(row, colAbout), width)
	case flags&flagDeactivated != 0:
		label = " [off]"
	case m.LikeStaff(nick) != "":
		label = m.LikeStaff(nick)
	case t.lastHour(m.Now()) >= dogpile:
		label = fmt.Sprintf(" [%d/1h]", t.lastHour(m.Now()))
	}
	about := r.Text(row, colAbout)
	if flags&flagGone != 0 && about == "(gone)" {
		return safe.Fit(about, width)
	}
	return safe.Fit(safe.Truncate(about, width-safe.Width(label), "~")+label, width)
}

// wishLabel is a staged action beside a name: all of it, or the time that is left where
// the name would have to give way.
func wishLabel(wish, name string, width int) string {
	if words := strings.Fields(wish); len(words) > 1 && safe.Width(name)+safe.Width(wish)+len(" []") > width {
		wish = words[len(words)-1]
	}
	return " [" + wish + "]"
}

// drawReporter is the account that reported with its warnings, in exactly width
// cells.
func (r *Reports) drawReporter(m *desk.Env, row int, width int) string {
	p := r.person(row)
	label := ""
	switch wish := m.Wish("user/" + p.Nick); {
	case p.Gone:
		label = " [gone]"
	case wish != "":
		label = wishLabel(wish, p.Acct.String(), width)
	case p.Deactivated:
		label = " [off]"
	case m.LikeStaff(p.Nick) != "":
		label = m.LikeStaff(p.Nick)
	}
	if p.Gone && p.Acct.String() == "(gone)" {
		label = ""
	}
	return safe.Fit(safe.Truncate(p.Acct.String(), width-safe.Width(label), "~")+label, width)
}

// dogpile is how many reports about one account within an hour are pointed out.
const dogpile = 5

func (r *Reports) drawEvidence(m *desk.Env, width, height int, rich bool) []draw.Line {
	id := r.UnderID()
	if id == "" {
		return make([]draw.Line, height)
	}
	var lines []draw.Line
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
	for i, l := range lines {
		lines[i] = l.Shortened(width)
	}
	for len(lines) < height {
		lines = append(lines, nil)
	}
	return lines
}

func (r *Reports) Sheet() desk.Sheet {
	s := desk.Sheet{Name: "reports", Heads: []string{"id", "state", "reported", "reporter", "created_at", "statuses", "message"}}
	for _, row := range r.Shown() {
		at := shown.Stamp(time.Unix(r.Num(row, numAt), 0))
		s.Rows = append(s.Rows, []string{r.ID(row), r.Text(row, colState), r.Text(row, colAbout), r.Text(row, colBy), at, r.Text(row, colPosts), r.Text(row, colMessage)})
	}
	return s
}
