package grid

import (
	"testing"

	"svc/client/safe"
	"svc/tui/shown"
	"svc/tui/tables"
)

// TestCellsHaveAnOrder: numbers and times by their size, the highest first, then words, then
// empty cells.
func TestCellsHaveAnOrder(t *testing.T) {
	for cell, want := range map[string]int64{"7": 7, "7/25": 7, "12 days": 12, "2026-01-02 15:04z": 20260102150400, "2026-01-02": 20260102000000} {
		if n, ok := leading(cell); n != want || !ok {
			t.Errorf("%q is %d", cell, n)
		}
	}
	for _, cell := range []string{"", "kim", "7up", "99999999999999999999"} {
		if n, ok := leading(cell); ok {
			t.Errorf("%q is %d", cell, n)
		}
	}
	// Numbers come highest first.
	s := newScreen(tables.Find("queues"), "")
	s.Sorted = 1
	place := func(cell string) int64 {
		n, _ := s.order(tables.Row{Cells: []safe.Safe{shown.Printable("q"), shown.Printable(cell)}})
		return n
	}
	if a, b, c, e := place("20"), place("3"), place("many"), place(""); a >= b || b >= c || c >= e {
		t.Errorf("20, 3, many and nothing are at %d, %d, %d, %d", a, b, c, e)
	}
}
