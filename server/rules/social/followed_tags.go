package social

import (
	"context"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/jobs"
)

// FollowTag puts new public statuses with a hashtag on the home timeline of by. Repeating
// it changes nothing.
func (s *Service) FollowTag(ctx context.Context, by *db.Account, tag string) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if err := holdActive(ctx, tx, by); err != nil {
			return err
		}
		followed, all, err := tx.FollowsTags(ctx, by.ID, []string{tag})
		if err != nil || followed[tag] {
			return err
		}
		if all >= db.MaxFollowedTags {
			return fault.Invalidf("Validation failed: You cannot follow more than %d hashtags", db.MaxFollowedTags)
		}
		return tx.FollowTag(ctx, by.ID, tag)
	})
}

// UnfollowTag ends that; none is no error.
func (s *Service) UnfollowTag(ctx context.Context, by *db.Account, tag string) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		ended, err := tx.UnfollowTag(ctx, by.ID, tag)
		if err != nil || !ended {
			return err
		}
		return jobs.Enqueue(ctx, tx, jobs.Untagged{AccountID: by.ID})
	})
}

// Untagged runs a job of its kind, in steps of their own transactions.
func (s *Service) Untagged(ctx context.Context, job jobs.Untagged) error {
	return db.StepsFrom(ctx, s.db, "", func(tx *db.DB, after string) (string, error) {
		return tx.RemoveTagEntries(ctx, job.AccountID, after, fanOutChunk)
	})
}
