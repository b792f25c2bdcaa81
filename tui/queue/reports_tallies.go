package queue

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"svc/tui/list"
)

// tally counts the loaded reports about one account, and has what the server counts.
type tally struct {
	states map[string]int
	times  []int64 // the newest ones, ascending

	open, ever int // as the server said last, -1 where it did not
}

// told takes the server's numbers from a row that was just read.
func (t *tally) told(row list.Row) {
	if row.Nums[numEver] >= 0 {
		t.open, t.ever = int(row.Nums[numOpen]), int(row.Nums[numEver])
	}
}

// moved keeps up with a report that went from one state to another since.
func (t *tally) moved(from, to string) {
	if t == nil || t.ever < 0 || from == to {
		return
	}
	if from == "open" {
		t.open = max(0, t.open-1)
	}
	if to == "open" {
		t.open++
	}
}

// inAll is the number of reports about the account in any state, and that with the open
// ones before it: 2/5. From a server that does not count them, it is of those loaded
// that are in the state shown: 2.
func (t *tally) inAll(state string) (n int, text string) {
	const most = 999
	if t == nil {
		return 0, ""
	}
	if t.ever >= 0 {
		return t.ever, fmt.Sprintf("%d/%d", min(t.open, most), min(t.ever, most))
	}
	if n = t.count(state); n > 0 {
		text = fmt.Sprint(min(n, most))
	}
	return n, text
}

func (r *Reports) count(nick, state string, n int) {
	t := r.tallies[nick]
	if t == nil {
		t = &tally{states: map[string]int{}, open: -1, ever: -1}
		r.tallies[nick] = t
	}
	t.states[state] += n
	if _, host, remote := strings.Cut(nick, "@"); remote && state == "open" {
		r.openHosts[strings.ToLower(host)] += n
	}
}

// openAt counts the loaded open reports about accounts of a host. Each frame asks.
func (r *Reports) openAt(domain string) int { return r.openHosts[strings.ToLower(domain)] }

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
