package social

import (
	"context"
	"errors"
	"time"

	"svc/db"
)

const (
	// pruneChunk is how many statuses are looked up at once.
	pruneChunk = 200
	// pruneTime bounds one run. Statuses that stay are skipped.
	pruneTime = 10 * time.Minute
)

// Prune removes public remote statuses that are older than the settings say and
// have no local interest. Each may be fetched again. It returns the number of
// removed statuses; an interrupted run can be repeated.
func (s *Service) Prune(ctx context.Context) (removed int, err error) {
	ctx = db.Within(ctx, pruneTime)
	days := s.settings.Load().Instance.RemotePostRetentionDays
	before := db.FlakeAt(s.now().Add(-time.Duration(days) * 24 * time.Hour))
	for after := ""; ; {
		ids, err := s.db.Prunable(ctx, after, before, pruneChunk)
		if err != nil || len(ids) == 0 {
			return removed, err
		}
		for _, id := range ids {
			gone, err := s.prune(ctx, after, id)
			if err != nil {
				return removed, err
			}
			if after = id; gone {
				removed++
			}
		}
	}
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
