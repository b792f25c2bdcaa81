package tui

import (
	"fmt"
	"strings"
	"time"

	"svc/client/safe"
	"svc/tui/list"
	"svc/tui/nouns"
	"svc/tui/shown"
)

// spoken describes the shown content in sentences, one on each line, for plain
// mode.
func (m *model) spoken() []string {
	switch s := m.screen().(type) {
	case *reports:
		return s.spoken(m)
	case *reportPage:
		s.prepare()
		return m.spokenReport(s.id, &s.posts, true)
	case *users:
		return s.spoken(m)
	case *userPage:
		return s.spoken(m)
	case *logs:
		return s.spoken(m)
	case *nounScreen:
		return s.spoken(m)
	case *page:
		s.draw(m, m.layout())
		var lines []string
		for _, l := range s.lines {
			if text := words(l); text != "" {
				lines = append(lines, text)
			}
		}
		return lines
	}
	return nil
}

// plainList is the list in front, nil where there is none.
func (m *model) plainList() *list.List {
	switch s := m.screen().(type) {
	case *reports:
		return s.List
	case *users:
		return s.List
	case *logs:
		return s.List
	case *nounScreen:
		return s.List
	}
	return nil
}

// position identifies the object in front, and the post of it that keys act on.
func (p *dialogue) position() string {
	m := p.m
	switch s := m.screen().(type) {
	case *reports:
		return fmt.Sprint("reports ", s.Cursor(), s.UnderID(), s.onPosts, s.posts.at, s.detail(s.UnderID()) != nil)
	case *reportPage:
		return fmt.Sprint("report ", s.id, s.posts.at, m.reports.detail(s.id) != nil)
	case *userPage:
		return fmt.Sprint("user ", s.nick, s.pane.at, s.user != nil)
	case *page:
		return s.name
	}
	if l := m.plainList(); l != nil {
		return fmt.Sprint("row ", l.Cursor(), l.UnderID(), l.Len() == 0)
	}
	return ""
}

// list tells rows from the cursor on, with their numbers.
func (p *dialogue) list() {
	l := p.m.plainList()
	if l == nil {
		p.hear("there is no list here")
		return
	}
	for i := l.Cursor(); i < min(l.Len(), l.Cursor()+plainRows); i++ {
		p.tell(fmt.Sprintf("%d: %s", i+1, p.m.spokenRow(i)))
	}
	if l.Len() == 0 {
		p.tell("The list is empty.")
	}
}

// spokenRow is a row in a line.
func (m *model) spokenRow(i int) string {
	switch s := m.screen().(type) {
	case *reports:
		e := s.At(i)
		if e.Head() {
			g := s.GroupOf(e)
			return told(safe.Line(g.Key), reportCount(len(g.Rows)))
		}
		state, _, message, _ := s.drawState(m, e.Row)
		return told(state, strings.Join(strings.Fields(s.drawAbout(m, e.Row, s.Text(e.Row, colNick), 100)), " "), message)
	case *users:
		row := s.At(i).Row
		state := s.Text(row, userState)
		if wish := m.wish("user/" + s.Text(row, userNick)); wish != "" {
			state += ", " + wish
		}
		return told(s.Text(row, userAcct)+m.likeStaff(s.Text(row, userNick)), state, s.Text(row, userRole), s.Text(row, userWhere), s.Text(row, userName))
	case *logs:
		row := s.At(i).Row
		return told(stamp(time.Unix(s.Num(row, 0), 0)), s.Text(row, logActor), s.Text(row, logWhat))
	case *nounScreen:
		r := s.rows[s.ID(s.At(i).Row)]
		var parts []string
		for j, c := range s.noun.Columns {
			if text := r.Cells[j].String(); text != "" {
				parts = append(parts, strings.ToLower(c.Head)+" "+text)
			}
		}
		return told(append(parts, m.wish(r.Target))...)
	}
	return ""
}

func reportCount(n int) string {
	if n == 1 {
		return "1 report"
	}
	return fmt.Sprintf("%d reports", n)
}

// told joins the parts that are not empty.
func told(parts ...string) string {
	var out []string
	for _, part := range parts {
		if part != "" {
			out = append(out, part)
		}
	}
	return strings.Join(out, ", ")
}

func (r *reports) spoken(m *model) []string {
	e, ok := r.Under()
	if !ok {
		return []string{sentence(joined(r.drawEmpty(m, m.layout())[2:]))}
	}
	var lines []string
	row := e.Row
	if e.Head() {
		g := r.GroupOf(e)
		row = g.Rows[0]
		lines = append(lines, fmt.Sprintf("Group %d of %d: %s, %s. Commands act on all of them.", r.Cursor()+1, r.Len(), safe.Line(g.Key), reportCount(len(g.Rows))))
		if len(g.Rows) > 1 {
			return append(lines, r.spokenGroup(m, g)...)
		}
	} else {
		state, _, message, _ := r.drawState(m, row)
		old := safe.Age(m.now().Sub(time.Unix(r.Num(row, numAt), 0)))
		lines = append(lines, fmt.Sprintf("Report %d of %d: %s, %s old.", r.Cursor()+1, r.Len(), state, old))
		if _, ghost := r.Ghost(row); ghost {
			lines = append(lines, sentence(message))
		}
	}
	if r.onPosts {
		lines = append(lines, "Commands act on its posts; pane leaves them.")
	}
	return append(lines, m.spokenReport(r.ID(row), &r.posts, r.onPosts)...)
}

// spokenReport is all there is to judge a report by.
func (m *model) spokenReport(id string, posts *postPane, focus bool) []string {
	detail := m.reports.detail(id)
	if detail == nil {
		return []string{"The report is not loaded; refresh tries again."}
	}
	m.reports.viewed[id] = true
	lines := append([]string{}, "About "+joined(m.personLines(&detail.About, true)))
	if t := m.reports.tallies[detail.About.Nick]; t != nil {
		lines = append(lines, "Reports about them: "+m.reports.history(t)+m.reports.scanned()+".")
	}
	said := detail.Text.OneLine().String()
	if said == "" {
		said = "(no comment)"
	}
	lines = append(lines, fmt.Sprintf("Reported by %s: %s", detail.By.Acct, said))
	if row, known := m.reports.Row(id); known {
		if by, since := m.reports.claim(m, row); by != "" {
			lines = append(lines, fmt.Sprintf("Claimed by %s, %s ago.", by, safe.Age(since)))
		}
	}
	if reason := m.troubles["report/"+id]; reason != "" {
		lines = append(lines, sentence("failed: "+reason))
	}
	lines = append(lines, m.spokenPosts(detail.Posts, posts, focus)...)
	for _, n := range detail.Notes {
		lines = append(lines, fmt.Sprintf("Note by %s, %s: %s", n.By, stamp(n.At), n.Text.OneLine()))
	}
	return lines
}

// spokenPosts tells posts. Each line of their text is introduced, so that none
// passes for a line of ours.
func (m *model) spokenPosts(posts []shown.Post, pane *postPane, focus bool) []string {
	if len(posts) == 0 {
		return []string{"No posts."}
	}
	var lines []string
	for i, one := range posts {
		head := fmt.Sprintf("Post %d of %d", i+1, len(posts))
		if focus && i == pane.at && len(posts) > 1 {
			head += ", chosen"
		}
		if pane.marks[one.ID] {
			head += ", marked"
		}
		head = told(head, shown.ShortID(one.ID), visibility(one), joined([]line{pane.flags(m, one)}))
		lines = append(lines, strings.TrimRight(head, ".")+".")
		if !one.Hides() || pane.opened[one.ID] {
			for text := range strings.Lines(one.Text.String()) {
				if text = strings.TrimSpace(text); text != "" {
					lines = append(lines, "  Text: "+text)
				}
			}
			for text := range strings.Lines(one.Reported.String()) {
				if text = strings.TrimSpace(text); text != "" {
					lines = append(lines, "  When it was reported: "+text)
				}
			}
		}
		for _, medium := range one.Media {
			lines = append(lines, "  Media: "+strings.Trim(medium.Label(m.keys.key(doMedia)), "[]"))
		}
	}
	return lines
}

func (u *users) spoken(m *model) []string {
	if u.Len() == 0 {
		return []string{sentence(words(u.nothing(m)))}
	}
	return []string{fmt.Sprintf("User %d of %d: %s", u.Cursor()+1, u.Len(), m.spokenRow(u.Cursor()))}
}

func (p *userPage) spoken(m *model) []string {
	if p.user == nil {
		return []string{sentence(p.failed.String())}
	}
	lines := []string{told(joined(m.personLines(p.user, true)), p.state())}
	for _, field := range p.fields() {
		lines = append(lines, strings.TrimSpace(field.label)+": "+field.text.OneLine().String())
	}
	for _, about := range p.paragraphs(m) {
		lines = append(lines, sentence(strings.ToLower(about.head)))
		for _, text := range about.lines {
			lines = append(lines, "  "+words(plain(text)))
		}
	}
	return append(lines, m.spokenPosts(p.posts, &p.pane, true)...)
}

func (l *logs) spoken(m *model) []string {
	if l.Len() == 0 {
		return []string{sentence(words(l.nothing(m)))}
	}
	return []string{fmt.Sprintf("Entry %d of %d: %s", l.Cursor()+1, l.Len(), m.spokenRow(l.Cursor()))}
}

func (s *nounScreen) spoken(m *model) []string {
	if s.Len() == 0 {
		return []string{sentence(words(s.nothing(m)))}
	}
	lines := []string{fmt.Sprintf("%d of %d: %s", s.Cursor()+1, s.Len(), m.spokenRow(s.Cursor()))}
	if s.banner.String() != "" {
		lines = append(lines, sentence(s.banner.String()))
	}
	if r, ok := s.under(); ok {
		for _, d := range r.More {
			lines = append(lines, detailWords(d))
		}
		if reason := m.troubles[r.Target]; reason != "" {
			lines = append(lines, sentence("failed: "+reason))
		}
	}
	return lines
}

func detailWords(d nouns.Detail) string {
	return strings.TrimPrefix(d.Label+": "+d.Text.OneLine().String(), ": ")
}

// plainText is a line of the screen without its colours.
func plainText(l line) string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.text)
	}
	return b.String()
}

// words is a line of the screen as text; gaps become commas.
func words(l line) string {
	var parts []string
	for _, part := range strings.Split(plainText(l), "  ") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}

// joined is a few lines of the screen in one.
func joined(lines []line) string {
	var parts []string
	for _, l := range lines {
		if text := words(l); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, ", ")
}
