package list

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// numbered makes rows with ids from..to, a text that names the state and one
// that names a group, and the number itself.
func numbered(from, to int) []Row {
	var rows []Row
	for n := from; n <= to; n++ {
		rows = append(rows, Row{fmt.Sprintf("id%06d", n), []string{"open", fmt.Sprintf("g%d", n%3)}, []int64{int64(n)}})
	}
	return rows
}

func open(c Columns, row int) bool { return c.Text(row, 0) == "open" }

func byGroup(c Columns, row int) []string { return strings.Fields(c.Text(row, 1)) }

func filled(t *testing.T, n int, v View) *List {
	t.Helper()
	l := New(2, 1)
	l.SetView(v)
	l.Put(numbered(1, n), false)
	l.Refresh()
	return l
}

// drawn shows a window of the list: > the cursor, * a mark, ~ a ghost.
func drawn(l *List, height int) string {
	var b strings.Builder
	from, to := l.Window(height)
	for i := from; i < to; i++ {
		e := l.At(i)
		b.WriteByte(" >"[btoi(i == l.Cursor())])
		if e.Head() {
			fmt.Fprintf(&b, "%s(%d)", l.GroupOf(e).Key, len(l.GroupOf(e).Rows))
		} else {
			b.WriteByte(" *"[btoi(l.Marked(e.Row))])
			fmt.Fprint(&b, l.Num(e.Row, 0))
			if reason, ghost := l.Ghost(e.Row); ghost {
				b.WriteString("~" + reason)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func want(t *testing.T, l *List, height int, lines ...string) {
	t.Helper()
	if diff := cmp.Diff(strings.Join(lines, "\n")+"\n", drawn(l, height)); diff != "" {
		t.Error(diff)
	}
}

func TestNewestFirst(t *testing.T) {
	want(t, filled(t, 3, View{}), 9, "> 3", "  2", "  1")
}

func TestTheCursorStaysOnItsRowAndLineWhileRowsArriveAbove(t *testing.T) {
	l := filled(t, 100, View{})
	l.Jump(50)
	l.Window(5)
	before := drawn(l, 5)
	l.Put(numbered(101, 200), false)
	l.Refresh()
	if diff := cmp.Diff(before, drawn(l, 5)); diff != "" {
		t.Error(diff)
	}
}

func TestAtTheTopNewRowsComeIntoSight(t *testing.T) {
	l := filled(t, 3, View{})
	l.Put(numbered(4, 5), false)
	l.Refresh()
	want(t, l, 4, "  5", "  4", "> 3", "  2")
}

func TestNearTheTopTheCursorKeepsItsLineOnlyWhereRowsWouldPushItOut(t *testing.T) {
	l := filled(t, 9, View{})
	l.Move(1)
	l.Window(4)
	l.Put(numbered(10, 10), false)
	l.Refresh()
	want(t, l, 4, "  10", "  9", "> 8", "  7")
	l.Put(numbered(11, 20), false)
	l.Refresh()
	want(t, l, 4, "  10", "  9", "> 8", "  7")
}

func TestNewRowsWaitUntilMerged(t *testing.T) {
	l := filled(t, 3, View{Match: open})
	l.Move(1)
	added := l.Put(append(numbered(4, 5), Row{"id000006", []string{"closed", ""}, []int64{6}}), true)
	l.Refresh()
	if added != 3 || l.Waiting() != 2 {
		t.Errorf("added %d, waiting %d; want 3 and the 2 that match", added, l.Waiting())
	}
	want(t, l, 9, "  3", "> 2", "  1")
	l.Merge()
	l.Refresh()
	want(t, l, 9, "  5", "  4", "  3", "> 2", "  1")
	if l.Waiting() != 0 {
		t.Errorf("%d wait after the merge", l.Waiting())
	}
}

func TestAVanishedRowStaysAGhostUntilTheCursorLeavesIt(t *testing.T) {
	l := filled(t, 4, View{Match: open})
	l.Move(1)
	row, _ := l.Row("id000003")
	l.SetText(row, 0, "resolved")
	l.Vanish(row, "tess")
	l.Refresh()
	want(t, l, 9, "  4", "> 3~tess", "  2", "  1")
	l.Move(1)
	l.Refresh()
	want(t, l, 9, "  4", "> 2", "  1")
}

func TestAGhostAwayFromTheCursorIsSweptByMerge(t *testing.T) {
	l := filled(t, 3, View{Match: open})
	row, _ := l.Row("id000001")
	l.SetText(row, 0, "closed")
	l.Vanish(row, "tess")
	l.Refresh()
	want(t, l, 9, "> 3", "  2", "  1~tess")
	l.Merge()
	l.Refresh()
	want(t, l, 9, "> 3", "  2")
}

func TestARowThatGoesLeavesTheCursorOnTheNext(t *testing.T) {
	l := filled(t, 5, View{Match: open})
	l.Jump(2)
	for _, id := range []string{"id000003", "id000002"} {
		row, _ := l.Row(id)
		l.SetText(row, 0, "closed")
	}
	l.Refresh()
	want(t, l, 9, "  5", "  4", "> 1")
	row, _ := l.Row("id000001")
	l.SetText(row, 0, "closed")
	l.Refresh()
	want(t, l, 9, "  5", "> 4")
}

func TestMarksSurviveFilterAndChooseOnlyWhatIsShown(t *testing.T) {
	l := filled(t, 4, View{})
	l.Mark()
	l.Mark()
	want(t, l, 9, " *4", " *3", "> 2", "  1")
	l.SetView(View{Match: func(c Columns, row int) bool { return c.Num(row, 0) != 4 }})
	l.Refresh()
	if diff := cmp.Diff([]int{2}, l.Chosen()); diff != "" {
		t.Error(diff)
	}
	l.SetView(View{})
	l.Refresh()
	if diff := cmp.Diff([]int{3, 2}, l.Chosen()); diff != "" {
		t.Error(diff)
	}
	l.Unmark()
	if diff := cmp.Diff([]int{1}, l.Chosen()); diff != "" {
		t.Error(diff)
	}
}

func TestMarkRangeAndAll(t *testing.T) {
	l := filled(t, 5, View{})
	l.Mark()
	l.Move(2)
	l.MarkRange()
	want(t, l, 9, " *5", " *4", " *3", ">*2", "  1")
	l.MarkAll()
	want(t, l, 9, " *5", " *4", " *3", ">*2", " *1")
	l.MarkAll()
	want(t, l, 9, "  5", "  4", "  3", "> 2", "  1")
}

func TestGroups(t *testing.T) {
	l := filled(t, 7, View{Group: byGroup})
	want(t, l, 9, ">g1(3)", " g0(2)", " g2(2)")
	l.Fold()
	l.Move(2)
	want(t, l, 9, " g1(3)", "  7", "> 4", "  1", " g0(2)", " g2(2)")
	l.Put(numbered(8, 9), false)
	l.Refresh()
	want(t, l, 9, " g0(3)", " g2(3)", " g1(3)", "  7", "> 4", "  1")
	l.Fold()
	want(t, l, 9, " g0(3)", " g2(3)", ">g1(3)")
	if got := len(l.Chosen()); got != 3 {
		t.Errorf("a head stands for %d rows, want 3", got)
	}
	l.SetView(View{})
	l.Refresh()
	l.Select("id000004")
	l.SetView(View{Group: byGroup})
	l.Refresh()
	want(t, l, 9, " g0(3)", " g2(3)", ">g1(3)")
}

func TestARowInTwoGroupsIsChosenOnce(t *testing.T) {
	l := New(2, 1)
	l.SetView(View{Group: byGroup})
	l.Put([]Row{{"b", []string{"open", "x y"}, []int64{2}}, {"a", []string{"open", "y"}, []int64{1}}}, false)
	l.Refresh()
	want(t, l, 9, ">x(1)", " y(2)")
	l.MarkAll()
	if diff := cmp.Diff([]int{0, 1}, l.Chosen()); diff != "" {
		t.Error(diff)
	}
}

func TestOrder(t *testing.T) {
	l := filled(t, 4, View{Order: func(c Columns, a, b int) int { return int(c.Num(a, 0)%2 - c.Num(b, 0)%2) }})
	want(t, l, 9, "> 4", "  2", "  3", "  1")
}

func TestWindowScrollsNoMoreThanNeeded(t *testing.T) {
	l := filled(t, 10, View{})
	l.Jump(4)
	want(t, l, 3, "  8", "  7", "> 6")
	l.Move(-1)
	want(t, l, 3, "  8", "> 7", "  6")
	l.Scroll(2, 3)
	want(t, l, 3, "> 6", "  5", "  4")
	l.Jump(99)
	want(t, l, 3, "  3", "  2", "> 1")
}

func TestAJobSeesTheRowsAsTheyWere(t *testing.T) {
	l := filled(t, 3, View{Match: open})
	job := l.Job()
	row, _ := l.Row("id000002")
	l.SetText(row, 0, "closed")
	l.Put(numbered(4, 4), false)
	result, err := job.Run(context.Background())
	if err != nil || len(result.rows) != 3 {
		t.Fatalf("%d rows, %v; want the 3 of before", len(result.rows), err)
	}
	if !l.Apply(result) || !l.Stale() {
		t.Error("a result of older rows is shown, and another run is due")
	}
	l.SetView(View{})
	if l.Apply(result) {
		t.Error("a result of an older view was shown")
	}
}

func TestAJobCanBeCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	seen := 0
	l := filled(t, 20_000, View{})
	l.SetView(View{Match: func(Columns, int) bool {
		if seen++; seen == 10 {
			cancel()
		}
		return true
	}})
	if _, err := l.Job().Run(ctx); !errors.Is(err, context.Canceled) || seen > 10_000 {
		t.Errorf("ended with %v after %d rows", err, seen)
	}
}

func TestClearForgetsRows(t *testing.T) {
	l := filled(t, 3, View{})
	l.MarkAll()
	l.Clear()
	l.Refresh()
	if l.Len() != 0 || len(l.Chosen()) != 0 || l.UnderID() != "" {
		t.Error("rows are left")
	}
	l.Move(1)
	l.Mark()
	l.Fold()
	l.Put(numbered(1, 1), false)
	l.Refresh()
	want(t, l, 3, "> 1")
}

func thousands(b *testing.B) *List {
	l := New(2, 1)
	l.SetView(View{Match: open})
	l.Put(numbered(1, 100_000), false)
	l.Refresh()
	b.ReportAllocs()
	return l
}

func BenchmarkMoveAndWindow(b *testing.B) {
	l := thousands(b)
	for b.Loop() {
		l.Move(1)
		if from, to := l.Window(38); to-from != 38 {
			b.Fatal(from, to)
		}
		if l.Cursor() == l.Len()-1 {
			l.Jump(0)
		}
	}
}

func BenchmarkFilter(b *testing.B) {
	l := thousands(b)
	for b.Loop() {
		l.SetView(View{Match: func(c Columns, row int) bool { return strings.Contains(c.ID(row), "99") }})
		l.Refresh()
	}
}

func BenchmarkSortAndGroup(b *testing.B) {
	l := thousands(b)
	for b.Loop() {
		l.SetView(View{Group: byGroup, Order: func(c Columns, x, y int) int { return int(c.Num(x, 0)%97 - c.Num(y, 0)%97) }})
		l.Refresh()
	}
}

func BenchmarkRowsArrive(b *testing.B) {
	l := thousands(b)
	l.Jump(50_000)
	next := 100_001
	for b.Loop() {
		l.Put(numbered(next, next), false)
		l.Refresh()
		next++
	}
}
