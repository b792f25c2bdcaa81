package social

import (
	"context"

	"svc/db"
	"svc/server/platform/fault"
)

// Deactivate hides an account, for moderators and for the account itself. Its
// follows of local accounts end for good; its followers stay and do not count
// it. Repeating it changes nothing. The moderation log is left to the caller.
func (s *Service) Deactivate(ctx context.Context, by, account *db.Account) error {
	return s.setActive(ctx, by, account, false)
}

// Activate shows an account again, for moderators; the follows that it lost
// stay lost. A deleted account is db.ErrNotFound.
func (s *Service) Activate(ctx context.Context, by, account *db.Account) error {
	return s.setActive(ctx, by, account, true)
}

func (s *Service) setActive(ctx context.Context, by, account *db.Account, active bool) error {
	if !by.Staff() && (active || by.ID != account.ID) {
		return fault.Forbidden("Access denied")
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if err := tx.HoldAccounts(ctx, account.ID); err != nil {
			return err
		}
		a, err := tx.Account(ctx, account.ID)
		if err != nil {
			return err
		}
		if active {
			deleted, err := tx.Deleted(ctx, a.ID)
			if err == nil && deleted {
				err = errNotFound("account", a.ID)
			}
			if err != nil {
				return err
			}
		}
		return s.In(tx).applyActive(ctx, a, active)
	})
}

// applyActive shows or hides an account whose row is held.
func (s *Service) applyActive(ctx context.Context, a *db.Account, active bool) error {
	if a.Deactivated == !active {
		return nil
	}
	a.Deactivated = !active
	err := s.db.UpdateAccount(ctx, a, "deactivated")
	if err != nil {
		return err
	}
	if active {
		return s.db.AddFollowerCounts(ctx, a.ID, 1)
	}
	return s.db.DeleteLocalFollows(ctx, a.ID)
}
