package social

import (
	"context"
	"slices"
	"time"

	"svc/db"
	"svc/server/platform/jobs"
	"svc/server/rules/notify"
)

// awaitEnd enqueues the notifications of a poll's end, if anybody voted whom this server
// knows and no job waits for that end. It is called after a vote and after the end moved.
func awaitEnd(ctx context.Context, tx *db.DB, poll *db.Poll) error {
	if poll.ExpiresAt.IsZero() {
		return nil
	}
	asked, err := tx.AwaitEnd(ctx, poll.ID)
	if err != nil || !asked {
		return err
	}
	return jobs.EnqueueAt(ctx, tx, jobs.EndPoll{PollID: poll.ID, End: poll.ExpiresAt.UnixMicro()}, poll.ExpiresAt.Add(time.Second).Time)
}

// endMoved is awaitEnd for a poll that was changed. An end that is over, like the one
// before, was notified of already.
func endMoved(ctx context.Context, tx *db.DB, before, after *db.Poll) error {
	if before.ExpiresAt.Equal(after.ExpiresAt.Time) || before.Closed(tx.Now()) && after.Closed(tx.Now()) {
		return nil
	}
	return awaitEnd(ctx, tx, after)
}

// EndPoll runs a job of its kind, a step of a chunk of the voters and the next job in
// one transaction. Run again, or for a poll that is gone or has another end, it does
// nothing.
func (s *Service) EndPoll(ctx context.Context, job jobs.EndPoll) error {
	err := s.db.Tx(ctx, func(tx *db.DB) error {
		poll, err := tx.Poll(ctx, job.PollID)
		if err != nil {
			return err
		}
		status, err := tx.HeldStatus(ctx, poll.StatusID)
		if err != nil {
			return err
		}
		if poll, err = tx.Poll(ctx, job.PollID); err != nil {
			return err
		}
		if poll.NotifyAt.IsZero() || poll.NotifyAt.UnixMicro() != job.End || !poll.NotifyAt.Equal(poll.ExpiresAt.Time) || poll.ExpiresAt.After(s.now().Add(early)) {
			return nil
		}
		if !slices.ContainsFunc(poll.Options, func(o db.PollOption) bool { return o.Votes > 0 }) {
			return tx.NotifiedOfEnd(ctx, poll.ID) // an edit removed the votes
		}
		author, err := tx.Account(ctx, status.AccountID)
		if err != nil {
			return err
		}
		voters, err := tx.LocalVoters(ctx, poll.ID, job.After, tellChunk)
		if err != nil {
			return err
		}
		news := postNews(author, status)
		news.Type = db.NotifyPoll
		if err := notify.Notify(ctx, tx, news, voters...); err != nil {
			return err
		}
		if len(voters) == tellChunk {
			job.After = voters[len(voters)-1]
			return jobs.Enqueue(ctx, tx, job)
		}
		if err := notify.Own(ctx, tx, news); err != nil {
			return err
		}
		return tx.NotifiedOfEnd(ctx, poll.ID)
	})
	return ignoreNotFound(err)
}
