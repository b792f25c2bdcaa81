package relays

import (
	"context"
	"sync"

	"svc/db"
)

// known caches the accounts that are accepted relays, since every incoming
// activity asks, and wakes waiters for an answer.
type known struct {
	mu      sync.Mutex
	actors  map[string]bool // by account id; nil is not known
	changed chan struct{}   // closed at the next change
}

// hear drops the cache after a change.
func (k *known) hear(topic, _ string) {
	if topic != db.RelaysChanged && topic != db.AnythingMissed {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.actors = nil
	close(k.changed)
	k.changed = make(chan struct{})
}

// next returns a channel that is closed at the next change.
func (k *known) next() <-chan struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.changed
}

// From reports whether an account is a relay that this server subscribed to:
// its statuses are taken even if nobody here follows the author.
func (s *Service) From(ctx context.Context, actor *db.Account) (bool, error) {
	s.known.mu.Lock()
	actors, changed := s.known.actors, s.known.changed
	s.known.mu.Unlock()
	if actors != nil {
		return actors[actor.ID], nil
	}
	all, err := s.db.Relays(ctx)
	if err != nil {
		return false, err
	}
	actors = map[string]bool{}
	for _, r := range all {
		if !r.Pending && r.AccountID != "" {
			actors[r.AccountID] = true
		}
	}
	s.known.mu.Lock()
	defer s.known.mu.Unlock()
	if s.known.changed == changed { // unchanged since it was read
		s.known.actors = actors
	}
	return actors[actor.ID], nil
}
