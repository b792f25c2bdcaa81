package social

import (
	"context"
	"errors"

	"svc/db"
	"svc/server/platform/fault"
)

// A FollowAnswer is the outcome of a remote follow request.
type FollowAnswer int

// The answers.
const (
	FollowWaits    FollowAnswer = iota // for its target
	FollowAccepted                     // now, or long ago
	FollowRejected
)

// TakeFollow follows a local account for a remote one, or requests to if that
// is locked. uri is the activity's id. Of a repeated follow the newest id is
// kept, since the other server will undo that one. A target that cannot be
// followed is db.ErrNotFound.
func (s *Service) TakeFollow(ctx context.Context, by *db.Account, targetID, uri string) (answer FollowAnswer, err error) {
	err = s.db.Tx(ctx, func(tx *db.DB) error {
		if err := tx.HoldAccounts(ctx, by.ID, targetID); err != nil {
			return err
		}
		target, err := both(ctx, tx, by.ID, targetID)
		if err != nil {
			return err
		}
		if target.Invisible || !target.Local {
			return errNotFound("account", targetID)
		}
		switch err := s.mayFollow(ctx, tx, by, target); {
		case fault.Is(err, fault.KindForbidden):
			answer = FollowRejected
			return removeFollow(ctx, tx, by.ID, target.ID, FollowRefused)
		case err != nil:
			return err
		}
		f, err := tx.Follow(ctx, by.ID, target.ID)
		switch {
		case errors.Is(err, db.ErrNotFound):
			f = &db.Follow{FollowerID: by.ID, TargetID: target.ID, URI: uri, Pending: target.Locked, Reblogs: true}
			err = s.followed(ctx, tx, by, target, f)
		case err == nil:
			err = repeated(ctx, tx, f, target, uri, FollowOptions{})
		}
		if answer = FollowWaits; err == nil && !f.Pending {
			answer = FollowAccepted
		}
		return err
	})
	return answer, err
}

// sentFollow finds the local follow of by that an answer of by is about: the
// one with this id, or else by this follower. An answer without a follow is
// db.ErrNotFound.
func sentFollow(ctx context.Context, tx *db.DB, by *db.Account, uri, followerURI string) (*db.Follow, error) {
	f, err := tx.FollowByURI(ctx, uri)
	if errors.Is(err, db.ErrNotFound) && followerURI != "" {
		var follower *db.Account
		if follower, err = tx.AccountByURI(ctx, followerURI); err != nil {
			return nil, err
		}
		f, err = tx.Follow(ctx, follower.ID, by.ID)
	}
	if err != nil {
		return nil, err
	}
	if f.TargetID != by.ID || !f.Local {
		return nil, errNotFound("follow of", by.URI)
	}
	if err := tx.HoldAccounts(ctx, f.FollowerID, f.TargetID); err != nil {
		return nil, err
	}
	return tx.Follow(ctx, f.FollowerID, f.TargetID) // read again now that both accounts are held
}

// TakeAccept applies a remote account's Accept of a follow, found by its id, or
// else by its follower. Without a request it is db.ErrNotFound; an accepted
// follow stays.
func (s *Service) TakeAccept(ctx context.Context, by *db.Account, followURI, followerURI string) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		f, err := sentFollow(ctx, tx, by, followURI, followerURI)
		if err != nil || !f.Pending {
			return err
		}
		return accepted(ctx, tx, by, f)
	})
}

// TakeReject ends a follow or request that its target, a remote account,
// rejects. Without one it is db.ErrNotFound.
func (s *Service) TakeReject(ctx context.Context, by *db.Account, followURI, followerURI string) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		f, err := sentFollow(ctx, tx, by, followURI, followerURI)
		if err != nil {
			return err
		}
		return removeFollow(ctx, tx, f.FollowerID, f.TargetID, FollowRefused)
	})
}

// TakeUnfollow ends a remote account's follow or request: the one with this id,
// or else of this target. It reports whether there was one.
func (s *Service) TakeUnfollow(ctx context.Context, by *db.Account, followURI, targetURI string) (found bool, err error) {
	err = s.db.Tx(ctx, func(tx *db.DB) error {
		f, err := takenFollow(ctx, tx, by, followURI, targetURI)
		if found = err == nil; !found {
			return ignoreNotFound(err)
		}
		if err := tx.HoldAccounts(ctx, f.FollowerID, f.TargetID); err != nil {
			return err
		}
		return removeFollow(ctx, tx, f.FollowerID, f.TargetID, FollowEnded)
	})
	return found, err
}

// takenFollow finds the follow by an account with this id, or else of this
// target.
func takenFollow(ctx context.Context, tx *db.DB, by *db.Account, followURI, targetURI string) (*db.Follow, error) {
	f, err := tx.FollowByURI(ctx, followURI)
	if err == nil && f.FollowerID != by.ID {
		return nil, errNotFound("follow by", by.URI)
	}
	if err == nil || !errors.Is(err, db.ErrNotFound) || targetURI == "" {
		return f, err
	}
	target, err := tx.AccountByURI(ctx, targetURI)
	if err != nil {
		return nil, err
	}
	return tx.Follow(ctx, by.ID, target.ID)
}

// TakeBlock blocks a local account for a remote one, and ends the follows and
// requests of both. uri is the activity's id.
func (s *Service) TakeBlock(ctx context.Context, by *db.Account, targetID, uri string) error {
	return s.withTarget(ctx, by, targetID, func(tx *db.DB, target *db.Account) error {
		return s.blocked(ctx, tx, by, target, uri)
	})
}

// TakeUnblock ends a remote account's block: the one with this id, or else of
// this target. It reports whether there was one.
func (s *Service) TakeUnblock(ctx context.Context, by *db.Account, blockURI, targetURI string) (found bool, err error) {
	err = s.db.Tx(ctx, func(tx *db.DB) error {
		b, err := tx.BlockByURI(ctx, by.ID, blockURI, targetURI)
		if found = err == nil; !found {
			return ignoreNotFound(err)
		}
		return s.In(tx).Unblock(ctx, by, b.TargetID)
	})
	return found, err
}
