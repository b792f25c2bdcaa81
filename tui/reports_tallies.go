package tui

import (
	"slices"
	"strings"
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
	if _, host, remote := strings.Cut(nick, "@"); remote && state == "open" {
		r.openHosts[strings.ToLower(host)] += n
	}
}

// openAt counts the loaded open reports about accounts of a host. Each frame asks.
func (r *reports) openAt(domain string) int { return r.openHosts[strings.ToLower(domain)] }

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
