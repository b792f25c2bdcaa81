package queue

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/safe"
	"svc/tui/desk"
	"svc/tui/draw"
	"svc/tui/keys"
	"svc/tui/list"
	"svc/tui/shown"
)

// groupUnder is the group whose head is under the cursor, if it has several rows.
func (r *Reports) groupUnder() (g list.Group, ok bool) {
	if e, any := r.Under(); any && e.Head() {
		g = r.GroupOf(e)
	}
	return g, len(g.Rows) > 1
}

// shownPosts are the posts of the evidence: of the report under the cursor, or of all
// reports of the group, each once. False while nothing is loaded.
func (r *Reports) shownPosts() (posts []shown.Post, ok bool) {
	g, grouped := r.groupUnder()
	if !grouped {
		detail := r.detail(r.UnderID())
		if detail == nil {
			return nil, false
		}
		return detail.Posts, true
	}
	known := map[string]bool{}
	for _, row := range g.Rows {
		detail, loaded := r.details.Peek(r.ID(row))
		if !loaded {
			continue
		}
		ok = true
		for _, one := range detail.Posts {
			if !known[one.ID] {
				known[one.ID] = true
				posts = append(posts, one)
			}
		}
	}
	return posts, ok
}

// authors are the accounts by posts of a group.
func (r *Reports) authors(g list.Group) map[string]string {
	by := map[string]string{}
	for _, row := range g.Rows {
		if detail, loaded := r.details.Peek(r.ID(row)); loaded {
			for _, one := range detail.Posts {
				by[one.ID] = detail.About.Acct.String()
			}
		}
	}
	return by
}

// mostOfGroup is how many reports of a group are read whole.
const mostOfGroup = keepDetails * 4 / 5

// wantGroup fetches the next reports of the group under the cursor.
func (r *Reports) wantGroup(m *desk.Env) tea.Cmd {
	const atOnce = 20
	g, ok := r.groupUnder()
	if !ok {
		return nil
	}
	var cmds []tea.Cmd
	for _, row := range g.Rows[:min(mostOfGroup, len(g.Rows))] {
		id := r.ID(row)
		if _, loaded := r.details.Peek(id); !loaded && !r.asked[id] && len(cmds) < atOnce {
			cmds = append(cmds, r.readReport(m, id))
		}
	}
	return tea.Batch(cmds...)
}

// said is what one reporter wrote, in one report or several.
type said struct {
	by    string
	label string
	text  safe.Safe
	ids   []string
}

// saidIn are the messages of a group, each once.
func (r *Reports) saidIn(m *desk.Env, g list.Group) []said {
	var all []said
	at := map[string]int{}
	for _, row := range g.Rows {
		by, text := r.Text(row, colBy), safe.Clean(safe.Raw(r.Text(row, colMessage)))
		local := !strings.Contains(r.Text(row, colByNick), "@") && r.Text(row, colByNick) != ""
		if detail, loaded := r.details.Peek(r.ID(row)); loaded {
			text = detail.Text
		}
		if text.String() == "" {
			text = safe.Own("(no comment)")
		}
		about := ""
		if r.group != byAccount {
			about = " on " + r.Text(row, colAbout)
		}
		key := by + "\n" + about + "\n" + text.String()
		if i, known := at[key]; known {
			all[i].ids = append(all[i].ids, r.ID(row))
			continue
		}
		at[key] = len(all)
		label := fmt.Sprintf(" by %s", by)
		if local {
			label += " (local)"
		}
		label += fmt.Sprintf("%s, %s ago: ", about, safe.Age(m.Now().Sub(time.Unix(r.Num(row, numAt), 0))))
		all = append(all, said{by, label, text, []string{r.ID(row)}})
	}
	return all
}

// groupEvidence is the material to judge a group by: every reporter, message and post
// once. seen has the reports of messages, by line.
func (r *Reports) groupEvidence(m *desk.Env, g list.Group, width int, focus, rich bool) (lines []draw.Line, head, selected int, seen map[int][]string) {
	person := shown.Person{Nick: r.Text(g.Rows[0], colNick), Acct: safe.Clean(safe.Raw(r.Text(g.Rows[0], colAbout)))}
	if r.group == byReporter {
		person = r.person(g.Rows[0])
	}
	switch r.group {
	case byAccount, byReporter:
		lines = r.personLines(m, &r.known([]shown.Person{person})[0], rich)
	default:
		lines = []draw.Line{draw.Inked(draw.InkStrong, " "+r.group.String()+" "+safe.Line(g.Key))}
	}
	all := r.saidIn(m, g)
	reporters := map[string]bool{}
	for _, one := range all {
		reporters[one.by] = true
	}
	count := fmt.Sprintf(" %s by %d reporters", reportCount(len(g.Rows)), len(reporters))
	if len(reporters) == 1 {
		count = fmt.Sprintf(" %s by 1 reporter", reportCount(len(g.Rows)))
	}
	missing := 0
	for _, row := range g.Rows {
		if _, loaded := r.details.Peek(r.ID(row)); !loaded {
			missing++
		}
	}
	if missing > 0 {
		count += fmt.Sprintf("; the posts of %d are not loaded yet", missing)
	}
	if history, scanned := r.reportsOfGroup(g); history != "" && r.group == byAccount {
		count += "; in all " + history + scanned
	}
	lines = append(lines, draw.Plain(count))
	seen = map[int][]string{}
	for _, one := range all {
		seen[len(lines)] = one.ids
		if n := len(one.ids); n > 1 {
			one.label = strings.TrimSuffix(one.label, ": ") + fmt.Sprintf(", %d times: ", n)
		}
		lines = append(lines, draw.Indent(one.label, one.text.OneLine(), width-1)...)
	}
	head = len(lines)
	posts, _ := r.shownPosts()
	drawn, selected := r.posts.draw(m, posts, width, focus, rich)
	lines = append(lines, drawn...)
	if len(posts) == 0 && missing == 0 {
		lines = append(lines, draw.Inked(draw.InkDim, " no posts"))
	}
	for _, row := range g.Rows {
		if detail, loaded := r.details.Peek(r.ID(row)); loaded {
			for _, n := range detail.Notes {
				lines = append(lines, draw.Indent(fmt.Sprintf(" NOTE on %s %s %s: ", shown.ShortID(detail.ID), n.By, shown.Stamp(n.At)), n.Text, width-1)...)
			}
		}
	}
	return lines, head, selected, seen
}

// reportsOfGroup is reportsAbout of the account of a group by account.
func (r *Reports) reportsOfGroup(g list.Group) (history, scanned string) {
	for _, row := range g.Rows {
		if detail, loaded := r.details.Peek(r.ID(row)); loaded {
			return r.reportsAbout(detail)
		}
	}
	return "", ""
}

// notViewed counts the rows that were not looked at.
func (r *Reports) notViewed(rows []int) int {
	unseen := 0
	for _, row := range rows {
		if !r.viewed[r.ID(row)] {
			unseen++
		}
	}
	return unseen
}

// changePosts stages a change of the posts of the evidence. Of a group these are all
// of them where none is chosen; they are named, and asked about.
func (r *Reports) changePosts(m *desk.Env, c keys.Command) tea.Cmd {
	posts, ok := r.shownPosts()
	if !ok {
		return nil
	}
	g, grouped := r.groupUnder()
	if !grouped {
		return m.StagePosts(c, r.posts.chosen(posts, r.onPosts), r.detail(r.UnderID()).About.Acct)
	}
	chosen := r.posts.chosen(posts, r.onPosts)
	asks := len(chosen) == 0
	if asks {
		chosen = slices.DeleteFunc(slices.Clone(posts), func(p shown.Post) bool { return p.Deleted })
	}
	if len(chosen) == 0 {
		m.Say(draw.InkDim, "no posts here")
		return nil
	}
	authors := r.authors(g)
	var by, names []string
	for _, one := range chosen {
		if acct := authors[one.ID]; !slices.Contains(by, acct) {
			by = append(by, acct)
		}
		names = append(names, shown.ShortID(one.ID)+" of @"+authors[one.ID])
	}
	stage := func(m *desk.Env) tea.Cmd {
		return m.StagePosts(c, chosen, safe.Clean(safe.Raw(strings.Join(by, ", @"))))
	}
	if asks || len(by) > 1 {
		m.AskNames(fmt.Sprintf("%s %s of this group", c, postCount(len(chosen))), names, stage)
		return nil
	}
	return stage(m)
}

func postCount(n int) string {
	if n == 1 {
		return "1 post"
	}
	return fmt.Sprintf("%d posts", n)
}

// spokenGroup is the evidence of a group in sentences.
func (r *Reports) spokenGroup(m *desk.Env, g list.Group) []string {
	const wide = 10_000
	lines, head, _, seen := r.groupEvidence(m, g, wide, r.onPosts, true)
	var told []string
	for _, l := range lines[:head] {
		told = append(told, draw.Words(l))
	}
	for _, ids := range seen {
		for _, id := range ids {
			r.viewed[id] = true
		}
	}
	posts, _ := r.shownPosts()
	return append(told, spokenPosts(m, posts, &r.posts, r.onPosts)...)
}
