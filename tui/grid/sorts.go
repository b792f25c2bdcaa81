package grid

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"svc/tui/desk"
	"svc/tui/shown"
	"svc/tui/tables"
)

// nextSort puts the rows in the order of the next column that is drawn, and after the
// last one in that of the server.
func (s *Screen) nextSort(width int) {
	for s.Sorted++; s.Sorted < len(s.Noun.Columns); s.Sorted++ {
		if DrawnColumn(s.Noun.Columns[s.Sorted], width) {
			break
		}
	}
	if s.Sorted == len(s.Noun.Columns) {
		s.Sorted = -1
	}
	for i := range s.Columns.Len() {
		number, text := s.order(s.Objects[s.ID(i)])
		s.SetNum(i, numOrder, number)
		s.SetText(i, textOrder, text)
	}
	s.setView()
}

// order is the place of a row by the column that the rows are sorted by: the highest
// numbers and the latest times first, then words by the alphabet, then empty cells.
func (s *Screen) order(r tables.Row) (number int64, text string) {
	if s.Sorted < 0 || s.Sorted >= len(r.Cells) {
		return 0, r.Sort
	}
	text = strings.ToLower(r.Cells[s.Sorted].String())
	if text == "" {
		return math.MaxInt64, ""
	}
	if n, ok := leading(text); ok {
		return -1 - n, text
	}
	return 0, text
}

// leading is the number or the time at the beginning of a cell: 7/25, 2026-01-02 15:04Z.
// Names that begin with a digit are words.
func leading(text string) (n int64, ok bool) {
	rest := strings.TrimLeft(text, "0123456789")
	digits := text[:len(text)-len(rest)]
	switch {
	case rest != "" && !strings.ContainsAny(rest[:1], "/- "):
		return 0, false
	case len(digits) == 4 && strings.HasPrefix(rest, "-"):
		digits = strings.Map(func(r rune) rune {
			if r < '0' || r > '9' {
				return -1
			}
			return r
		}, text)
		digits += strings.Repeat("0", max(0, 14-len(digits)))
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, err == nil
}

// Progress says how many rows a sorted table has of those that there are.
func (s *Screen) Progress(*desk.Env) string {
	if s.Sorted < 0 || s.next == nil {
		return ""
	}
	loaded := shown.Thousands(s.Columns.Len())
	if s.total >= 0 {
		loaded += " of " + shown.Thousands(s.total)
	}
	return fmt.Sprintf("loaded %s; sorted is what is loaded", loaded)
}
