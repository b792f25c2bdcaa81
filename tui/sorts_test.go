package tui

import (
	"net/http"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"svc/tui/grid"
)

// TestTablesAreSorted: z goes through the columns that are drawn, and back to the order of
// the server.
func TestTablesAreSorted(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("2")
	column := func() (cells []string) {
		s := d.m.Screen().(*grid.Screen)
		for i := range s.Len() {
			cells = append(cells, strings.ToLower(s.Objects[s.ID(s.At(i).Row)].Cells[max(0, s.Sorted)].String()))
		}
		return cells
	}
	first := strings.Join(column(), " ")
	drawn := 0
	for _, c := range d.m.Screen().(*grid.Screen).Noun.Columns {
		if !grid.DrawnColumn(c, 80) {
			continue
		}
		drawn++
		d.press("z")
		d.shows("sort:" + strings.ToLower(c.Head))
		empty := false
		cells := column()
		for i, cell := range cells {
			if empty = empty || cell == ""; empty && cell != "" || i > 0 && cell != "" && cells[i-1] > cell {
				t.Errorf("by %s: %q", c.Head, cells)
			}
		}
	}
	d.press("z")
	d.hides("sort:")
	if got := strings.Join(column(), " "); got != first || drawn < 4 {
		t.Errorf("%d columns, then %q, before %q", drawn, got, first)
	}
}

func TestHelpIsSearched(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press("?/playbook")
	d.shows("/playbook", "steps on the")
	d.hides("half a page down", "HEADS AND MARKS")
	d.press("<enter>/<ctrl+u>zzz")
	d.shows("nothing matches /zzz; esc shows all")
	d.press("<esc>")
	d.shows("/playbook")
	d.press("<esc>")
	d.hides("/playbook")
	d.shows("HELP", "SCREENS")
	d.press("<esc>")
	d.hides("HELP")
}

// TestAnOutageSaysWhenItIsAskedAgain: since when, when next, and that a key asks at once.
// Once the server answers, the program is back within half a minute, by itself and also
// while nobody looks.
func TestAnOutageSaysWhenItIsAskedAgain(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	down := true
	d.world.fail = func(*http.Request) (int, string) {
		if down {
			panic(http.ErrAbortHandler)
		}
		return 0, ""
	}
	d.send(tea.BlurMsg{})
	d.pass(2 * time.Minute)
	d.shows("OFFLINE for", "asks again in", "now by ctrl-r")
	requests := func() (n int) {
		d.world.change(func() { n = len(d.world.requests) })
		return n
	}
	asked := requests()
	for _, keys := range []string{"<ctrl+r>", "?<ctrl+r>"} { // on pages too
		d.press(keys)
		if now := requests(); now == asked {
			t.Errorf("%s asks nothing", keys)
		} else {
			asked = now
		}
	}
	d.pass(time.Minute)
	d.world.change(func() { down = false })
	d.pass(30 * time.Second)
	d.hides("OFFLINE")
}

// TestBelowASizeNothingIsChanged: keys that change something are refused with the reason,
// also the answer to a question that was asked before the terminal became small.
func TestBelowASizeNothingIsChanged(t *testing.T) {
	d := begin(t, newWorld(t), 39, 24)
	d.press("r")
	d.shows("below 40x8 no changes")
	d.press("x")
	d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	d.press("<esc>bbD")
	d.shows("y yes, all of them")
	d.send(tea.WindowSizeMsg{Width: 80, Height: 7})
	d.press("y")
	d.pass(20 * time.Second)
	if writes := d.world.writes(); len(writes) != 0 || len(d.m.Staged.Items) != 0 {
		t.Errorf("sent %q, staged %v", writes, d.m.Staged.Items)
	}
	d.send(tea.WindowSizeMsg{Width: 40, Height: 8})
	d.press("<esc>r")
	d.pass(20 * time.Second)
	if writes := d.world.writes(); len(writes) != 1 {
		t.Errorf("sent %q", writes)
	}
}
