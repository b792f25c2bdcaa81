package social

import (
	"context"
	"errors"
	"time"

	"svc/db"
)

const (
	// pruneAtOnce is how many statuses are looked up at once.
	pruneAtOnce = 200
	// pruneTime bounds one statement on PostgreSQL. Statuses that stay are skipped.
	pruneTime = 10 * time.Minute
)

// Prune removes public remote statuses that are older than the settings say and
// have no local interest. Each may be fetched again. It returns the number of
// removed statuses; an interrupted run can be repeated.
func (s *Service) Prune(ctx context.Context) (removed int, err error) {
	for after, n := "", 0; ; removed += n {
		if after, n, err = s.pruneChunk(ctx, after); err != nil || after == "" {
			return removed + n, err
		}
	}
}

// PruneOn is Prune for as long as it may take, from where it last ended, and does nothing
// unless the settings say that statuses are pruned by themselves; they are asked again
// before each chunk.
func (s *Service) PruneOn(ctx context.Context, may time.Duration) (removed int, err error) {
	until := s.now().Add(may)
	for s.settings.Load().Instance.PruneRemotePosts && s.now().Before(until) {
		after, err := s.db.Meta(ctx, db.PrunedUpTo)
		if err != nil {
			return removed, err
		}
		after, n, err := s.pruneChunk(ctx, after)
		removed += n
		if err == nil {
			err = s.db.SetMeta(ctx, db.PrunedUpTo, after)
		}
		if err != nil || after == "" {
			return removed, err
		}
	}
	return removed, nil
}

// pruneChunk removes the next statuses above after, and returns the last of them, ""
// behind all.
func (s *Service) pruneChunk(ctx context.Context, after string) (last string, removed int, err error) {
	ctx = db.Within(ctx, pruneTime)
	days := s.settings.Load().Instance.RemotePostRetentionDays
	before := db.FlakeAt(s.now().Add(-time.Duration(days) * 24 * time.Hour))
	ids, err := s.db.Prunable(ctx, after, before, pruneAtOnce)
	for _, id := range ids {
		gone, err := s.prune(ctx, after, id)
		if err != nil {
			return after, removed, err
		}
		if after = id; gone {
			removed++
		}
	}
	if len(ids) < pruneAtOnce {
		after = ""
	}
	return after, removed, err
}

// prune removes the status with this id, the first to prune above after, if it
// may still be pruned.
func (s *Service) prune(ctx context.Context, after, id string) (gone bool, err error) {
	err = s.db.Tx(ctx, func(tx *db.DB) error {
		gone = false
		status, err := tx.HeldStatus(ctx, id)
		if err != nil {
			return err
		}
		still, err := tx.Prunable(ctx, after, id+"~", 1) // "~" sorts behind ids
		if err != nil || len(still) == 0 || still[0] != id {
			return err
		}
		if err := s.deleted(ctx, tx, nil, status); err != nil || status.URI == nil {
			return err
		}
		gone = true
		return tx.ForgetTombstone(ctx, *status.URI)
	})
	if errors.Is(err, db.ErrNotFound) || errors.Is(err, db.ErrUnreadable) {
		return false, nil // someone was quicker, or it is left out
	}
	return gone, err
}
