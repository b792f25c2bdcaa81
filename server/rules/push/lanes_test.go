package push

import (
	"fmt"
	"testing"
	"time"
)

// TestLanesAreShared: a full lane sends away who comes next, each to a later turn, and
// leaves the places of others alone.
func TestLanesAreShared(t *testing.T) {
	now := time.Unix(1000, 0)
	l := newLanes(func() time.Time { return now })
	slow := []share{{"account ann", 4}, {"host slow.example", 6}}
	var inside []func()
	for range 4 {
		leave, wait := l.enter(slow...)
		if wait != 0 {
			t.Fatalf("sent away for %s", wait)
		}
		inside = append(inside, leave)
	}
	last := time.Duration(0)
	for i := range 400 {
		leave, wait := l.enter(slow...)
		if leave != nil || wait < last || wait == last && wait != longestTurn || wait > longestTurn {
			t.Fatalf("message %d of a full lane waits for %s, after %s", i, wait, last)
		}
		last = wait
	}
	if last != longestTurn {
		t.Errorf("the last of 400 waits for %s", last)
	}
	for i := range 2 {
		leave, wait := l.enter(share{fmt.Sprint("account ", i), 4}, share{"host slow.example", 6})
		if wait != 0 {
			t.Errorf("another account is sent away for %s", wait)
		}
		inside = append(inside, leave)
	}
	if _, wait := l.enter(share{"account 3", 4}, share{"host slow.example", 6}); wait == 0 {
		t.Error("a host has more than its share")
	}
	leave, wait := l.enter(share{"account 3", 4}, share{"host fast.example", 6})
	if wait != 0 {
		t.Errorf("another host is sent away for %s", wait)
	}
	leave()
	now = now.Add(10 * time.Second)
	for _, leave := range inside {
		leave()
	}
	if l.of["account ann"].call <= usualCall {
		t.Errorf("calls of 10 s count as %s", l.of["account ann"].call)
	}
	if leave, wait = l.enter(slow...); wait != 0 {
		t.Errorf("sent away from an empty lane for %s", wait)
	} else {
		leave()
	}
	now = now.Add(longestTurn)
	for i := range manyLanes {
		leave, _ := l.enter(share{fmt.Sprint("account ", i, "x"), 1})
		defer leave()
	}
	if leave, _ := l.enter(share{"account last", 1}); len(l.of) != manyLanes+1 {
		t.Errorf("%d lanes are known", len(l.of))
	} else {
		leave()
	}
}
