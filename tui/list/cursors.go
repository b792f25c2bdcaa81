package list

import (
	"iter"
	"slices"
)

// Len is the number of entries shown.
func (l *List) Len() int { return len(l.entries) }

// At is the entry at an index of the list.
func (l *List) At(i int) Entry { return l.entries[i] }

// GroupOf is the group of an entry that has one.
func (l *List) GroupOf(e Entry) Group { return l.groups[e.Group] }

// Grouped reports whether the entries have heads.
func (l *List) Grouped() bool { return l.view.Group != nil }

// Cursor is the index of the entry under the cursor.
func (l *List) Cursor() int { return l.cursor }

// Under is the entry under the cursor, false in an empty list.
func (l *List) Under() (Entry, bool) {
	if l.cursor >= len(l.entries) {
		return Entry{-1, -1}, false
	}
	return l.entries[l.cursor], true
}

// UnderID is the id of the row under the cursor, of a head its first row's.
func (l *List) UnderID() string {
	e, ok := l.Under()
	switch {
	case !ok:
		return ""
	case e.Head():
		return l.ids[l.groups[e.Group].Rows[0]]
	}
	return l.ids[e.Row]
}

// Move moves the cursor by n entries, no further than the ends.
func (l *List) Move(n int) { l.Jump(l.cursor + n) }

// Jump puts the cursor on the entry at index i, or on the nearest one.
func (l *List) Jump(i int) {
	i = max(0, min(i, len(l.entries)-1))
	if i == l.cursor {
		return
	}
	if e, ok := l.Under(); ok {
		if _, ghost := l.ghosts[e.Row]; ghost {
			delete(l.ghosts, e.Row)
			l.stale = true
		}
	}
	l.cursor = i
}

// Select puts the cursor on the row with this id and reports whether it is shown.
func (l *List) Select(id string) bool {
	row, known := l.index[id]
	if !known {
		return false
	}
	for i, e := range l.entries {
		if e.Row == row {
			l.Jump(i)
			return true
		}
	}
	return false
}

// Window is the range of entries that a window of this height shows; it
// scrolls no more than the cursor needs.
func (l *List) Window(height int) (from, to int) {
	l.height = height
	if l.cursor < l.top {
		l.top = l.cursor
	}
	if l.cursor >= l.top+height {
		l.top = l.cursor - height + 1
	}
	l.top = max(0, min(l.top, len(l.entries)-height))
	return l.top, min(l.top+height, len(l.entries))
}

// Scroll moves the window by n entries and takes the cursor along only where
// it would leave the window.
func (l *List) Scroll(n, height int) {
	l.top = max(0, min(l.top+n, len(l.entries)-height))
	if l.cursor < l.top {
		l.Jump(l.top)
	}
	if l.cursor >= l.top+height {
		l.Jump(l.top + height - 1)
	}
}

// Fold opens the group of the entry under the cursor, or closes it and puts
// the cursor on its head.
func (l *List) Fold() {
	e, ok := l.Under()
	if !ok || e.Group < 0 {
		return
	}
	key := l.groups[e.Group].Key
	l.open[key] = !l.open[key]
	l.layOut(nil)
	for i, entry := range l.entries {
		if entry.Head() && entry.Group == e.Group {
			l.cursor = i
		}
	}
}

// Opened reports whether a group shows its rows.
func (l *List) Opened(g Group) bool { return l.open[g.Key] }

// rowsAt are the rows an entry stands for.
func (l *List) rowsAt(e Entry) []int {
	if e.Head() {
		return l.groups[e.Group].Rows
	}
	return []int{e.Row}
}

// Mark marks the rows of the entry under the cursor, or unmarks them when all
// are marked, and moves on.
func (l *List) Mark() {
	e, ok := l.Under()
	if !ok {
		return
	}
	rows := l.rowsAt(e)
	all := !slices.ContainsFunc(rows, func(row int) bool { return !l.marks[row] })
	for _, row := range rows {
		if all {
			delete(l.marks, row)
		} else {
			l.marks[row] = true
		}
	}
	l.anchor = rows[0]
	l.Move(1)
}

// MarkRange marks from where Mark was last used to the cursor.
func (l *List) MarkRange() {
	from := l.cursor
	for i, e := range l.entries {
		if l.anchor >= 0 && (e.Row == l.anchor || e.Head() && l.groups[e.Group].Rows[0] == l.anchor) {
			from = i
			break
		}
	}
	for i := min(from, l.cursor); i <= max(from, l.cursor) && i < len(l.entries); i++ {
		for _, row := range l.rowsAt(l.entries[i]) {
			l.marks[row] = true
		}
	}
}

// MarkAll marks every row the view shows, also in closed groups; when all are,
// it unmarks them.
func (l *List) MarkAll() {
	rows := l.Shown()
	all := !slices.ContainsFunc(rows, func(row int) bool { return !l.marks[row] })
	for _, row := range rows {
		if all {
			delete(l.marks, row)
		} else {
			l.marks[row] = true
		}
	}
}

// Marked reports whether a row is marked.
func (l *List) Marked(row int) bool { return l.marks[row] }

// Unmark takes all marks away.
func (l *List) Unmark() { clear(l.marks) }

// Chosen are the rows that a command is about: the marked ones that the view
// shows, else those of the entry under the cursor. Each comes once, in order.
func (l *List) Chosen() []int {
	if marked := l.MarkedRows(); len(marked) > 0 {
		return marked
	}
	if e, ok := l.Under(); ok {
		return slices.Clone(l.rowsAt(e))
	}
	return nil
}

// MarkedRows are the marked rows that the view shows, each once, in order.
func (l *List) MarkedRows() []int {
	var rows []int
	for row := range l.shown() {
		if len(rows) == len(l.marks) {
			break // a long list is not walked to its end for every frame
		}
		if l.marks[row] {
			rows = append(rows, row)
		}
	}
	return rows
}

// Shown are the rows that match the view, each once, in order.
func (l *List) Shown() []int { return slices.Collect(l.shown()) }

func (l *List) shown() iter.Seq[int] {
	return func(yield func(int) bool) {
		if l.view.Group == nil {
			for _, e := range l.entries {
				if !yield(e.Row) {
					return
				}
			}
			return
		}
		seen := map[int]bool{}
		for _, g := range l.groups {
			for _, row := range g.Rows {
				if seen[row] {
					continue
				}
				seen[row] = true
				if !yield(row) {
					return
				}
			}
		}
	}
}
