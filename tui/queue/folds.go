package queue

import (
	"fmt"
	"maps"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"svc/tui/desk"
	"svc/tui/draw"
	"svc/tui/keys"
	"svc/tui/list"
)

// folds are the judged posts: the report by which each was judged, by post. Later
// reports of them alone are folded away.
type folds map[string]string

// hides reports whether the report of a row is about judged posts alone, and later.
func (f folds) hides(c list.Columns, row int) bool {
	if len(f) == 0 || c.Text(row, colPosts) == "" {
		return false
	}
	for _, post := range strings.Fields(c.Text(row, colPosts)) {
		if judged := f[post]; judged == "" || c.ID(row) <= judged {
			return false
		}
	}
	return true
}

// fold folds the later reports of the posts under the cursor, or shows them again. On
// a report without posts it shows all again.
func (r *Reports) fold(m *desk.Env) tea.Cmd {
	var posts []string
	id := r.UnderID()
	if row, known := r.Row(id); known && id != "" {
		posts = strings.Fields(r.Text(row, colPosts))
	}
	judged := 0
	for _, post := range posts {
		if m.Staged.Folded[post] != "" {
			judged++
		}
	}
	switch {
	case len(posts) == 0 && len(m.Staged.Folded) == 0:
		m.Say(draw.InkDim, "no posts here, of which later reports could be folded")
		return nil
	case len(posts) == 0:
		clear(m.Staged.Folded)
		m.Say(draw.InkGood, "all reports are shown again")
	case judged == len(posts):
		for _, post := range posts {
			delete(m.Staged.Folded, post)
		}
		m.Say(draw.InkGood, "later reports of this are shown again")
	default:
		for _, post := range posts {
			m.Staged.Folded[post] = id
		}
		m.Say(draw.InkGood, fmt.Sprintf("later reports of this are folded; %s shows them again", m.Keys.Key(keys.Fold)))
	}
	r.setFolds(m.Staged.Folded)
	return tea.Batch(m.Save(), r.Sync(), r.more(m), r.wantDetail(m))
}

// setFolds takes a copy, which the view may read beside the program.
func (r *Reports) setFolds(judged map[string]string) {
	r.folds, r.folded.rows = maps.Clone(judged), -1
	r.setView()
}

// foldedCount is a count of folded rows, and when it was made.
type foldedCount struct {
	rows, tick int
	state      string
	n          int
}

// foldedRows counts the folded rows of the state shown, anew where rows came or time
// went by.
func (r *Reports) foldedRows(m *desk.Env) int {
	if len(r.folds) == 0 {
		return 0
	}
	now := foldedCount{rows: r.Columns.Len(), tick: m.Ticks, state: r.state}
	if was := r.folded; was.rows == now.rows && was.tick == now.tick && was.state == now.state {
		return was.n
	}
	for row := range now.rows {
		if r.shows(r.Text(row, colState)) && r.folds.hides(r.Columns, row) {
			now.n++
		}
	}
	r.folded = now
	return now.n
}
