package social

import (
	"context"
	"errors"
	"time"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/jobs"
)

// The bounds of changes of many rows. A request changes some itself, and a job goes on
// with the rest: in transactions of a few milliseconds, since other writes wait for each
// on SQLite.
const (
	atOnce     = 200              // rows that a request changes
	stepChunk  = 50               // and each transaction of a job
	eraseWhile = 30 * time.Second // the time of one run of an erasure before other jobs get their turn
	eraseIDs   = 100              // ids of statuses that are read at once
)

// DisableAccount hides an account at its own request, and signs it out
// everywhere. An admin can show it again.
func (s *Service) DisableAccount(ctx context.Context, account *db.Account) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if err := s.In(tx).Deactivate(ctx, account, account); err != nil {
			return err
		}
		return tx.DeleteLogins(ctx, account.ID)
	})
}

// DeleteAccount deletes an account for good, at its own request or an admin's;
// the log is left to the caller. It is hidden at once, and can neither sign in
// nor be activated; a job removes its rows. The name of a local account stays
// taken, unless it still awaits approval or a required confirmation: then nothing
// is left of it. A remote account that is deactivated stays away until a
// moderator activates it; of an active one only its tags are left, for its return.
// It reports whether the deletion is new.
func (s *Service) DeleteAccount(ctx context.Context, by, account *db.Account) (deleted bool, err error) {
	if by.ID != account.ID && !by.IsAdmin {
		return false, fault.Forbidden("Access denied")
	}
	return s.deleteAccount(ctx, by, account)
}

// DeleteSignup deletes an account that still awaits approval, without a trace. The
// right to do so is checked by the caller, which holds the account. Of any other
// account it reports false.
func (s *Service) DeleteSignup(ctx context.Context, by, account *db.Account) (deleted bool, err error) {
	if !account.ApprovalPending {
		return false, nil
	}
	return s.deleteAccount(ctx, by, account)
}

func (s *Service) deleteAccount(ctx context.Context, by, account *db.Account) (deleted bool, err error) {
	err = s.db.Tx(ctx, func(tx *db.DB) (err error) {
		held, err := tx.HoldFollows(ctx, atOnce, true, []string{account.ID})
		if err != nil {
			return err
		}
		a, err := tx.Account(ctx, account.ID)
		if err != nil {
			return err
		}
		if deleted, err = tx.MarkDeleted(ctx, a.ID); err != nil || !deleted {
			return err
		}
		whole := !a.Local && !a.Deactivated
		if err := s.In(tx).applyActive(ctx, a, false, held); err != nil {
			return err
		}
		if err := tx.DeleteUser(ctx, a.ID); err != nil {
			return err
		}
		if a.ApprovalPending {
			if err := tx.EmitRegistration(ctx, a.ID, db.Gone); err != nil {
				return err
			}
		}
		unborn := a.ApprovalPending || a.ConfirmationPending && s.settings.Load().Instance.AccountActivationRequired
		if !unborn {
			if err := s.outbox.AccountDeleted(ctx, tx, by, a); err != nil {
				return err
			}
		}
		return jobs.Enqueue(ctx, tx, jobs.EraseAccount{AccountID: a.ID, Whole: whole || unborn})
	})
	return deleted, err
}

// EraseAccount runs a job of its kind, in steps of their own transactions, and
// reports whether it is finished. Run again it goes on. It ends if the deletion
// was lifted.
func (s *Service) EraseAccount(ctx context.Context, job jobs.EraseAccount) (done bool, err error) {
	until := s.now().Add(eraseWhile)
	author, err := s.db.Account(ctx, job.AccountID)
	if err != nil {
		return err == nil || errors.Is(err, db.ErrNotFound), ignoreNotFound(err)
	}
	for {
		deleted, err := s.db.Deleted(ctx, job.AccountID)
		if err != nil || !deleted {
			return err == nil && !deleted, err
		}
		ids, err := s.db.StatusesBy(ctx, job.AccountID, eraseIDs)
		if err != nil {
			return false, err
		}
		if len(ids) == 0 {
			break
		}
		for _, id := range ids {
			if err := s.eraseStatus(ctx, author, id); err != nil {
				return false, err
			}
		}
		if s.now().After(until) {
			return false, nil
		}
	}
	for _, e := range db.Erasures() {
		for more := true; more; {
			err := s.db.Tx(ctx, func(tx *db.DB) (err error) {
				more, err = tx.Erase(ctx, e, job.AccountID, stepChunk)
				return err
			})
			if err != nil {
				return false, err
			}
			if more && s.now().After(until) {
				return false, nil
			}
		}
	}
	err = s.db.Tx(ctx, func(tx *db.DB) error {
		if err := tx.HoldAccounts(ctx, job.AccountID); err != nil {
			return err
		}
		if deleted, err := tx.Deleted(ctx, job.AccountID); err != nil || !deleted {
			done = !deleted
			return err
		}
		// A concurrent request may have posted since.
		late, err := tx.StatusesBy(ctx, job.AccountID, 1)
		if done = len(late) == 0; err != nil || !done {
			return err
		}
		if err := jobs.EnqueueAt(ctx, tx, jobs.ForgetReached{AccountID: job.AccountID}, s.now().Add(toldFor)); err != nil {
			return err
		}
		if job.Whole {
			return tx.DeleteAccount(ctx, job.AccountID)
		}
		return ignoreNotFound(tx.EmptyAccount(ctx, job.AccountID))
	})
	return done && err == nil, err
}

// toldFor is how long the deletion of an account is sent to the servers that
// its statuses reached.
const toldFor = 7 * 24 * time.Hour

// ForgetReached runs a job of its kind. Run again it does nothing.
func (s *Service) ForgetReached(ctx context.Context, job jobs.ForgetReached) error {
	return s.db.Steps(ctx, func(tx *db.DB) (bool, error) {
		n, err := tx.DeleteReachedInboxes(ctx, job.AccountID, stepChunk)
		return n == stepChunk, err
	})
}

// eraseStatus deletes a status with its files, or a reblog.
func (s *Service) eraseStatus(ctx context.Context, author *db.Account, id string) error {
	err := s.db.Tx(ctx, func(tx *db.DB) error {
		status, err := tx.HeldStatus(ctx, id)
		if err != nil {
			return err
		}
		return s.deletedAs(ctx, tx, author, status, db.DeletedByAccount)
	})
	if errors.Is(err, db.ErrNotFound) {
		return nil // deleted already
	}
	return err
}
