package queue

import (
	"fmt"
	"strings"
	"time"

	"svc/client/safe"
	"svc/tui/desk"
	"svc/tui/draw"
	"svc/tui/keys"
	"svc/tui/shown"
)

func (r *Reports) Spoken(m *desk.Env) []string {
	e, ok := r.Under()
	if !ok {
		return []string{shown.Sentence(draw.Joined(r.drawEmpty(m, m.Layout())[2:]))}
	}
	var lines []string
	row := e.Row
	if e.Head() {
		g := r.GroupOf(e)
		row = g.Rows[0]
		lines = append(lines, fmt.Sprintf("Group %d of %d: %s, %s. Commands act on all of them.", r.Cursor()+1, r.Len(), r.groupName(g), reportCount(len(g.Rows))))
		if len(g.Rows) > 1 {
			return append(lines, r.spokenGroup(m, g)...)
		}
	} else {
		state, _, message, _ := r.drawState(m, row)
		old := safe.Age(m.Now().Sub(time.Unix(r.Num(row, numAt), 0)))
		lines = append(lines, fmt.Sprintf("Report %d of %d: %s, %s old.", r.Cursor()+1, r.Len(), state, old))
		if _, ghost := r.Ghost(row); ghost {
			lines = append(lines, shown.Sentence(message))
		}
	}
	if r.onPosts {
		lines = append(lines, "Commands act on its posts; pane leaves them.")
	}
	return append(lines, r.spokenReport(m, r.ID(row), &r.posts, r.onPosts)...)
}

// spokenReport is all there is to judge a report by.
func (r *Reports) spokenReport(m *desk.Env, id string, posts *postPane, focus bool) []string {
	detail := r.detail(id)
	if detail == nil {
		return []string{"The report is not loaded; refresh tries again."}
	}
	r.viewed[id] = true
	lines := append([]string{}, "About "+draw.Joined(r.personLines(m, &detail.About, true)))
	if history, scanned := r.reportsAbout(detail); history != "" {
		lines = append(lines, "Reports about them: "+history+scanned+".")
	}
	for text := range strings.Lines(detail.Was.String()) {
		lines = append(lines, "  When it was reported: "+strings.TrimSpace(text))
	}
	said := detail.Text.OneLine().String()
	if said == "" {
		said = "(no comment)"
	}
	lines = append(lines, fmt.Sprintf("Reported by %s: %s", detail.By.Acct, said))
	if row, known := r.Row(id); known {
		if by, since := r.claim(m, row); by != "" {
			lines = append(lines, fmt.Sprintf("Claimed by %s, %s ago.", by, safe.Age(since)))
		}
	}
	if reason := m.Troubles["report/"+id]; reason != "" {
		lines = append(lines, shown.Sentence("failed: "+reason))
	}
	lines = append(lines, spokenPosts(m, detail.Posts, posts, focus)...)
	for _, n := range detail.Notes {
		lines = append(lines, fmt.Sprintf("Note by %s, %s: %s", n.By, shown.Stamp(n.At), n.Text.OneLine()))
	}
	return lines
}

// spokenPosts tells posts. Each line of their text is introduced, so that none
// passes for a line of ours.
func spokenPosts(m *desk.Env, posts []shown.Post, pane *postPane, focus bool) []string {
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
		head = shown.WithCommas(head, shown.ShortID(one.ID), visibility(one), draw.Joined([]draw.Line{pane.flags(m, one)}))
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
			lines = append(lines, "  Media: "+strings.Trim(medium.Label(m.Keys.Key(keys.Media)), "[]"))
		}
	}
	return lines
}

func (r *Reports) SpokenRow(m *desk.Env, i int) string {
	e := r.At(i)
	if e.Head() {
		g := r.GroupOf(e)
		return shown.WithCommas(r.groupName(g), reportCount(len(g.Rows)))
	}
	state, _, message, _ := r.drawState(m, e.Row)
	return shown.WithCommas(state, strings.Join(strings.Fields(r.drawAbout(m, e.Row, r.Text(e.Row, colNick), 100)), " "), message)
}

func (r *Reports) Position(*desk.Env) string {
	return fmt.Sprint("reports ", r.Cursor(), r.UnderID(), r.onPosts, r.posts.at, r.detail(r.UnderID()) != nil)
}

func reportCount(n int) string {
	if n == 1 {
		return "1 report"
	}
	return fmt.Sprintf("%d reports", n)
}
