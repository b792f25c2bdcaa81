// Package list keeps rows on a screen that changes. Cursor, marks and scroll
// position are anchored by id, so they stay with their objects while rows
// arrive, change, vanish, and are filtered, sorted and grouped.
//
// It holds a hundred thousand rows and more, in columns, and hands out only
// those in a window. It draws nothing and does no I/O; its callers know the
// meaning of the columns.
package list

import (
	"maps"
	"slices"
)

// Row is one object's cells.
type Row struct {
	ID    string
	Texts []string
	Nums  []int64
}

// Columns are the cells of all rows, which are numbered from 0 in the order
// they came and keep their numbers.
type Columns struct {
	ids   []string
	texts [][]string
	nums  [][]int64
}

// Len is the number of rows.
func (c Columns) Len() int { return len(c.ids) }

// ID is the id of a row.
func (c Columns) ID(row int) string { return c.ids[row] }

// Text is a cell of a text column.
func (c Columns) Text(row, column int) string { return c.texts[column][row] }

// Num is a cell of a number column.
func (c Columns) Num(row, column int) int64 { return c.nums[column][row] }

// List is rows and the view of them. It belongs to one goroutine; a Job made
// from it may run on another.
type List struct {
	Columns
	index   map[string]int
	lent    []bool // text columns that a Job may be reading; numbers follow them
	view    View
	version int // counts views

	entries []Entry
	groups  []Group
	open    map[string]bool // groups by key

	cursor   int // into entries
	top      int
	height   int // of the last window
	marks    map[int]bool
	anchor   int // where a range of marks begins, a row, -1 for none
	ghosts   map[int]string
	waiting  map[int]bool // new rows that are not shown yet
	newShown int          // how many waiting rows the view would show
	stale    bool
}

// New is an empty list with this many text and number cells in a row.
func New(texts, nums int) *List {
	l := &List{open: map[string]bool{}}
	l.texts, l.nums, l.lent = make([][]string, texts), make([][]int64, nums), make([]bool, texts+nums)
	l.Clear()
	return l
}

// Clear forgets every row; view and open groups stay.
func (l *List) Clear() {
	for i := range l.texts {
		l.texts[i] = nil
	}
	for i := range l.nums {
		l.nums[i] = nil
	}
	clear(l.lent)
	l.ids, l.index = nil, map[string]int{}
	l.entries, l.groups, l.cursor, l.top = nil, nil, 0, 0
	l.marks, l.ghosts, l.waiting = map[int]bool{}, map[int]string{}, map[int]bool{}
	l.anchor, l.newShown, l.stale = -1, 0, true
	l.version++
}

// Row finds an id.
func (l *List) Row(id string) (row int, known bool) {
	row, known = l.index[id]
	return row, known
}

// Put adds rows and updates those it knows by id; it returns how many were new.
// With wait the new ones are held back until Merge.
func (l *List) Put(rows []Row, wait bool) (added int) {
	for _, r := range rows {
		if row, known := l.index[r.ID]; known {
			for column, text := range r.Texts {
				l.SetText(row, column, text)
			}
			for column, num := range r.Nums {
				l.SetNum(row, column, num)
			}
			continue
		}
		row := len(l.ids)
		l.ids = append(l.ids, r.ID)
		for column := range l.texts {
			l.texts[column] = append(l.texts[column], r.Texts[column])
		}
		for column := range l.nums {
			l.nums[column] = append(l.nums[column], r.Nums[column])
		}
		l.index[r.ID] = row
		if wait {
			l.waiting[row] = true
		}
		l.stale = true
		added++
	}
	return added
}

// SetText changes a cell.
func (l *List) SetText(row, column int, text string) {
	if l.texts[column][row] == text {
		return
	}
	if l.lent[column] {
		l.texts[column], l.lent[column] = slices.Clone(l.texts[column]), false
	}
	l.texts[column][row] = text
	l.stale = true
}

// SetNum changes a cell.
func (l *List) SetNum(row, column int, num int64) {
	if l.nums[column][row] == num {
		return
	}
	if i := len(l.texts) + column; l.lent[i] {
		l.nums[column], l.lent[i] = slices.Clone(l.nums[column]), false
	}
	l.nums[column][row] = num
	l.stale = true
}

// Vanish keeps a row in view as a ghost, with the reason, although the view no
// longer matches it. The ghost goes when the cursor leaves it or Merge sweeps
// it away.
func (l *List) Vanish(row int, reason string) {
	l.ghosts[row] = reason
	l.stale = true
}

// Return makes a ghost an ordinary row again.
func (l *List) Return(row int) {
	if _, ghost := l.ghosts[row]; ghost {
		delete(l.ghosts, row)
		l.stale = true
	}
}

// Ghost is why a row is a ghost.
func (l *List) Ghost(row int) (reason string, ghost bool) {
	reason, ghost = l.ghosts[row]
	return reason, ghost
}

// Ghosts counts the rows that are shown although the view does not match them.
func (l *List) Ghosts() int { return len(l.ghosts) }

// Merge shows the rows that wait and drops the ghosts, but the cursor's.
func (l *List) Merge() {
	clear(l.waiting)
	under := -1
	if entry, ok := l.Under(); ok {
		under = entry.Row
	}
	maps.DeleteFunc(l.ghosts, func(row int, _ string) bool { return row != under })
	l.stale = true
}

// Waiting is how many new rows Merge would show.
func (l *List) Waiting() int { return l.newShown }

// Stale reports whether rows or view changed since the last Apply.
func (l *List) Stale() bool { return l.stale }

// Replace puts rows in place of all there are. Cursor and marks stay on the
// rows that are among them.
func (l *List) Replace(rows []Row) {
	under, at := l.UnderID(), l.cursor
	top := l.top
	marked := map[string]bool{}
	for row := range l.marks {
		marked[l.ids[row]] = true
	}
	l.Clear()
	l.Put(rows, false)
	l.Refresh()
	for id := range marked {
		if row, known := l.index[id]; known {
			l.marks[row] = true
		}
	}
	l.top = top
	if !l.Select(under) {
		l.Jump(at)
	}
}
