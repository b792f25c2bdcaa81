package delivery

import (
	"context"
	"sync"
	"time"
)

// The bounds of the pace. A call costs a millisecond or more of CPU, mostly for
// its signature.
const (
	// slowest bounds how long a call yields to visitors.
	slowest = 15 * time.Millisecond
	glance  = time.Millisecond
)

// Visits reports whether a request is being served, and whether one came
// lately.
type Visits struct{ Waiting, Lately bool }

// pace keeps deliveries from slowing down requests. While requests come,
// signatures take at most half of a CPU, and none during a request, unless that
// lasts. Without requests they take all.
type pace struct {
	turns  chan struct{}
	spare  chan struct{} // turns without visitors
	visits func() Visits
}

func newPace(processors int, visits func() Visits) *pace {
	half := max(1, processors/2)
	return &pace{turns: make(chan struct{}, half), spare: make(chan struct{}, processors-half), visits: visits}
}

// turn waits until a call may be signed. signed ends the turn; calling it again
// is harmless.
func (p *pace) turn(ctx context.Context) (signed func(), err error) {
	spare := p.spare
	if p.visits().Lately {
		spare = nil
	}
	taken := p.turns
	select {
	case p.turns <- struct{}{}:
	case spare <- struct{}{}:
		taken = spare
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for end := time.Now().Add(slowest); p.visits().Waiting && time.Now().Before(end); {
		time.Sleep(glance)
	}
	return sync.OnceFunc(func() { <-taken }), nil
}
