package social

import (
	"context"
	"time"

	"svc/db"
	"svc/server/platform/jobs"
)

// deliver puts a new status on home timelines: its author's, its local
// recipients', and its author's local followers', now or by a job if there are
// many. followers counts the local followers or, for a local author, all. The
// author must be held: a follow that commits meanwhile would miss the status.
func deliver(ctx context.Context, tx *db.DB, status *db.Status, followers int64, addressed []string) error {
	later := reachesLater(status, followers)
	now := toFollowers(status) && !later
	if err := tx.AddHomeEntries(ctx, db.HomeEntries{Status: status, Own: status.Local, Addressed: addressed, Followers: now}); err != nil {
		return err
	}
	if status.Visibility == db.List {
		return tx.AddRecipientEntries(ctx, status)
	}
	if later {
		return jobs.Enqueue(ctx, tx, jobs.FanOut{StatusID: status.ID})
	}
	return nil
}

func toFollowers(status *db.Status) bool {
	return status.Visibility != db.Direct && status.Visibility != db.List
}

// reachesLater reports whether a job delivers a new status to followers.
func reachesLater(status *db.Status, followers int64) bool {
	return toFollowers(status) && followers > fanOutNow
}

// streamed is the greatest age of a new status for open streams. Older ones
// were fetched, and are not at the top of any timeline.
const streamed = 6 * time.Hour

// show announces a new status to open streams; followers is as in deliver.
func (s *Service) show(ctx context.Context, tx *db.DB, status *db.Status, followers int64) error {
	if s.now().Sub(status.CreatedAt.Time) > streamed {
		return nil
	}
	e := db.Event{Kind: db.EventStatus, Subject: status.ID}
	if reachesLater(status, followers) {
		e.Data = db.FollowersLater
	}
	return tx.Emit(ctx, e)
}

// FanOut runs a job of its kind, in steps of their own transactions. Run twice
// it does nothing more.
func (s *Service) FanOut(ctx context.Context, job jobs.FanOut) error {
	return db.StepsFrom(ctx, s.db, job.After, func(tx *db.DB, after string) (next string, err error) {
		status, err := tx.StatusByID(ctx, job.StatusID)
		if err != nil {
			return "", ignoreNotFound(err)
		}
		if next, err = tx.AddFollowerEntries(ctx, status, after, fanOutChunk); err != nil {
			return "", err
		}
		if s.now().Sub(status.CreatedAt.Time) > streamed {
			return next, nil
		}
		reached := db.HomeRange{After: after, UpTo: next}
		return next, tx.Emit(ctx, db.Event{Kind: db.EventHome, Subject: status.ID, Data: db.EventData(reached)})
	})
}

// Unfollowed runs a job of its kind, likewise. It stops if the author is
// followed again.
func (s *Service) Unfollowed(ctx context.Context, job jobs.Unfollowed) error {
	return db.StepsFrom(ctx, s.db, "", func(tx *db.DB, after string) (next string, err error) {
		if err := tx.HoldAccounts(ctx, job.AccountID); err != nil {
			return "", err
		}
		f, err := tx.Follow(ctx, job.AccountID, job.AuthorID)
		if err == nil && !f.Pending {
			return "", nil
		}
		if err := ignoreNotFound(err); err != nil {
			return "", err
		}
		lists, err := tx.ListTimelines(ctx, job.AccountID, job.AuthorID)
		if err != nil {
			return "", err
		}
		return tx.RemoveHomeEntries(ctx, append(lists, job.AccountID), job.AuthorID, after, fanOutChunk)
	})
}

// The sweep's bounds: rows of one transaction, and transactions over home entries
// of one run.
const (
	sweepChunk  = 5000
	sweepChunks = 100
)

// Sweep removes expired logins, mutes, answers stored for repeated requests,
// and home entries of deleted statuses, and completes filters that the version before
// created. It checks a bounded number of home entries, and continues there the next time.
func (s *Service) Sweep(ctx context.Context) error {
	tokens := s.settings.Load().OAuth.CleanExpiredTokens
	err := s.db.Steps(ctx, func(tx *db.DB) (bool, error) { return tx.SweepLogins(ctx, tokens, sweepChunk) })
	if err != nil {
		return err
	}
	before := db.At(s.now().Add(-keyLife))
	err = s.db.Steps(ctx, func(tx *db.DB) (bool, error) { return tx.SweepExpired(ctx, before, sweepChunk) })
	if err != nil {
		return err
	}
	if err := s.settleFilters(ctx); err != nil {
		return err
	}
	for range sweepChunks {
		end := false
		err := s.db.Tx(ctx, func(tx *db.DB) (err error) {
			_, end, err = tx.SweepHomeEntries(ctx, sweepChunk)
			return err
		})
		if err != nil || end {
			return err
		}
	}
	return nil
}
