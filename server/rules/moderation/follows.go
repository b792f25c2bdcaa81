package moderation

import (
	"context"
	"errors"
	"slices"

	"svc/db"
)

// Follow makes an account follow another, at once and without notification. An
// unknown account is no error and nothing happens; a follow of known ones is
// logged, even if it existed.
func (s *Service) Follow(ctx context.Context, by *db.Account, follower, followed string) error {
	return s.pair(ctx, by, Followed, follower, followed, func(tx *db.DB, followerID, followedID string) error {
		return s.social.In(tx).ForceFollow(ctx, followerID, followedID)
	})
}

// Unfollow ends a follow or a request, likewise.
func (s *Service) Unfollow(ctx context.Context, by *db.Account, follower, followed string) error {
	return s.pair(ctx, by, Unfollowed, follower, followed, func(tx *db.DB, followerID, followedID string) error {
		return s.social.In(tx).ForceUnfollow(ctx, followerID, followedID)
	})
}

func (s *Service) pair(ctx context.Context, by *db.Account, action *Action, follower, followed string, do func(tx *db.DB, followerID, followedID string) error) error {
	if err := s.rights.Check(by, action.right); err != nil {
		return err
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		t, err := s.choose(ctx, tx, by, action.right, []string{follower, followed}, func(ctx context.Context, tx *db.DB, _, all []string) ([]db.Account, error) {
			if err := tx.HoldAccounts(ctx, all...); err != nil {
				return nil, err
			}
			return tx.Accounts(ctx, all)
		})
		if errors.Is(err, db.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := do(tx, t.ids[0], t.ids[1]); err != nil {
			return err
		}
		of := func(id string) *db.Account {
			return t.each[slices.IndexFunc(t.each, func(a *db.Account) bool { return a.ID == id })]
		}
		return s.Log(ctx, tx, by, action, Data{Follower: of(t.ids[0]), Followed: of(t.ids[1])})
	})
}
