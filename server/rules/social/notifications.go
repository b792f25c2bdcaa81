package social

import (
	"context"
	"math"

	"svc/db"
	"svc/server/platform/jobs"
)

// DismissNotifications removes those notifications of by that have one of ids, or
// are about one of these statuses. Others are passed over.
func (s *Service) DismissNotifications(ctx context.Context, by *db.Account, ids []int64, statusIDs []string) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if _, err := tx.DeleteNotifications(ctx, by.ID, ids...); err != nil {
			return err
		}
		return tx.DeleteNotificationsAbout(ctx, by.ID, statusIDs)
	})
}

// ClearNotifications removes all notifications of an account, the newest at once and
// the rest by a job if they are many.
func (s *Service) ClearNotifications(ctx context.Context, by *db.Account) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		next, err := tx.ClearNotifications(ctx, by.ID, math.MaxInt64, atOnce)
		if err != nil || next == 0 {
			return err
		}
		return jobs.Enqueue(ctx, tx, jobs.ChangeNotifications{AccountID: by.ID, UpTo: next, Clear: true})
	})
}

// SeeNotifications marks an account's notifications up to one as seen, likewise, and
// returns the newest limit of those that were unseen.
func (s *Service) SeeNotifications(ctx context.Context, by *db.Account, upTo int64, limit int) (ids []int64, err error) {
	err = s.db.Tx(ctx, func(tx *db.DB) (err error) {
		if ids, err = tx.SeeNotifications(ctx, by.ID, upTo, atOnce); err != nil || len(ids) < atOnce {
			return err
		}
		return jobs.Enqueue(ctx, tx, jobs.ChangeNotifications{AccountID: by.ID, UpTo: ids[len(ids)-1] - 1})
	})
	return ids[:min(limit, len(ids))], err
}

// ChangeNotifications runs a job of its kind, in steps of their own transactions. Run
// twice it does nothing more.
func (s *Service) ChangeNotifications(ctx context.Context, job jobs.ChangeNotifications) error {
	if job.StatusID != "" {
		return s.seeThread(ctx, job)
	}
	return s.db.Steps(ctx, func(tx *db.DB) (bool, error) {
		if job.Clear {
			next, err := tx.ClearNotifications(ctx, job.AccountID, job.UpTo, stepChunk)
			return next > 0, err
		}
		ids, err := tx.SeeNotifications(ctx, job.AccountID, job.UpTo, stepChunk)
		return len(ids) == stepChunk, err
	})
}
