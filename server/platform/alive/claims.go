package alive

import (
	"context"
	"sync"
)

// Claims are the claimed rows of a holder, by key: in the database, and as the
// holder knows them. They differ after a claim whose answer was lost.
type Claims[K comparable] struct {
	// Held returns the holder's claims in the database.
	Held func(ctx context.Context, holder string) ([]K, error)
	// Knows reports whether the holder knows of a claim.
	Knows func(K) bool
	// Release releases claims of the holder.
	Release func(ctx context.Context, holder string, keys []K) error
}

// look finds claims in the database that the holder does not know, and releases
// them at the second look: a claim that is just being made is known by then.
// Where nothing is claimed at all, that is known without another statement.
func (c Claims[K]) look() func(ctx context.Context, holder string, claimed bool) (bool, error) {
	before := map[K]bool{}
	return func(ctx context.Context, holder string, claimed bool) (bool, error) {
		var held []K
		if claimed {
			var err error
			if held, err = c.Held(ctx, holder); err != nil {
				return false, err
			}
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
