package social

import (
	"context"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/jobs"
)

// Deactivate hides an account, for moderators and for the account itself. Its
// follows of local accounts end for good; its followers stay and do not count
// it. A job goes on with those if they are many. Repeating it changes nothing.
// The moderation log is left to the caller.
func (s *Service) Deactivate(ctx context.Context, by, account *db.Account) error {
	return s.setActive(ctx, by, account, false)
}

// Activate shows an account again, for moderators; the follows that it lost
// stay lost. For a remote account that was deleted this lifts the deletion: it
// comes back empty, and its profile is fetched when somebody looks it up. A
// deleted local account is db.ErrNotFound.
func (s *Service) Activate(ctx context.Context, by, account *db.Account) error {
	return s.setActive(ctx, by, account, true)
}

func (s *Service) setActive(ctx context.Context, by, account *db.Account, active bool) error {
	if !by.Staff() && (active || by.ID != account.ID) {
		return fault.Forbidden("Access denied")
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		whole, err := tx.HoldFollows(ctx, atOnce, false, []string{account.ID})
		if err != nil {
			return err
		}
		a, err := tx.Account(ctx, account.ID)
		if err != nil {
			return err
		}
		if active {
			deleted, err := tx.Deleted(ctx, a.ID)
			switch {
			case err != nil:
				return err
			case deleted && a.Local:
				return errNotFound("account", a.ID)
			case deleted:
				if err := tx.LiftDeletion(ctx, a); err != nil {
					return err
				}
			}
		}
		return s.In(tx).applyActive(ctx, a, active, whole)
	})
}

// HoldToHide holds the rows that hiding, showing or deleting accounts changes, in one
// order with those of others: for an operation that holds others too, before anything
// else. With erased the accounts are deleted.
func (s *Service) HoldToHide(ctx context.Context, erased bool, accountIDs []string, others ...string) error {
	_, err := s.db.HoldFollows(ctx, max(atOnce/max(len(accountIDs), 1), 1), erased, accountIDs, others...)
	return err
}

// applyActive shows or hides an account. Its row is held, and if whole those of its
// follows too. Else a job settles them: rows that are held later may come before those
// that others wait for.
func (s *Service) applyActive(ctx context.Context, a *db.Account, active, whole bool) error {
	if a.Deactivated == !active {
		return nil
	}
	a.Deactivated = !active
	if err := s.db.UpdateAccount(ctx, a, "deactivated"); err != nil {
		return err
	}
	if whole {
		rest, err := settle(ctx, s.db, a, "", atOnce, true)
		if err != nil || rest == nil {
			return err
		}
	}
	return jobs.Enqueue(ctx, s.db, jobs.Settle{AccountID: a.ID})
}

// settle carries out the next part of showing or hiding an account, up to limit rows of
// a kind: a hidden account loses its follows of local accounts, and its followers after
// one, by id, do not count it. It returns the follower to continue from, nil if nothing
// is left for a job. Unless all accounts are held, a step changes those of one kind.
func settle(ctx context.Context, tx *db.DB, a *db.Account, after string, limit int, held bool) (*string, error) {
	lost := false
	if a.Deactivated {
		cut, more, err := tx.CutLocalFollows(ctx, a.ID, limit)
		if err != nil || more || cut > 0 && !held {
			return &after, err
		}
		lost = a.Local && cut > 0
	}
	next, err := tx.CountFollowing(ctx, a.ID, after, limit)
	if err != nil || next == "" && !lost {
		return nil, err
	}
	return &next, nil
}

// Settle runs a job of its kind, in steps of their own transactions. At the end
// it removes the statuses of accounts that a local account does not follow any
// more from its timelines. Run twice it does nothing more.
func (s *Service) Settle(ctx context.Context, job jobs.Settle) error {
	err := db.StepsFrom(ctx, s.db, new(string), func(tx *db.DB, after *string) (*string, error) {
		a, err := tx.Account(ctx, job.AccountID)
		if err != nil {
			return nil, ignoreNotFound(err)
		}
		return settle(ctx, tx, a, *after, stepChunk, false)
	})
	if err != nil {
		return err
	}
	return s.pruneHome(ctx, job.AccountID)
}

// pruneHome removes the statuses of accounts that an account does not follow
// from its home timeline and lists, except those that are there for another
// reason.
func (s *Service) pruneHome(ctx context.Context, accountID string) error {
	lists, err := s.db.Lists(ctx, accountID)
	if err != nil {
		return err
	}
	names := []string{accountID}
	for _, l := range lists {
		names = append(names, db.ListTimelineName(l.ID))
	}
	for _, name := range names {
		err := db.StepsFrom(ctx, s.db, "", func(tx *db.DB, after string) (string, error) {
			// A follow that commits meanwhile would lose its statuses.
			if err := tx.HoldAccounts(ctx, accountID); err != nil {
				return "", err
			}
			return tx.PruneTimeline(ctx, accountID, name, after, fanOutChunk)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
