package tui

import (
	"slices"
	"time"
)

// tally counts the loaded reports about one account.
type tally struct {
	states map[string]int
	times  []int64 // the newest ones, ascending
}

func (r *reports) count(nick, state string, n int) {
	t := r.tallies[nick]
	if t == nil {
		t = &tally{states: map[string]int{}}
		r.tallies[nick] = t
	}
	t.states[state] += n
}

// count is the number of reports in a state, or of all.
func (t *tally) count(state string) int {
	if t == nil {
		return 0
	}
	if state != "all" {
		return t.states[state]
	}
	sum := 0
	for _, n := range t.states {
		sum += n
	}
	return sum
}

// lastHour is how many reports came within an hour before now.
func (t *tally) lastHour(now time.Time) int {
	if t == nil {
		return 0
	}
	at, _ := slices.BinarySearch(t.times, now.Add(-time.Hour).Unix())
	return len(t.times) - at
}
