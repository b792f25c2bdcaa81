package social

import (
	"context"
	"slices"

	"svc/db"
	"svc/server/platform/fault"
)

// DeleteStatus removes a status for its author, or for a moderator or admin;
// for anybody else it is db.ErrNotFound. Its reblogs, favourites and
// notifications go with it, its URI stays as a tombstone; files stay as unused
// uploads when their owner deletes it. A reblog is removed for its author only.
// Logging what a moderator does is left to the caller.
func (s *Service) DeleteStatus(ctx context.Context, by *db.Account, id string) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		status, err := tx.StatusByID(ctx, id)
		if err != nil {
			return err
		}
		own, reblog := status.AccountID == by.ID, status.ReblogOfID != nil
		if !own && (reblog || !by.Staff()) {
			return errNotFound("status", id)
		}
		if own && !reblog {
			// He may want to write it anew, with the same files.
			if err := tx.DetachMedia(ctx, status.ID); err != nil {
				return err
			}
		}
		return s.deleted(ctx, tx, by, status)
	})
}

// deleted is the effect of a status or a reblog that goes, whoever deletes it. by
// is nil where nobody here does: its time is over, or another server says so.
func (s *Service) deleted(ctx context.Context, tx *db.DB, by *db.Account, status *db.Status) error {
	if status.ReblogOfID != nil {
		if err := s.outbox.Unreblogged(ctx, tx, by, status); err != nil {
			return err
		}
		return tx.DeleteReblog(ctx, status)
	}
	if err := s.outbox.Deleted(ctx, tx, by, status); err != nil {
		return err
	}
	if err := countStatus(ctx, tx, status, -1); err != nil {
		return err
	}
	return tx.DeleteStatus(ctx, status)
}

// countStatus moves the counters that a public status moves: its author's, then its
// parent's, if that is still there.
func countStatus(ctx context.Context, tx *db.DB, status *db.Status, by int64) error {
	if !counted(status.Visibility) {
		return nil
	}
	if err := tx.AddCounts(ctx, status.AccountID, db.Counts{Statuses: by}); err != nil || status.InReplyToID == nil {
		return err
	}
	return ignoreNotFound(tx.AddStatusCounts(ctx, *status.InReplyToID, db.StatusCounts{Replies: by}))
}

// UpdateStatus is a moderator's change of a status; what is nil stays. A
// visibility other than public, unlisted and private is refused, and a reblog
// is db.ErrNotFound. Addressing and counters follow the visibility; what
// becomes private loses the reblogs of others, and mentioned accounts keep
// their access. It returns the status as it is then.
func (s *Service) UpdateStatus(ctx context.Context, by *db.Account, id string, sensitive *bool, visibility *string) (*db.Status, error) {
	if visibility != nil && !slices.Contains([]string{db.Public, db.Unlisted, db.Private}, *visibility) {
		return nil, fault.Malformed("Unsupported visibility")
	}
	if !by.Staff() {
		return nil, errNotFound("status", id)
	}
	var status *db.Status
	err := s.db.Tx(ctx, func(tx *db.DB) (err error) {
		if status, err = tx.StatusByID(ctx, id); err != nil {
			return err
		}
		if status.ReblogOfID != nil {
			return errNotFound("status", id)
		}
		was := *status
		var columns []string
		if sensitive != nil && *sensitive != status.Sensitive {
			status.Sensitive = *sensitive
			columns = append(columns, "sensitive")
		}
		if visibility != nil && *visibility != status.Visibility {
			if err := s.readdress(ctx, tx, status, *visibility); err != nil {
				return err
			}
			columns = append(columns, "visibility", "to_uris", "cc_uris")
		}
		if len(columns) == 0 {
			return nil
		}
		if err := tx.UpdateStatus(ctx, status, columns...); err != nil {
			return err
		}
		if status.Visibility != was.Visibility {
			if err := tx.RemoveFromParticipations(ctx, &was); err != nil {
				return err
			}
		}
		if status, err = tx.StatusByID(ctx, id); err != nil {
			return err
		}
		return tx.IndexStatus(ctx, status, searchable(status))
	})
	return status, err
}

func (s *Service) readdress(ctx context.Context, tx *db.DB, status *db.Status, visibility string) error {
	author, err := tx.Account(ctx, status.AccountID)
	if err != nil {
		return err
	}
	before := counted(status.Visibility)
	if before && !counted(visibility) {
		err = countStatus(ctx, tx, status, -1)
	}
	status.Visibility = visibility
	if !before && counted(visibility) {
		err = countStatus(ctx, tx, status, 1)
	}
	if err != nil {
		return err
	}
	s.addressURIs(author, status)
	if visibility != db.Private {
		return nil
	}
	return tx.DeleteReblogsByOthers(ctx, status)
}
