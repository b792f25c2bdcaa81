package auth

import (
	"context"
	"sync"

	"svc/server/platform/fault"
)

// maxWaiting is how many may wait for a slot of one queue.
const maxWaiting = 256

// place is where someone waits in a queue. Lane says who they are: those of one
// lane wait behind each other. still, where given, is asked once it is their
// turn: its error is the refusal.
type place struct {
	lane  string
	still func() error
}

// queue bounds how many do something costly at once. Whoever waits stands in a
// lane, and the lanes take turns, so that one lane keeps no other waiting,
// however long it is. When the queue is full, a newcomer takes the place of the
// last one in the longest lane.
type queue struct {
	mu      sync.Mutex
	free    int
	waiting int
	lanes   map[string]*lane
	turns   []*lane // those with someone in them, the next one first
}

type lane struct {
	name    string
	waiting []*waiter // in the order they came
}

// waiter is told on turn: nil gives a slot, an error is a refusal.
type waiter struct{ turn chan error }

func newQueue(slots int) *queue { return &queue{free: slots, lanes: map[string]*lane{}} }

// enter waits for a slot; the function it returns gives it back.
func (q *queue) enter(ctx context.Context, at place) (func(), error) {
	if err := q.wait(ctx, at.lane); err != nil {
		return nil, err
	}
	if at.still != nil {
		if err := at.still(); err != nil {
			q.leave()
			return nil, err
		}
	}
	return q.leave, nil
}

func (q *queue) wait(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	q.mu.Lock()
	if q.free > 0 {
		q.free--
		q.mu.Unlock()
		return nil
	}
	l := q.lanes[name]
	if l == nil {
		l = &lane{name: name}
	}
	if q.waiting >= maxWaiting && !q.makeRoom(l) {
		q.mu.Unlock()
		return fault.RateLimited("Throttled")
	}
	w := &waiter{turn: make(chan error, 1)}
	if len(l.waiting) == 0 {
		q.lanes[name], q.turns = l, append(q.turns, l)
	}
	l.waiting = append(l.waiting, w)
	q.waiting++
	q.mu.Unlock()
	select {
	case err := <-w.turn:
		return err
	case <-ctx.Done():
		q.leaveLane(l, w)
		return ctx.Err()
	}
}

// makeRoom turns the last one of the longest lane away, when that is longer than
// l would be.
func (q *queue) makeRoom(l *lane) bool {
	longest := l
	for _, other := range q.turns {
		if len(other.waiting) > len(longest.waiting) {
			longest = other
		}
	}
	if len(longest.waiting) <= len(l.waiting)+1 {
		return false
	}
	last := len(longest.waiting) - 1
	longest.waiting[last].turn <- fault.RateLimited("Throttled")
	longest.waiting = longest.waiting[:last]
	q.waiting--
	return true
}

// leaveLane takes a waiter out of its lane. One whose turn came meanwhile passes
// the slot on.
func (q *queue) leaveLane(l *lane, w *waiter) {
	q.mu.Lock()
	for i := range l.waiting {
		if l.waiting[i] == w {
			l.waiting = append(l.waiting[:i], l.waiting[i+1:]...)
			q.waiting--
			q.drop(l)
			q.mu.Unlock()
			return
		}
	}
	q.mu.Unlock()
	if <-w.turn == nil {
		q.leave()
	}
}

// drop takes a lane out of the turns once nobody waits in it.
func (q *queue) drop(l *lane) {
	if len(l.waiting) > 0 {
		return
	}
	delete(q.lanes, l.name)
	for i := range q.turns {
		if q.turns[i] == l {
			q.turns = append(q.turns[:i], q.turns[i+1:]...)
			return
		}
	}
}

// leave gives a slot to the first of the lane whose turn it is.
func (q *queue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.turns) == 0 {
		q.free++
		return
	}
	l := q.turns[0]
	q.turns = q.turns[1:]
	l.waiting[0].turn <- nil
	l.waiting = l.waiting[1:]
	q.waiting--
	if len(l.waiting) > 0 {
		q.turns = append(q.turns, l)
	} else {
		delete(q.lanes, l.name)
	}
}

// queued is how many wait.
func (q *queue) queued() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waiting
}
