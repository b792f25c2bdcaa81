package delivery

import (
	"context"
	"sync"
	"time"
)

// The bounds of the pace. A call costs a millisecond or more of the processor,
// mostly its signature.
const (
	// slowest is for how long a call lets visitors go first.
	slowest = 15 * time.Millisecond
	glance  = time.Millisecond
)

// Visits is whether people are served: whether one waits now, and whether one
// came lately.
type Visits struct{ Waiting, Lately bool }

// pace keeps sending from taking the processor from whoever waits for a page.
// While people come, signatures take half of it at most, and none while someone
// waits, unless that lasts. Where nobody comes they take all of it.
type pace struct {
	turns  chan struct{}
	spare  chan struct{} // turns for when nobody comes
	visits func() Visits
}

func newPace(processors int, visits func() Visits) *pace {
	half := max(1, processors/2)
	return &pace{turns: make(chan struct{}, half), spare: make(chan struct{}, processors-half), visits: visits}
}

// turn waits until a call may be signed. signed ends the turn, once or more
// often.
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
