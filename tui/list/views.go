package list

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// View selects, sorts and groups rows. Its functions must depend on their
// arguments alone, since a Job calls them on its own goroutine.
type View struct {
	Match func(c Columns, row int) bool     // nil: every row
	Order func(c Columns, a, b int) int     // nil: ids descending, which also breaks ties
	Group func(c Columns, row int) []string // nil: flat; a row may be in several groups
}

// Entry is a line of the list: a row, or with Row -1 the head of a group.
// Group is -1 in a flat list.
type Entry struct{ Row, Group int }

// Head reports whether the entry is the head of a group.
func (e Entry) Head() bool { return e.Row < 0 }

// Group is rows that share a key, in the view's order.
type Group struct {
	Key  string
	Rows []int
}

// Job is the work of a view over the rows as they were when it was made.
type Job struct {
	columns Columns
	view    View
	version int
	ghosts  map[int]string
	waiting map[int]bool
}

// Result is the result of a Job.
type Result struct {
	version  int
	size     int
	rows     []int
	groups   []Group
	newShown int
}

// SetView changes the view, from the next Apply on.
func (l *List) SetView(v View) {
	l.view, l.stale = v, true
	l.version++
}

// Job is the work that brings the list up to date. The list can go on changing
// while it runs.
func (l *List) Job() Job {
	for i := range l.lent {
		l.lent[i] = true
	}
	l.stale = false
	columns := Columns{ids: l.ids, texts: slices.Clone(l.texts), nums: slices.Clone(l.nums)}
	return Job{columns, l.view, l.version, maps.Clone(l.ghosts), maps.Clone(l.waiting)}
}

// Run does the work, or returns the context's error as soon as it is cancelled.
func (j Job) Run(ctx context.Context) (Result, error) {
	const stride = 4096 // rows between two looks at the context
	r := Result{version: j.version, size: j.columns.Len()}
	for row := 0; row < r.size; row++ {
		if row%stride == 0 && ctx.Err() != nil {
			return r, ctx.Err()
		}
		_, ghost := j.ghosts[row]
		if !ghost && j.view.Match != nil && !j.view.Match(j.columns, row) {
			continue
		}
		if j.waiting[row] {
			r.newShown++
			continue
		}
		r.rows = append(r.rows, row)
	}
	compared := 0
	slices.SortFunc(r.rows, func(a, b int) int {
		if compared++; compared%stride == 0 && ctx.Err() != nil {
			return 0
		}
		if j.view.Order != nil {
			if c := j.view.Order(j.columns, a, b); c != 0 {
				return c
			}
		}
		return strings.Compare(j.columns.ids[b], j.columns.ids[a])
	})
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	if j.view.Group != nil {
		at := map[string]int{}
		for _, row := range r.rows {
			for _, key := range j.view.Group(j.columns, row) {
				i, known := at[key]
				if !known {
					i = len(r.groups)
					at[key] = i
					r.groups = append(r.groups, Group{Key: key})
				}
				r.groups[i].Rows = append(r.groups[i].Rows, row)
			}
		}
	}
	return r, ctx.Err()
}

// Apply shows a result, with cursor and scroll where they were. A result of an
// earlier view is ignored and reported false.
func (l *List) Apply(r Result) bool {
	if r.version != l.version {
		return false
	}
	before, anchors := l.cursor, l.anchors()
	atTop := l.top == 0
	l.groups = r.groups
	l.newShown = r.newShown
	l.layOut(r.rows)
	l.cursor = l.find(anchors, before)
	// At the top of the list new rows come into sight; elsewhere, and where they
	// would push the cursor out of it, it keeps its line.
	if !atTop || before > 0 && l.cursor >= l.height {
		l.top = max(0, l.top+l.cursor-before)
	}
	return true
}

// Refresh runs the job at once.
func (l *List) Refresh() {
	r, _ := l.Job().Run(context.Background())
	l.Apply(r)
}

// layOut makes entries of rows, or of the groups.
func (l *List) layOut(rows []int) {
	l.entries = make([]Entry, 0, max(len(rows), len(l.groups)))
	if l.view.Group == nil {
		for _, row := range rows {
			l.entries = append(l.entries, Entry{row, -1})
		}
		return
	}
	for i, g := range l.groups {
		l.entries = append(l.entries, Entry{-1, i})
		if l.open[g.Key] {
			for _, row := range g.Rows {
				l.entries = append(l.entries, Entry{row, i})
			}
		}
	}
}

// place is an entry by the row or group that it shows.
type place struct {
	row   int
	group string
}

func (l *List) place(e Entry) place {
	p := place{row: e.Row}
	if e.Group >= 0 {
		p.group = l.groups[e.Group].Key
	}
	return p
}

// anchors are the places where the cursor should be afterwards: where it is, or
// else the nearest below, or above. It is asked before entries change.
func (l *List) anchors() []place {
	const nearest = 200
	if len(l.entries) == 0 {
		return nil
	}
	var places []place
	for i := l.cursor; i < len(l.entries) && len(places) < nearest; i++ {
		places = append(places, l.place(l.entries[i]))
	}
	for i := l.cursor - 1; i >= 0 && len(places) < 2*nearest; i-- {
		places = append(places, l.place(l.entries[i]))
	}
	return places
}

// find is the index of the first anchor that is still there. A row that became
// part of a folded group is found at the group's head.
func (l *List) find(anchors []place, before int) int {
	if len(l.entries) == 0 {
		return 0
	}
	if len(anchors) > 0 {
		for i, e := range l.entries {
			if l.place(e) == anchors[0] {
				return i
			}
		}
		// The view was grouped or flat before: the row alone tells.
		for i, e := range l.entries {
			if e.Row >= 0 && e.Row == anchors[0].row {
				return i
			}
		}
		rank := make(map[place]int, len(anchors))
		for i, a := range anchors {
			if _, twice := rank[a]; !twice {
				rank[a] = i
			}
		}
		best, found := len(anchors), -1
		for i, e := range l.entries {
			if r, ok := rank[l.place(e)]; ok && r < best {
				best, found = r, i
			}
		}
		if found >= 0 {
			return found
		}
		if i := l.headOf(anchors[0].row); i >= 0 {
			return i
		}
	}
	return min(before, len(l.entries)-1)
}

func (l *List) headOf(row int) int {
	if row < 0 {
		return -1
	}
	for i, e := range l.entries {
		if e.Head() && slices.Contains(l.groups[e.Group].Rows, row) {
			return i
		}
	}
	return -1
}
