package delivery

import (
	"context"
	"runtime"
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

// pace keeps sending from taking the processor from whoever waits for a page.
// Signatures take half of it at most, and none while somebody waits, unless that
// lasts.
type pace struct {
	turns   chan struct{}
	visited func() bool // nil is never
}

func newPace() *pace {
	return &pace{turns: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))}
}

// turn waits until a call may be signed. signed ends the turn, once or more
// often.
func (p *pace) turn(ctx context.Context) (signed func(), err error) {
	select {
	case p.turns <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if p.visited != nil {
		for end := time.Now().Add(slowest); p.visited() && time.Now().Before(end); {
			time.Sleep(glance)
		}
	}
	return sync.OnceFunc(func() { <-p.turns }), nil
}
