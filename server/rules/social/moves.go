package social

import (
	"context"
	"errors"
	"slices"
	"time"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/jobs"
)

// movesEvery is how long an account that moved may not move again.
const movesEvery = 30 * 24 * time.Hour

// MoveTarget returns the account with a handle or ActivityPub id as its server shows it
// now.
func (s *Service) MoveTarget(ctx context.Context, named string) (*db.Account, error) {
	target, err := s.accountNamed(ctx, named)
	if err != nil || target.Local || s.remote == nil {
		return target, err
	}
	ctx, cancel := context.WithTimeout(ctx, eachTime)
	defer cancel()
	if target, err = s.remote.Refresh(ctx, target); err != nil {
		return nil, errNoAccount
	}
	return target, nil
}

// Move moves by to target, which must name by among its aliases: the profile leads there,
// other servers are told, and a job moves the followers who allow it.
func (s *Service) Move(ctx context.Context, by, target *db.Account) error {
	if by.ID == target.ID {
		return fault.Malformed("An account cannot move to itself.")
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if err := tx.HoldActive(ctx, by.ID, target.ID); err != nil {
			return noAccount(err)
		}
		a, err := tx.Account(ctx, by.ID)
		if err != nil {
			return err
		}
		if target, err = tx.Account(ctx, target.ID); err != nil {
			return err
		}
		if !slices.Contains(target.AlsoKnownAs, a.URI) {
			return fault.Malformed("Target account must have the origin in its aliases.")
		}
		if err := tx.Moved(ctx, a.ID, target.ID, db.At(s.now().Add(-movesEvery))); errors.Is(err, db.ErrNotFound) {
			return fault.Malformed("An account can move once in 30 days.")
		} else if err != nil {
			return err
		}
		a.MovedTo = target.URI
		if err := tx.UpdateAccount(ctx, a, "moved_to"); err != nil {
			return err
		}
		if err := s.outbox.Moved(ctx, tx, a); err != nil {
			return err
		}
		return jobs.Enqueue(ctx, tx, jobs.FollowMoved{AccountID: a.ID, TargetID: target.ID})
	})
}

// CancelMove takes back that the profile of by leads to another account. Followers who
// moved stay there, and the time to the next move goes on.
func (s *Service) CancelMove(ctx context.Context, by *db.Account) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if err := tx.HoldAccounts(ctx, by.ID); err != nil {
			return err
		}
		a, err := tx.Account(ctx, by.ID)
		if err != nil || a.MovedTo == "" {
			return err
		}
		a.MovedTo = ""
		if err := tx.UpdateAccount(ctx, a, "moved_to"); err != nil {
			return err
		}
		return s.outbox.ProfileChanged(ctx, tx, a)
	})
}
