package push

import (
	"sync"
	"time"
)

const (
	// perAccount bounds the calls at once for the devices of one account.
	perAccount = 4
	// longestTurn bounds how long a message waits before it asks for a place again.
	longestTurn = time.Minute
	// manyLanes is the number of lanes from which idle ones are looked for.
	manyLanes = 1000
	// usualCall is how long a call takes before one has ended.
	usualCall = time.Second
)

// lanes divide the workers of this process, so that neither an account nor a push
// service that answers slowly keeps the messages of others waiting. A message that
// finds its lane full gives its worker back, and is told when its turn is.
type lanes struct {
	now func() time.Time

	mu sync.Mutex
	of map[string]*lane
}

type lane struct {
	running int
	call    time.Duration // how long its calls take, lately
	turn    time.Time     // the last one that a message was told
}

// share is a lane, and how many of its messages may be sent at once.
type share struct {
	lane string
	most int
}

func newLanes(now func() time.Time) *lanes { return &lanes{now: now, of: map[string]*lane{}} }

// enter takes a place in all lanes, which leave gives back, or in none: then wait says
// when to ask again.
func (s *lanes) enter(shares ...share) (leave func(), wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	begun := s.now()
	s.tidy(begun)
	for _, to := range shares {
		if l := s.of[to.lane]; l != nil && l.running >= to.most {
			wait = max(wait, l.next(begun, to.most))
		}
	}
	if wait > 0 {
		return nil, wait
	}
	for _, to := range shares {
		if s.of[to.lane] == nil {
			s.of[to.lane] = &lane{call: usualCall}
		}
		s.of[to.lane].running++
	}
	return func() { s.leave(begun, shares) }, 0
}

// next returns how long one more message waits: turns are as far apart as messages
// leave a lane.
func (l *lane) next(now time.Time, most int) time.Duration {
	if l.turn.Before(now) {
		l.turn = now
	}
	l.turn = l.turn.Add(max(l.call/time.Duration(most), time.Millisecond))
	if last := now.Add(longestTurn); l.turn.After(last) {
		l.turn = last
	}
	return l.turn.Sub(now)
}

func (s *lanes) leave(begun time.Time, shares []share) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	for _, to := range shares {
		l := s.of[to.lane]
		l.running--
		l.call = (3*l.call + now.Sub(begun)) / 4
		if l.idle(now) {
			delete(s.of, to.lane)
		}
	}
}

// idle reports whether nobody is in a lane, or was told to wait for it.
func (l *lane) idle(now time.Time) bool { return l.running == 0 && !l.turn.After(now) }

// tidy forgets idle lanes, once there are many.
func (s *lanes) tidy(now time.Time) {
	if len(s.of) < manyLanes {
		return
	}
	for name, l := range s.of {
		if l.idle(now) {
			delete(s.of, name)
		}
	}
}
