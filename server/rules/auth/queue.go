package auth

import (
	"context"
	"sync"

	"svc/server/platform/fault"
)

// maxWaiting bounds the waiters of one queue.
const maxWaiting = 256

// place is a place in a queue. Waiters of one lane wait behind each other.
// still, if given, is called when the turn comes; its error is the refusal.
type place struct {
	lane  string
	still func() error
}

// queue bounds costly concurrent work. Waiters stand in lanes, and the lanes
// take turns, so that a long lane keeps no other waiting. If the queue is full,
// a newcomer takes the place of the last waiter of the longest lane.
type queue struct {
	mu      sync.Mutex
	free    int
	waiting int
	lanes   map[string]*lane
	turns   []*lane // lanes with waiters, next one first
}

type lane struct {
	name    string
	waiting []*waiter // in the order they came
}

// waiter gets the outcome on turn: nil is a slot, an error a refusal.
type waiter struct{ turn chan error }

func newQueue(slots int) *queue { return &queue{free: slots, lanes: map[string]*lane{}} }

// enter waits for a slot and returns the function that frees it.
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

// makeRoom removes the last waiter of the longest lane, if that is longer than
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

// leaveLane removes a waiter from its lane. If its turn came meanwhile, it
// passes the slot on.
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

// drop removes an empty lane from the turns.
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

// leave gives a slot to the first waiter of the next lane.
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

// queued returns the number of waiters.
func (q *queue) queued() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waiting
}
