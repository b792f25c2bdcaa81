package ingest

import (
	"context"
	"errors"
	"time"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/rules/social"
)

// isVote reports whether an object is a vote in a poll: it has a name and a
// parent, and no content.
func isVote(o activitypub.Object) bool {
	if !o.Is("Note", "Answer") || o.Text("name") == "" || o.IDOf("inReplyTo") == "" {
		return false
	}
	return o.Is("Answer") || o.Text("content") == "" && o["contentMap"] == nil && len(o.List("attachment")) == 0
}

// onVote counts a vote in a local poll. Votes are never shown.
func (s *Service) onVote(ctx context.Context, in *Incoming, by *db.Account, vote activitypub.Object) error {
	if in.Forwarded {
		return errDrop("a vote that was passed on")
	}
	id, err := s.ids.Check(vote.ID())
	if err != nil {
		return dropRefused(err)
	}
	poll := vote.IDOf("inReplyTo")
	if !s.ours(poll) {
		return errDrop("a vote in a poll elsewhere")
	}
	status, err := s.db.StatusAt(ctx, poll)
	if err != nil {
		return dropRefused(err)
	}
	err = in.Commit(ctx, func(tx *db.DB) error {
		return s.social.In(tx).TakeVote(ctx, by, status.ID, vote.Text("name"), id)
	})
	if errors.Is(err, social.ErrNoVote) {
		return errDrop("%v", err)
	}
	return dropRefused(err)
}

// pollAge is how long the state of a remote poll counts as current.
const pollAge = time.Minute

// RefreshPoll updates a remote poll from its server, unless it was fetched
// lately or is long over, and returns it. A failure leaves it as it is.
func (s *Service) RefreshPoll(ctx context.Context, status *db.Status, poll *db.Poll) (*db.Poll, error) {
	if status.Local || status.ReblogOfID != nil || !s.settings.Load().Instance.Federating {
		return poll, nil
	}
	last, err := s.fetchedAt(ctx, status)
	over := !poll.ExpiresAt.IsZero() && last.After(poll.ExpiresAt.Add(pollAge).Time)
	if err != nil || over || s.now().Sub(last) < pollAge {
		return poll, err
	}
	asking, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := s.refetch(asking, status); err != nil {
		s.log.DebugContext(ctx, "cannot refresh a poll", "status", status.ID, "err", err)
	}
	return s.db.Poll(ctx, poll.ID)
}
