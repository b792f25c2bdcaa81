package moderation

import (
	"context"
	"fmt"

	"svc/db"
	"svc/server/platform/fault"
)

// UpdateStatus marks someone's status sensitive or not, changes who may see it,
// or both; nil leaves as it is. A reblog is db.ErrNotFound.
func (s *Service) UpdateStatus(ctx context.Context, by *db.Account, id string, sensitive *bool, visibility *string) error {
	if err := StatusUpdated.may(by); err != nil {
		return err
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if _, err := findStatus(ctx, tx, id); err != nil {
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
		return s.Log(ctx, tx, by, StatusUpdated, Data{StatusID: id, Sensitive: sensitive, Visibility: visibility})
	})
}

// DeleteStatus removes someone's status for good, a deactivated author's too. A
// reblog is db.ErrNotFound, and so is a status of an actor that nobody sees.
func (s *Service) DeleteStatus(ctx context.Context, by *db.Account, id string) error {
	if err := StatusDeleted.may(by); err != nil {
		return err
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		status, err := findStatus(ctx, tx, id)
		if err != nil {
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
		return s.Log(ctx, tx, by, StatusDeleted, Data{StatusID: id})
	})
}

// findStatus is a status that is no reblog.
func findStatus(ctx context.Context, tx *db.DB, id string) (*db.Status, error) {
	status, err := tx.StatusByID(ctx, id)
	if err == nil && status.ReblogOfID != nil {
		return nil, fmt.Errorf("status %s is a reblog: %w", id, db.ErrNotFound)
	}
	return status, err
}
