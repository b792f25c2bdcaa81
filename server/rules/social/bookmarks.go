package social

import (
	"context"
	"slices"

	"svc/db"
	"svc/server/platform/fault"
)

// Bookmark bookmarks a status and returns it. Repeating it changes nothing.
func (s *Service) Bookmark(ctx context.Context, by *db.Account, id string) (*db.Status, error) {
	var status *db.Status
	err := s.db.Tx(ctx, func(tx *db.DB) (err error) {
		if status, err = visible(ctx, tx, by, id); err != nil {
			return err
		}
		// Held, so that no bookmark outlives a status that is being deleted.
		if err := tx.HoldStatus(ctx, status.ID); err != nil {
			return err
		}
		if err := keepActive(ctx, tx, by); err != nil {
			return err
		}
		return tx.CreateBookmark(ctx, by.ID, status.ID)
	})
	return status, err
}

// Unbookmark removes a bookmark and returns the status; none is no error.
func (s *Service) Unbookmark(ctx context.Context, by *db.Account, id string) (*db.Status, error) {
	var status *db.Status
	err := s.db.Tx(ctx, func(tx *db.DB) (err error) {
		if status, err = visible(ctx, tx, by, id); err != nil {
			return err
		}
		return tx.DeleteBookmark(ctx, by.ID, status.ID)
	})
	return status, err
}

// Pin pins a public or unlisted status of by to their profile and returns it. A
// pinned status does not expire. Repeating it changes nothing.
func (s *Service) Pin(ctx context.Context, by *db.Account, id string) (*db.Status, error) {
	most := s.settings.Load().Instance.MaxPinnedStatuses
	return s.repin(ctx, by, id, "Could not pin", func(tx *db.DB, status *db.Status) error {
		if !slices.Contains([]string{db.Public, db.Unlisted, db.Local}, status.Visibility) {
			return fault.Malformed("Could not pin")
		}
		if !status.PinnedAt.IsZero() {
			return nil
		}
		pinned, err := tx.Pinned(ctx, by.ID)
		if err != nil {
			return err
		}
		if pinned >= most {
			return fault.Malformed("You have already pinned the maximum number of statuses")
		}
		return s.pinned(ctx, tx, by, status, true)
	})
}

// pinned is the effect of a status that is pinned, or with shown false
// unpinned, by its author, local or remote. An unpinned status expires when it
// was to.
func (s *Service) pinned(ctx context.Context, tx *db.DB, by *db.Account, status *db.Status, shown bool) error {
	tell := s.outbox.Unpinned
	if status.PinnedAt = (db.Time{}); shown {
		status.PinnedAt, tell = db.At(s.now()), s.outbox.Pinned
	}
	if err := tx.UpdateStatus(ctx, status, "pinned_at"); err != nil {
		return err
	}
	if err := tell(ctx, tx, by, status); err != nil || shown {
		return err
	}
	return expireLater(ctx, tx, status)
}

// Unpin removes a status of by from their profile and returns it. It expires
// when it was to, at once if that is over. Repeating it changes nothing.
func (s *Service) Unpin(ctx context.Context, by *db.Account, id string) (*db.Status, error) {
	return s.repin(ctx, by, id, "Could not unpin", func(tx *db.DB, status *db.Status) error {
		if status.PinnedAt.IsZero() {
			return nil
		}
		return s.pinned(ctx, tx, by, status, false)
	})
}

// repin changes a pin of by's own status; those of others are refused. The
// status is held, so that it does not expire meanwhile, and the author, so that
// concurrent pins respect the limit.
func (s *Service) repin(ctx context.Context, by *db.Account, id, refusal string, do func(tx *db.DB, status *db.Status) error) (*db.Status, error) {
	var status *db.Status
	err := s.db.Tx(ctx, func(tx *db.DB) (err error) {
		if err := tx.HoldStatus(ctx, id); err != nil {
			return err
		}
		if err := holdActive(ctx, tx, by); err != nil {
			return err
		}
		if status, err = tx.VisibleStatus(ctx, db.Viewer{ID: by.ID}, id); err != nil {
			return err
		}
		if status.AccountID != by.ID || status.ReblogOfID != nil {
			return fault.Malformed(refusal)
		}
		return do(tx, status)
	})
	return status, err
}
