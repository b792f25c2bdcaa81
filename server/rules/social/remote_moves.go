package social

import (
	"context"
	"errors"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/jobs"
	"svc/server/rules/notify"
)

// moveChunk is how many followers one run of the job moves along.
const moveChunk = 100

// FollowMoved runs a job of its kind: those who follow an account that moved
// are told, and those who let their follows move along follow the other account
// instead.
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

// followMoved moves one follower along. Where he may not follow the other
// account, he goes on to follow the old one.
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
