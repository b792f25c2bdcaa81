package alive

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
)

// Claims are the rows that a holder has claimed, by their keys: in the database,
// and as the holder knows it. They differ where a claim was made and its answer
// was lost.
type Claims[K comparable] struct {
	// Held returns what the holder has, as the database knows it.
	Held func(ctx context.Context, holder string) ([]K, error)
	// Knows reports whether the holder still has to do with a key.
	Knows func(K) bool
	// Release lets go of keys that the holder has.
	Release func(ctx context.Context, holder string, keys []K) error
}

// look finds what the database has and the holder does not know, and lets go of
// it. That takes two looks: a claim that is being made is known at the second.
func (c Claims[K]) look() func(ctx context.Context, holder string) (bool, error) {
	before := map[K]bool{}
	return func(ctx context.Context, holder string) (bool, error) {
		held, err := c.Held(ctx, holder)
		if err != nil {
			return false, err
		}
		unknown := map[K]bool{}
		var lost []K
		for _, k := range held {
			if c.Knows(k) {
				continue
			}
			unknown[k] = true
			if before[k] {
				lost = append(lost, k)
			}
		}
		before = unknown
		if len(lost) == 0 {
			return false, nil
		}
		return true, c.Release(ctx, holder, lost)
	}
}

// Known is a set of keys, for many goroutines.
type Known[K comparable] struct {
	mu  sync.Mutex
	all map[K]bool
}

// Add puts keys into the set.
func (s *Known[K]) Add(keys ...K) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[K]bool{}
	}
	for _, k := range keys {
		s.all[k] = true
	}
}

// Remove takes keys out of the set.
func (s *Known[K]) Remove(keys ...K) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range keys {
		delete(s.all, k)
	}
}

// Has reports whether a key is in the set.
func (s *Known[K]) Has(k K) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[k]
}

// Forever takes turn after turn until ctx ends. A turn that breaks is logged,
// and the next one comes after a while.
func Forever(ctx context.Context, log *slog.Logger, what string, turn func(ctx context.Context)) {
	for ctx.Err() == nil {
		if Broke(ctx, log, what, func() { turn(ctx) }) {
			wait(ctx, again)
		}
	}
}

// Broke runs fn, logs where it panics, and reports whether it did.
func Broke(ctx context.Context, log *slog.Logger, what string, fn func()) (broke bool) {
	defer func() {
		if r := recover(); r != nil {
			broke = true
			log.ErrorContext(ctx, "panic", "in", what, "reason", fmt.Sprint(r), "stack", string(debug.Stack()))
		}
	}()
	fn()
	return false
}
