package social

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/fault"
	"svc/server/platform/text"
)

// newPoll checks the request for a poll of the status row and returns the poll;
// nil stays nil.
func (s *Service) newPoll(settings *config.Settings, in *db.PollParams, row *db.Status) (*db.Poll, error) {
	if in == nil {
		return nil, nil
	}
	limits := settings.Instance.Poll
	if len(in.Options) > limits.MaxOptions {
		return nil, fault.Invalidf("Poll can't contain more than %d options", limits.MaxOptions)
	}
	p := &db.Poll{StatusID: row.ID, Multiple: in.Multiple, CreatedAt: row.CreatedAt}
	for _, title := range in.Options {
		title = text.Line(title)
		switch {
		case text.Length(title) > limits.MaxOptionChars:
			return nil, fault.Invalidf("Poll options cannot be longer than %d characters each", limits.MaxOptionChars)
		case title == "":
			return nil, fault.Invalid("Poll options cannot be empty")
		case slices.ContainsFunc(p.Options, func(o db.PollOption) bool { return o.Title == title }):
			// Other servers identify an option by its title.
			return nil, fault.Invalid("Poll options must differ")
		}
		p.Options = append(p.Options, db.PollOption{Title: title})
	}
	if len(p.Options) < 2 {
		return nil, fault.Invalid("Poll must contain at least 2 options")
	}
	switch {
	case in.ExpiresIn == nil || *in.ExpiresIn <= 0 || *in.ExpiresIn < int64(limits.MinExpiration/time.Second):
		return nil, fault.Invalid("Expiration date is too soon")
	case *in.ExpiresIn > int64(limits.MaxExpiration/time.Second):
		return nil, fault.Invalid("Expiration date is too far in the future")
	}
	p.ExpiresAt = row.CreatedAt.Add(time.Duration(*in.ExpiresIn) * time.Second)
	return p, nil
}

// createPoll inserts the poll of a status that is about to be inserted, if
// there is one.
func createPoll(ctx context.Context, tx *db.DB, row *db.Status, p *db.Poll) error {
	if p == nil {
		return nil
	}
	p.StatusID = row.ID
	if err := tx.CreatePoll(ctx, p); err != nil {
		return err
	}
	row.PollID = &p.ID
	return nil
}

// Poll returns a poll and its status. If the viewer may not see the status, it
// is db.ErrNotFound.
func (s *Service) Poll(ctx context.Context, viewer db.Viewer, id int64) (*db.Poll, *db.Status, error) {
	p, err := s.db.Poll(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	status, err := s.db.VisibleStatus(ctx, viewer, p.StatusID)
	if errors.Is(err, db.ErrNotFound) {
		err = fmt.Errorf("poll %d: %w", id, db.ErrNotFound)
	}
	return p, status, err
}

// Vote votes for the options of a poll at choices, from 0, and returns the poll
// and its status. An account makes all its choices at once; repeated choices
// count once.
func (s *Service) Vote(ctx context.Context, by *db.Account, id int64, choices []int) (*db.Poll, *db.Status, error) {
	choices = slices.Clone(choices)
	slices.Sort(choices)
	choices = slices.Compact(choices)
	var p *db.Poll
	var status *db.Status
	err := s.db.Tx(ctx, func(tx *db.DB) (err error) {
		if p, status, err = s.In(tx).Poll(ctx, db.Viewer{ID: by.ID}, id); err != nil {
			return err
		}
		// Every vote holds the status, so that the poll cannot change from here on.
		if err := tx.HoldStatus(ctx, status.ID); err != nil {
			return err
		}
		if err := keepActive(ctx, tx, by); err != nil {
			return err
		}
		if p, err = tx.Poll(ctx, id); err != nil {
			return err
		}
		votes, err := tx.OwnVotes(ctx, by.ID, []int64{id})
		if err != nil {
			return err
		}
		outside := func(choice int) bool { return choice < 0 || choice >= len(p.Options) }
		switch {
		case status.AccountID == by.ID:
			return fault.Invalid("Poll's author can't vote")
		case len(votes[id]) > 0:
			return fault.Invalid("Already voted")
		case p.Closed(db.At(s.now())):
			return fault.Invalid("The poll has already ended")
		case len(choices) == 0 || slices.ContainsFunc(choices, outside):
			return fault.Invalid("Invalid indices")
		case len(choices) > 1 && !p.Multiple:
			return fault.Invalid("Too many choices")
		}
		if err := tx.Vote(ctx, p, by.ID, choices); err != nil {
			return err
		}
		if err := awaitEnd(ctx, tx, p); err != nil {
			return err
		}
		return s.outbox.Voted(ctx, tx, by, p, status, choices)
	})
	return p, status, err
}
