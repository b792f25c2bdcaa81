package social

import (
	"context"
	"errors"

	"svc/db"
	"svc/server/federation/mrf"
	"svc/server/platform/fault"
	"svc/server/rules/notify"
)

// Favourite favourites a status and returns it. Repeating it changes nothing.
func (s *Service) Favourite(ctx context.Context, by *db.Account, id string) (*db.Status, error) {
	var status *db.Status
	err := s.db.Tx(ctx, func(tx *db.DB) (err error) {
		// Who lists their favourites by id misses none that is stored later.
		if status, err = heldVisible(ctx, tx, by, id); err != nil {
			return err
		}
		if err := s.Admit(by, mrf.Like); err != nil {
			return err
		}
		return s.favourited(ctx, tx, by, status, s.newURI("activities"))
	})
	return status, err
}

// favourited is the effect of a favourite with this id, local or remote.
// Repeating it changes nothing.
func (s *Service) favourited(ctx context.Context, tx *db.DB, by *db.Account, status *db.Status, uri string) error {
	f := &db.Favourite{AccountID: by.ID, StatusID: status.ID, ID: tx.NewID(), URI: uri, CreatedAt: tx.Now()}
	if created, err := tx.CreateFavourite(ctx, f); err != nil || !created {
		return err
	}
	if err := s.outbox.Favourited(ctx, tx, by, f, status); err != nil {
		return err
	}
	news := db.News{Type: db.NotifyFavourite, From: by, StatusID: status.ID, Conversation: status.ConversationID}
	return notify.Notify(ctx, tx, news, status.AccountID)
}

// Unfavourite removes a favourite and returns the status. It is refused if
// there is none.
func (s *Service) Unfavourite(ctx context.Context, by *db.Account, id string) (*db.Status, error) {
	var status *db.Status
	err := s.db.Tx(ctx, func(tx *db.DB) (err error) {
		if status, err = visible(ctx, tx, by, id); err != nil {
			return err
		}
		f := &db.Favourite{}
		if by.Local && !status.Local {
			if f, err = tx.Favourite(ctx, by.ID, status.ID); errors.Is(err, db.ErrNotFound) {
				return fault.Malformed("Could not unfavorite")
			} else if err != nil {
				return err
			}
		}
		removed, err := tx.DeleteFavourite(ctx, by.ID, status.ID)
		if err != nil {
			return err
		}
		if !removed {
			return fault.Malformed("Could not unfavorite")
		}
		return s.outbox.Unfavourited(ctx, tx, by, f, status)
	})
	return status, err
}
