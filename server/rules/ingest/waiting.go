package ingest

import (
	"context"
	"sync"
	"time"

	"svc/db"
)

// waiters are the requests that wait for the answer to a follow, by the local
// account that follows.
type waiters struct {
	mu  sync.Mutex
	all map[string]map[chan struct{}]bool
}

// hear wakes waiters whose follows may have changed.
func (w *waiters) hear(topic, payload string) {
	if topic != db.AccountChanged {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.all[payload] {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

func (w *waiters) add(id string) (c chan struct{}, remove func()) {
	c = make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all == nil {
		w.all = map[string]map[chan struct{}]bool{}
	}
	if w.all[id] == nil {
		w.all[id] = map[chan struct{}]bool{}
	}
	w.all[id][c] = true
	return c, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if delete(w.all[id], c); len(w.all[id]) == 0 {
			delete(w.all, id)
		}
	}
}

// AwaitAnswer waits for the answer to a remote follow, as long as the settings
// say. It returns at once if no answer is pending, and when ctx ends.
func (s *Service) AwaitAnswer(ctx context.Context, followerID, targetID string) error {
	settings := s.settings.Load()
	most := settings.ActivityPub.FollowHandshake
	if most <= 0 || !settings.Instance.Federating {
		return nil
	}
	changed, remove := s.waiters.add(followerID)
	defer remove()
	target, err := s.db.Account(ctx, targetID)
	if err != nil || target.Local {
		return err
	}
	end := time.NewTimer(most)
	defer end.Stop()
	for {
		f, err := s.db.Follow(ctx, followerID, targetID)
		if isNotFound(err) || err == nil && !f.Pending {
			return nil
		}
		if err != nil {
			return err
		}
		select {
		case <-changed:
		case <-end.C:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}
