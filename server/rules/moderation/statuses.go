package moderation

import (
	"context"
	"fmt"

	"svc/db"
	"svc/server/platform/fault"
)

// UpdateStatus changes the sensitivity or visibility of a status, or both; nil
// keeps a value. A reblog is db.ErrNotFound.
func (s *Service) UpdateStatus(ctx context.Context, by *db.Account, id string, sensitive *bool, visibility *string) error {
	if err := s.rights.Check(by, StatusUpdated.right); err != nil {
		return err
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		status, err := findStatus(ctx, tx, by, id)
		if err != nil {
			return err
		}
		if err := s.rights.Hold(ctx, tx, by, StatusUpdated.right); err != nil {
			return err
		}
		if visibility != nil {
			switch *visibility {
			case db.Public, db.Unlisted, db.Private:
			default:
				return fault.Malformed("Unsupported visibility")
			}
		}
		if sensitive == nil && visibility == nil {
			return nil
		}
		if _, err := s.social.In(tx).UpdateStatus(ctx, by, id, sensitive, visibility); err != nil {
			return err
		}
		return s.Log(ctx, tx, by, StatusUpdated, Data{StatusID: id, Sensitive: sensitive, Visibility: visibility, About: []string{status.AccountID}})
	})
}

// DeleteStatus deletes a status for good, also one of a deactivated author. A
// reblog, or a status of an invisible account, is db.ErrNotFound.
func (s *Service) DeleteStatus(ctx context.Context, by *db.Account, id string) error {
	if err := s.rights.Check(by, StatusDeleted.right); err != nil {
		return err
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		status, err := findStatus(ctx, tx, by, id)
		if err != nil {
			return err
		}
		if err := s.rights.Hold(ctx, tx, by, StatusDeleted.right); err != nil {
			return err
		}
		author, err := tx.Account(ctx, status.AccountID)
		if err != nil {
			return err
		}
		if author.Invisible {
			return fmt.Errorf("status %s of %s: %w", id, author.Nickname, db.ErrNotFound)
		}
		if err := s.social.In(tx).DeleteStatus(ctx, by, id); err != nil {
			return err
		}
		return s.Log(ctx, tx, by, StatusDeleted, Data{StatusID: id, About: []string{status.AccountID}})
	})
}

// findStatus holds and returns a status that is no reblog, before its parent, its
// author and the account that acts, which the change may count or read: others hold
// statuses and then accounts too, by id.
func findStatus(ctx context.Context, tx *db.DB, by *db.Account, id string) (*db.Status, error) {
	status, err := tx.StatusByID(ctx, id)
	if err != nil {
		return nil, err
	}
	ids := []string{id}
	if status.InReplyToID != nil {
		ids = append(ids, *status.InReplyToID)
	}
	if err := tx.HoldStatuses(ctx, ids...); err != nil {
		return nil, err
	}
	if status, err = tx.HeldStatus(ctx, id); err != nil {
		return nil, err
	}
	if status.ReblogOfID != nil {
		return nil, fmt.Errorf("status %s is a reblog: %w", id, db.ErrNotFound)
	}
	return status, tx.HoldAccounts(ctx, by.ID, status.AccountID)
}
