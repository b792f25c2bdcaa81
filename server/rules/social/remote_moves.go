package social

import (
	"context"
	"errors"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/jobs"
	"svc/server/rules/notify"
)

// moveChunk bounds the followers that one run of the job moves.
const moveChunk = 100

// FollowMoved runs a job of its kind: it notifies the followers of an account
// that moved, and moves the follows of the accounts that allow it.
func (s *Service) FollowMoved(ctx context.Context, job jobs.FollowMoved) error {
	ids, err := s.db.LocalFollowersAfter(ctx, job.AccountID, job.After, moveChunk)
	if err != nil || len(ids) == 0 {
		return err
	}
	from, err := s.db.Account(ctx, job.AccountID)
	if err != nil {
		return ignoreNotFound(err)
	}
	for _, id := range ids {
		if err := s.followMoved(ctx, from, job.TargetID, id); err != nil {
			return err
		}
	}
	job.After = ids[len(ids)-1]
	return s.db.Tx(ctx, func(tx *db.DB) error { return jobs.Enqueue(ctx, tx, job) })
}

// followMoved moves the follow of one account. If it may not follow the target,
// it keeps following the old account.
func (s *Service) followMoved(ctx context.Context, from *db.Account, targetID, followerID string) error {
	follower, err := s.db.Account(ctx, followerID)
	if err != nil || follower.Deactivated {
		return ignoreNotFound(err)
	}
	err = s.db.Tx(ctx, func(tx *db.DB) error {
		return notify.Notify(ctx, tx, db.News{Type: db.NotifyMove, From: from, TargetID: targetID}, followerID)
	})
	if err != nil || !follower.AllowFollowingMove {
		return err
	}
	err = s.db.Tx(ctx, func(tx *db.DB) error {
		if followerID != targetID {
			if err := s.In(tx).Follow(ctx, follower, targetID, FollowOptions{}); err != nil {
				return err
			}
		}
		return s.In(tx).Unfollow(ctx, follower, from.ID)
	})
	var refused *fault.Error
	if errors.As(err, &refused) || errors.Is(err, db.ErrNotFound) {
		return nil
	}
	return err
}
