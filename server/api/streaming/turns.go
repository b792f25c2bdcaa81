package streaming

import (
	"context"
	"sync"
	"time"
)

// The places of streams that catch up, in this process. A place is held while the database
// is read, and not while a client is written to. Strangers have places of their own.
const (
	mostCatchUp    = 8 // streams at once; others wait
	mostCatchUpOne = 2 // of one account, or one address of strangers

	// A stranger's place rests this many times as long as it was used, so that all of
	// them together keep half a processor busy. Nobody waits for that if others are free.
	strangersRest = 15
	longestRest   = time.Second
)

// turns are the places of some streams that catch up.
type turns struct {
	places chan struct{} // holds one for each place that is taken
	rest   time.Duration // how long a place rests, as a multiple

	mu sync.Mutex
	by map[string]*ownTurns // those of accounts and addresses that hold places or wait
}

type ownTurns struct {
	places chan struct{}
	users  int
}

func newTurns(rest time.Duration) *turns {
	return &turns{rest: rest, places: make(chan struct{}, mostCatchUp), by: map[string]*ownTurns{}}
}

// take waits for a place for a reader, until ctx ends or the reader is cut off. The
// returned function gives it back.
func (t *turns) take(ctx context.Context, r *reader) (back func(), err error) {
	own := t.own(r.who)
	undo := func() {}
	for _, places := range []chan struct{}{own.places, t.places} {
		if places == nil { // addresses do not tell strangers apart
			continue
		}
		select {
		case places <- struct{}{}:
			before := undo
			undo = func() { <-places; before() }
			continue
		case <-ctx.Done():
			err = ctx.Err()
		case <-r.gone:
			err = r.cause()
		}
		break
	}
	back = func() { undo(); t.leave(r.who) }
	if err != nil {
		back()
		return nil, err
	}
	return back, nil
}

// with runs fn at a place.
func (t *turns) with(ctx context.Context, r *reader, fn func() error) error {
	back, err := t.take(ctx, r)
	if err != nil {
		return err
	}
	began := time.Now()
	defer func() {
		if t.rest == 0 {
			back()
			return
		}
		time.AfterFunc(min(time.Since(began)*t.rest, longestRest), back)
	}()
	return fn()
}

func (t *turns) own(who string) *ownTurns {
	if who == "" {
		return &ownTurns{}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.by[who] == nil {
		t.by[who] = &ownTurns{places: make(chan struct{}, mostCatchUpOne)}
	}
	t.by[who].users++
	return t.by[who]
}

func (t *turns) leave(who string) {
	if who == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.by[who].users--; t.by[who].users == 0 {
		delete(t.by, who)
	}
}
