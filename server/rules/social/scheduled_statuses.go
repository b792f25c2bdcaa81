package social

import (
	"context"
	"errors"
	"strconv"
	"time"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/jobs"
)

// leadTime is the least time ahead at which a status can be scheduled.
const leadTime = 5 * time.Minute

// Later reports whether a status scheduled at that time is posted later, and
// not at once.
func (s *Service) Later(at time.Time) bool { return at.Sub(s.now()) > leadTime }

// notPosted is the reason stored with a scheduled status that came due while
// scheduling was switched off.
const notPosted = "Scheduled statuses are not posted"

// ScheduleStatus stores a status to be posted at a time. PostStatus must accept
// it now. The number of scheduled statuses for a day, and in all, is bounded.
// With a key that was used before, the first one is returned.
func (s *Service) ScheduleStatus(ctx context.Context, by *db.Account, in NewStatus, at time.Time) (*db.ScheduledStatus, error) {
	in = in.withDefaults(by)
	return db.Once(ctx, s.db, "scheduled", in.IdempotencyKey, func(claim db.Claim[int64]) (row *db.ScheduledStatus, err error) {
		d, err := s.draft(ctx, by, in, true)
		if err != nil {
			return nil, err
		}
		err = s.db.Tx(ctx, func(tx *db.DB) error {
			row = &db.ScheduledStatus{AccountID: by.ID, ScheduledAt: db.At(at), Params: s.params(d, &in)}
			if err := holdActive(ctx, tx, by); err != nil {
				return err
			}
			if err := s.schedule(ctx, tx, by, d, row); err != nil {
				return err
			}
			return claim(ctx, tx, row.ID)
		})
		return row, err
	}, func(id int64) (*db.ScheduledStatus, error) { return s.db.ScheduledStatus(ctx, by.ID, id) })
}

func (s *Service) schedule(ctx context.Context, tx *db.DB, by *db.Account, d *draft, row *db.ScheduledStatus) error {
	settings := s.settings.Load().Scheduled
	if err := s.mayLater(ctx, tx, by, row.ScheduledAt.Time, 0); err != nil {
		return err
	}
	if !settings.Enabled {
		row.Refused = notPosted
	}
	if err := tx.CreateScheduledStatus(ctx, row); err != nil {
		return err
	}
	if err := tx.HoldMedia(ctx, by.ID, row.ID, d.mediaIDs); err != nil {
		return noMedia(err)
	}
	if !settings.Enabled {
		return nil
	}
	return jobs.EnqueueAt(ctx, tx, jobs.PublishScheduled{ID: row.ID}, row.ScheduledAt.Time)
}

// mayLater checks the limits of an account, which tx holds: scheduled statuses
// of a day and in all, without the one with the id but.
func (s *Service) mayLater(ctx context.Context, tx *db.DB, by *db.Account, at time.Time, but int64) error {
	limits := s.settings.Load().Scheduled
	total, ofDay, err := tx.ScheduledCounts(ctx, by.ID, db.DayOf(at), but)
	switch {
	case err != nil:
		return err
	case ofDay >= limits.DailyUserLimit:
		return fault.Invalid("daily limit exceeded")
	case total >= limits.TotalUserLimit:
		return fault.Invalid("total limit exceeded")
	}
	return nil
}

// params returns the request to store, with the resulting visibility: if the
// parent is gone by then, the status must not become public.
func (s *Service) params(d *draft, in *NewStatus) db.StatusParams {
	p := db.StatusParams{
		Text: d.row.Text, ContentType: d.row.ContentType, SpoilerText: d.row.SpoilerText, Sensitive: *in.Sensitive,
		Visibility: in.Visibility, PostedAs: d.row.Visibility, InReplyToID: in.InReplyToID, ConversationID: in.ConversationID,
		Language: in.Language, To: in.To, Addressed: in.To != nil, ExpiresIn: int64(in.ExpiresIn / time.Second), Poll: in.Poll,
		AppName: in.AppName, AppWebsite: in.AppWebsite,
	}
	if d.row.ListID != nil {
		p.PostedAs = "list:" + strconv.FormatInt(*d.row.ListID, 10)
	}
	return p
}

// PublishScheduled runs a job of its kind. The scheduled status is removed in
// the transaction that posts it, so that a crash or a second process cannot
// post it twice. A refused one is kept with the reason.
func (s *Service) PublishScheduled(ctx context.Context, job jobs.PublishScheduled) error {
	if !s.settings.Load().Scheduled.Enabled {
		return s.db.RefuseScheduledStatus(ctx, job.ID, notPosted)
	}
	taken := false
	err := s.db.Tx(ctx, func(tx *db.DB) error {
		row, files, err := tx.TakeScheduledStatus(ctx, job.ID, db.At(s.now().Add(early)))
		if taken = err == nil; !taken {
			return ignoreNotFound(err)
		}
		by, err := tx.Account(ctx, row.AccountID)
		if err != nil {
			return err
		}
		in, err := s.In(tx).due(ctx, by, row)
		if err != nil {
			return err
		}
		in.MediaIDs = files
		_, err = s.In(tx).PostStatus(ctx, by, in)
		return err
	})
	refused := new(fault.Error)
	switch {
	case errors.As(err, &refused):
		return s.db.RefuseScheduledStatus(ctx, job.ID, refused.Error())
	case taken && errors.Is(err, db.ErrNotFound):
		return s.db.RefuseScheduledStatus(ctx, job.ID, "What it belongs to is gone")
	case errors.Is(err, db.ErrUnreadable):
		return s.db.RefuseScheduledStatus(ctx, job.ID, "It cannot be read")
	}
	return err
}

// due returns the request of a scheduled status. A parent that is gone is left
// out.
func (s *Service) due(ctx context.Context, by *db.Account, row *db.ScheduledStatus) (NewStatus, error) {
	p := row.Params
	in := NewStatus{
		Text: p.Text, ContentType: p.ContentType, SpoilerText: p.SpoilerText, Sensitive: &p.Sensitive, Visibility: p.PostedAs,
		InReplyToID: p.InReplyToID, ConversationID: p.ConversationID, Language: p.Language, ExpiresIn: time.Duration(p.ExpiresIn) * time.Second,
		Poll: p.Poll, AppName: p.AppName, AppWebsite: p.AppWebsite,
	}
	if p.Addressed {
		in.To = append([]string{}, p.To...)
	}
	if in.InReplyToID != "" {
		_, err := visible(ctx, s.db, by, in.InReplyToID)
		if errors.Is(err, db.ErrNotFound) {
			in.InReplyToID, err = "", nil
		}
		if err != nil {
			return in, err
		}
	}
	return in, nil
}

// dueChunk bounds the overdue scheduled statuses of one sweep.
const dueChunk = 500

// publishDue posts overdue scheduled statuses, in case their jobs were lost.
func (s *Service) publishDue(ctx context.Context) error {
	ids, err := s.db.DueScheduledStatuses(ctx, db.At(s.now().Add(-lost)), dueChunk)
	if err != nil {
		return err
	}
	return eachDue(ctx, s.db, "scheduled status", ids, func(id int64) error { return s.PublishScheduled(ctx, jobs.PublishScheduled{ID: id}) })
}

// Reschedule moves a scheduled status to another time and returns it.
func (s *Service) Reschedule(ctx context.Context, by *db.Account, id int64, at time.Time) (*db.ScheduledStatus, error) {
	if !s.Later(at) {
		return nil, fault.Invalid("must be at least 5 minutes from now")
	}
	var row *db.ScheduledStatus
	err := s.db.Tx(ctx, func(tx *db.DB) (err error) {
		if err := holdActive(ctx, tx, by); err != nil {
			return err
		}
		if _, err := tx.ScheduledStatus(ctx, by.ID, id); err != nil {
			return err
		}
		if err := s.mayLater(ctx, tx, by, at, id); err != nil {
			return err
		}
		if err := tx.Reschedule(ctx, by.ID, id, db.At(at)); err != nil {
			return err
		}
		if row, err = tx.ScheduledStatus(ctx, by.ID, id); err != nil {
			return err
		}
		return jobs.EnqueueAt(ctx, tx, jobs.PublishScheduled{ID: id}, at)
	})
	return row, err
}

// CancelScheduled removes one of an account's scheduled statuses.
func (s *Service) CancelScheduled(ctx context.Context, by *db.Account, id int64) error {
	return s.db.Tx(ctx, func(tx *db.DB) error { return tx.DeleteScheduledStatus(ctx, by.ID, id) })
}
