package outbox

import (
	"context"
	"errors"
	"time"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/platform/jobs"
)

// The pace of updates.
const (
	tallyEvery   = 3 * time.Minute
	profileEvery = 6 * time.Second // some servers ignore updates within 5
)

// Voted sends a local account's votes to the poll's author, one activity for
// each choice. The tallies of a local poll are sent to its audience.
func (s *Service) Voted(ctx context.Context, tx *db.DB, by *db.Account, poll *db.Poll, status *db.Status, choices []int) error {
	if status.Local {
		return s.PollTallied(ctx, tx, poll, status)
	}
	if s.silent(by) || status.URI == nil {
		return nil
	}
	author, err := tx.Account(ctx, status.AccountID)
	if err != nil {
		return err
	}
	audience := only(author)
	audience.Personal = true
	for _, choice := range choices {
		id := s.newURI(tx, "objects")
		vote := activitypub.Vote(id, poll.Options[choice].Named(), *status.URI, by, author)
		err := s.keep(ctx, tx, act{
			id: activitypub.CreateID(id), kind: "Create", by: by, object: vote, of: id, to: []string{author.URI}, priority: db.PriorityPerson, audience: audience,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// PollTallied schedules an update with the tallies of a local poll.
func (s *Service) PollTallied(ctx context.Context, tx *db.DB, poll *db.Poll, status *db.Status) error {
	if s.off() || !status.Local || isLocalOnly(status) {
		return nil
	}
	author, err := tx.Account(ctx, status.AccountID)
	if err != nil || author.Deactivated {
		return err
	}
	audience, err := s.holders(ctx, tx, author, status)
	if err != nil || nobody(&audience) {
		return err
	}
	at, err := tx.PaceUpdate(ctx, status.ID, tx.Now().Add(tallyEvery), tallyEvery.Microseconds())
	if err != nil || at.IsZero() {
		return err
	}
	if err := jobs.EnqueueAt(ctx, tx, jobs.TellTally{StatusID: status.ID}, at.Time); err != nil {
		return err
	}
	return s.closeLater(ctx, tx, poll)
}

// closeLater schedules an update with the final result of a poll.
func (s *Service) closeLater(ctx context.Context, tx *db.DB, poll *db.Poll) error {
	if poll.ExpiresAt.IsZero() || poll.Closed(tx.Now()) {
		return nil
	}
	return jobs.EnqueueAt(ctx, tx, jobs.TellTally{StatusID: poll.StatusID, Closed: true}, poll.ExpiresAt.Add(time.Second).Time)
}

// TellTally runs a job of its kind. Run again, or for a poll that is gone, it
// does nothing.
func (s *Service) TellTally(ctx context.Context, d *db.DB, job jobs.TellTally) error {
	return d.Tx(ctx, func(tx *db.DB) error {
		asked, err := tx.EndUpdate(ctx, job.StatusID)
		if err != nil || !asked && !job.Closed {
			return err
		}
		status, err := tx.StatusByID(ctx, job.StatusID)
		if errors.Is(err, db.ErrNotFound) {
			return tx.ForgetUpdate(ctx, job.StatusID)
		}
		if err != nil {
			return err
		}
		author, err := tx.Account(ctx, status.AccountID)
		if err != nil || s.silent(author) || isLocalOnly(status) {
			return err
		}
		audience, err := s.holders(ctx, tx, author, status)
		if err != nil {
			return err
		}
		in, err := s.input(ctx, tx, author, status)
		if err != nil || in.Poll == nil {
			return err
		}
		if in.Poll.Closed(tx.Now()) {
			if err := tx.ForgetUpdate(ctx, job.StatusID); err != nil {
				return err
			}
			// Several jobs may get here: each vote enqueues one, and some run late.
			if first, err := tx.ClosePoll(ctx, in.Poll.ID); err != nil || !first {
				return err
			}
		}
		return s.keep(ctx, tx, act{
			kind: "Update", by: author, object: activitypub.Note(in), of: *status.URI, to: status.ToURIs, cc: status.CCURIs,
			priority: db.PriorityBulk, audience: audience,
		})
	})
}

// holders returns the audience of updates of a status: of a public one, all
// holders of copies; of others, the recipients and present followers, without
// blocked ones.
func (s *Service) holders(ctx context.Context, tx *db.DB, author *db.Account, status *db.Status) (db.Audience, error) {
	if status.Visibility == db.Public || status.Visibility == db.Unlisted {
		return s.copyAudience(ctx, tx, author, status)
	}
	addressed, err := tx.RemoteRecipients(ctx, status.ID)
	if err != nil {
		return db.Audience{}, err
	}
	var audience db.Audience
	for _, a := range addressed {
		if !a.Blocked {
			audience.AccountIDs = append(audience.AccountIDs, a.ID)
		}
	}
	if activitypub.Addressed(status, author.FollowersURI) {
		audience.Followers, err = tx.HasRemoteFollowers(ctx, author.ID)
	}
	return audience, err
}
