package social

import (
	"context"
	"time"

	"svc/db"
	"svc/server/platform/fault"
)

// Block blocks an account. Its follows and requests of by end, and so do those
// of by unless the settings say otherwise. Repeating it changes nothing.
func (s *Service) Block(ctx context.Context, by *db.Account, targetID string) error {
	if by.ID == targetID {
		return fault.Malformed("Can not block yourself")
	}
	return s.withTarget(ctx, by, targetID, func(tx *db.DB, target *db.Account) error {
		return s.blocked(ctx, tx, by, target, s.newURI("activities"))
	})
}

// blocked is the effect of a block with this id, local or remote. A remote
// block ends the follows and requests of both.
func (s *Service) blocked(ctx context.Context, tx *db.DB, by, target *db.Account, uri string) error {
	b := &db.Block{AccountID: by.ID, TargetID: target.ID, URI: uri, CreatedAt: tx.Now()}
	created, err := tx.PutBlock(ctx, b)
	if err != nil {
		return err
	}
	if by.Local {
		if _, err := tx.ReadParticipations(ctx, by.ID, target.ID); err != nil {
			return err
		}
	}
	if s.settings.Load().ActivityPub.UnfollowBlocked || !by.Local {
		if err := s.endFollow(ctx, tx, by, target); err != nil {
			return err
		}
	}
	f, err := CutFollow(ctx, tx, target.ID, by.ID, FollowRefused)
	if err == nil && f != nil {
		err = s.outbox.Rejected(ctx, tx, by, target, f)
	}
	if err != nil || !created {
		return err
	}
	return s.outbox.Blocked(ctx, tx, by, target, b)
}

// Unblock ends a block; none is no error.
func (s *Service) Unblock(ctx context.Context, by *db.Account, targetID string) error {
	return s.withTarget(ctx, by, targetID, func(tx *db.DB, target *db.Account) error {
		b, err := tx.Block(ctx, by.ID, targetID)
		if err != nil {
			return ignoreNotFound(err)
		}
		if err := tx.DeleteBlock(ctx, by.ID, targetID); err != nil {
			return err
		}
		return s.outbox.Unblocked(ctx, tx, by, target, b)
	})
}

// Mute mutes an account, with its notifications or without, for a while or with
// 0 for good. Repeating it changes both.
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
	return s.withTargetHeld(ctx, by, targetID, func(tx *db.DB) error { return tx.PutMute(ctx, m) })
}

// Unmute ends a mute; none is no error.
func (s *Service) Unmute(ctx context.Context, by *db.Account, targetID string) error {
	return s.withTargetHeld(ctx, by, targetID, func(tx *db.DB) error { return tx.DeleteMute(ctx, by.ID, targetID) })
}

// withTargetHeld runs fn with both accounts held. An unknown target is
// db.ErrNotFound.
func (s *Service) withTargetHeld(ctx context.Context, by *db.Account, targetID string, fn func(tx *db.DB) error) error {
	return s.withTarget(ctx, by, targetID, func(tx *db.DB, _ *db.Account) error { return fn(tx) })
}

// withTarget is withTargetHeld with the target's row.
func (s *Service) withTarget(ctx context.Context, by *db.Account, targetID string, fn func(tx *db.DB, target *db.Account) error) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if err := tx.HoldAccounts(ctx, by.ID, targetID); err != nil {
			return err
		}
		target, err := both(ctx, tx, by.ID, targetID)
		if err != nil {
			return err
		}
		if target.Invisible {
			return errNotFound("account", targetID)
		}
		return fn(tx, target)
	})
}

// both returns the target of an act, once both accounts are held. An account
// that was deactivated since its request began is refused, and a target that is
// deleted: their rows may be erased already.
func both(ctx context.Context, tx *db.DB, byID, targetID string) (target *db.Account, err error) {
	rows, err := tx.Accounts(ctx, []string{byID, targetID})
	if err != nil {
		return nil, err
	}
	for i := range rows {
		if rows[i].ID == targetID {
			target = &rows[i]
		}
		if rows[i].ID == byID && rows[i].Deactivated {
			return nil, fault.Forbidden("rejected")
		}
	}
	if target == nil || len(rows) < 2 && byID != targetID {
		return nil, errNotFound("account", targetID)
	}
	if target.Deactivated {
		if deleted, err := tx.Deleted(ctx, targetID); err != nil {
			return nil, err
		} else if deleted {
			return nil, errNotFound("account", targetID)
		}
	}
	return target, nil
}
