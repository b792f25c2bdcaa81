package moderation

import (
	"context"
	"slices"

	"svc/db"
)

// MoveUser moves a local account, as its owner could, to the account with a handle or
// ActivityPub id.
func (s *Service) MoveUser(ctx context.Context, by *db.Account, nickname, target string) error {
	if err := s.rights.Check(by, UserMoved.right); err != nil {
		return err
	}
	to, err := s.social.MoveTarget(ctx, target)
	if err != nil {
		return err
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		t, err := s.choose(ctx, tx, by, UserMoved.right, []string{nickname}, func(ctx context.Context, tx *db.DB, _, all []string) ([]db.Account, error) {
			return tx.LockAccounts(ctx, slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(all), to.ID)))))
		})
		if err != nil {
			return err
		}
		if !t.each[0].Local {
			return db.ErrNotFound
		}
		if err := s.social.In(tx).Move(ctx, t.each[0], to); err != nil {
			return err
		}
		return s.Log(ctx, tx, by, UserMoved, Data{Users: t.each, Target: s.social.Handle(to)})
	})
}

// CancelMove takes back that the profiles of local accounts lead elsewhere, all or none.
// Those that did not move are not logged.
func (s *Service) CancelMove(ctx context.Context, by *db.Account, nicknames ...string) error {
	_, err := s.onEach(ctx, by, MoveCancelled, nicknames, alone, func(tx *db.DB, a *db.Account) (bool, error) {
		if !a.Local {
			return false, db.ErrNotFound
		}
		return a.MovedTo != "", s.social.In(tx).CancelMove(ctx, a)
	})
	return err
}
