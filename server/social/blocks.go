package social

import (
	"context"
	"time"

	"svc/db"
	"svc/server/fault"
)

// Block has by block an account and cuts the follows and requests of both.
// Repeating changes nothing.
func (s *Service) Block(ctx context.Context, by *db.Account, targetID string) error {
	if by.ID == targetID {
		return fault.Malformed("Can not block yourself")
	}
	return s.towards(ctx, by, targetID, func(tx *db.DB) error {
		if err := tx.CreateBlock(ctx, &db.Block{AccountID: by.ID, TargetID: targetID, URI: s.newURI("activities")}); err != nil {
			return err
		}
		if err := tx.ReadParticipations(ctx, by.ID, targetID); err != nil {
			return err
		}
		if err := unfollow(ctx, tx, by.ID, targetID); err != nil {
			return err
		}
		return unfollow(ctx, tx, targetID, by.ID)
	})
}

// Unblock lifts a block; without one it changes nothing.
func (s *Service) Unblock(ctx context.Context, by *db.Account, targetID string) error {
	return s.towards(ctx, by, targetID, func(tx *db.DB) error { return tx.DeleteBlock(ctx, by.ID, targetID) })
}

// Mute has by mute an account, with its notifications or without, for a while
// or with 0 for good. Repeating changes both.
func (s *Service) Mute(ctx context.Context, by *db.Account, targetID string, notifications bool, expiresIn time.Duration) error {
	if by.ID == targetID {
		return fault.Malformed("Can not mute yourself")
	}
	if expiresIn < 0 {
		return fault.Invalid("A mute cannot end before it begins")
	}
	m := &db.Mute{AccountID: by.ID, TargetID: targetID, Notifications: notifications}
	if expiresIn > 0 {
		m.ExpiresAt = db.At(s.now().Add(expiresIn))
	}
	return s.towards(ctx, by, targetID, func(tx *db.DB) error { return tx.PutMute(ctx, m) })
}

// Unmute lifts a mute; without one it changes nothing.
func (s *Service) Unmute(ctx context.Context, by *db.Account, targetID string) error {
	return s.towards(ctx, by, targetID, func(tx *db.DB) error { return tx.DeleteMute(ctx, by.ID, targetID) })
}

// towards runs fn with both accounts held; an unknown target is
// db.ErrNotFound.
func (s *Service) towards(ctx context.Context, by *db.Account, targetID string, fn func(tx *db.DB) error) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if err := tx.HoldAccounts(ctx, by.ID, targetID); err != nil {
			return err
		}
		target, err := tx.Account(ctx, targetID)
		if err != nil {
			return err
		}
		if target.Invisible {
			return missing("account", targetID)
		}
		return fn(tx)
	})
}
