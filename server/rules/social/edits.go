package social

import (
	"context"
	"slices"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/jobs"
	"svc/server/rules/notify"
)

// DeleteStatus deletes a status for its author, a moderator or an admin; for
// others it is db.ErrNotFound. Its reblogs, favourites and notifications are
// deleted too, its URI stays as a tombstone, and its files stay as unused
// uploads if the author deletes it. A reblog is deleted for its author only.
// The moderation log is left to the caller.
func (s *Service) DeleteStatus(ctx context.Context, by *db.Account, id string) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		status, err := tx.HeldStatus(ctx, id)
		if err != nil {
			return err
		}
		own, reblog := status.AccountID == by.ID, status.ReblogOfID != nil
		if !own && (reblog || !by.Staff()) {
			return errNotFound("status", id)
		}
		if own && !reblog {
			// Authors may post it anew, with the same files.
			if err := tx.DetachMedia(ctx, status.ID); err != nil {
				return err
			}
		}
		return s.deleted(ctx, tx, by, status)
	})
}

// deleted is the effect of a deleted status or reblog. by is the local account
// that deletes it; nil if it expired, or if another server deleted it. A status
// must be held, see db.HeldStatus.
func (s *Service) deleted(ctx context.Context, tx *db.DB, by *db.Account, status *db.Status) error {
	return s.deletedAs(ctx, tx, by, status, deleter(by, status))
}

// deletedAs is deleted with a deleter that reports about the status name.
func (s *Service) deletedAs(ctx context.Context, tx *db.DB, by *db.Account, status *db.Status, who string) error {
	if err := tx.EmitGone(ctx, status); err != nil {
		return err
	}
	if status.ReblogOfID != nil {
		if err := tx.DeleteReblog(ctx, status); err != nil {
			return err
		}
		if err := reportedGone(ctx, tx, by, status, who); err != nil {
			return err
		}
		return s.outbox.Unreblogged(ctx, tx, by, status)
	}
	if err := s.outbox.Deleted(ctx, tx, by, status); err != nil {
		return err
	}
	if err := countStatus(ctx, tx, status, -1); err != nil {
		return err
	}
	more, err := tx.DeleteStatus(ctx, status, atOnce)
	if err != nil {
		return err
	}
	if err := reportedGone(ctx, tx, by, status, who); err != nil || !more {
		return err
	}
	rest := jobs.DeleteRest{StatusID: status.ID}
	if status.PollID != nil {
		rest.PollID = *status.PollID
	}
	return jobs.Enqueue(ctx, tx, rest)
}

// deleter says in the words of reports who deletes a status.
func deleter(by *db.Account, status *db.Status) string {
	switch {
	case by == nil || !by.Local:
		return db.DeletedByServer
	case by.ID != status.AccountID:
		return db.DeletedByModerator
	}
	return db.DeletedByAuthor
}

// reportedGone notes in the reports about a status that it is deleted.
func reportedGone(ctx context.Context, tx *db.DB, by *db.Account, status *db.Status, who string) error {
	moderator := ""
	if who == db.DeletedByModerator {
		moderator = by.ID
	}
	return tx.ReportedGone(ctx, status.ID, who, moderator)
}

// DeleteRest runs a job of its kind, in steps of their own transactions. Run
// twice it does nothing more.
func (s *Service) DeleteRest(ctx context.Context, job jobs.DeleteRest) error {
	return s.db.Steps(ctx, func(tx *db.DB) (bool, error) {
		return tx.DeleteRest(ctx, job.StatusID, job.PollID, stepChunk)
	})
}

// ChangeReblogs runs a job of its kind, in steps of their own transactions. It ends
// if the status may be reblogged again. Run twice it does nothing more.
func (s *Service) ChangeReblogs(ctx context.Context, job jobs.ChangeReblogs) error {
	return db.StepsFrom(ctx, s.db, job, func(tx *db.DB, job jobs.ChangeReblogs) (rest jobs.ChangeReblogs, err error) {
		status, err := tx.HeldStatus(ctx, job.StatusID)
		if err != nil || job.Cut && (status.Visibility == db.Public || status.Visibility == db.Unlisted) {
			return rest, ignoreNotFound(err)
		}
		return nextReblogs(ctx, tx, status, job, stepChunk)
	})
}

// changeReblogs carries out the first part of job in the transaction that changes
// the status, and leaves the rest to it.
func changeReblogs(ctx context.Context, tx *db.DB, status *db.Status, job jobs.ChangeReblogs) error {
	rest, err := nextReblogs(ctx, tx, status, job, atOnce)
	if err != nil || rest == (jobs.ChangeReblogs{}) {
		return err
	}
	return jobs.Enqueue(ctx, tx, rest)
}

// nextReblogs carries out the next part of job, up to limit reblogs, and returns the
// rest, zero if nothing is left.
func nextReblogs(ctx context.Context, tx *db.DB, status *db.Status, job jobs.ChangeReblogs, limit int) (rest jobs.ChangeReblogs, err error) {
	more := false
	if job.Cut {
		more, err = tx.CutReblogs(ctx, status, limit)
	} else {
		after := job.After
		job.After, err = tx.TouchReblogs(ctx, status.ID, after, limit)
		if more = job.After != ""; err == nil && job.Edited {
			err = tellBoosters(ctx, tx, status, after, job.After)
		}
	}
	if err != nil || !more {
		return rest, err
	}
	return job, nil
}

// tellBoosters notifies the local accounts that reblogged an edited status, by reblogs
// after one id and up to another, "" for the end.
func tellBoosters(ctx context.Context, tx *db.DB, status *db.Status, after, upTo string) error {
	boosters, err := tx.LocalRebloggers(ctx, status.ID, after, upTo)
	if err != nil || len(boosters) == 0 {
		return err
	}
	author, err := tx.Account(ctx, status.AccountID)
	if err != nil {
		return err
	}
	news := postNews(author, status)
	news.Type = db.NotifyUpdate
	return notify.Notify(ctx, tx, news, boosters...)
}

// countStatus changes the counters of a public status: its parent's, if that
// exists, then its author's.
func countStatus(ctx context.Context, tx *db.DB, status *db.Status, by int64) error {
	if !counted(status.Visibility) {
		return nil
	}
	if status.InReplyToID != nil {
		if err := tx.AddStatusCounts(ctx, *status.InReplyToID, db.StatusCounts{Replies: by}); ignoreNotFound(err) != nil {
			return err
		}
	}
	return tx.AddCounts(ctx, status.AccountID, db.Counts{Statuses: by})
}

// UpdateStatus is a moderator's decision about a status, which edits by the
// author do not change; nil decides nothing. The visibility must be public, unlisted or private, and a reblog is
// db.ErrNotFound. Recipients and counters follow the visibility; a status that
// becomes private loses the reblogs of others, and mentioned accounts keep
// their access. Open streams are told of the change as of an edit. It returns the
// updated status.
func (s *Service) UpdateStatus(ctx context.Context, by *db.Account, id string, sensitive *bool, visibility *string) (*db.Status, error) {
	if visibility != nil && !slices.Contains([]string{db.Public, db.Unlisted, db.Private}, *visibility) {
		return nil, fault.Malformed("Unsupported visibility")
	}
	if !by.Staff() {
		return nil, errNotFound("status", id)
	}
	var status *db.Status
	err := s.db.Tx(ctx, func(tx *db.DB) (err error) {
		if status, err = tx.HeldStatus(ctx, id); err != nil {
			return err
		}
		if status.ReblogOfID != nil {
			return errNotFound("status", id)
		}
		was := *status
		var columns []string
		if sensitive != nil {
			status.DecideSensitive(*sensitive)
			columns = append(columns, "sensitive", "author_sensitive")
		}
		if visibility != nil && *visibility != status.Visibility {
			if err := s.readdress(ctx, tx, status, *visibility); err != nil {
				return err
			}
			columns = append(columns, "visibility", "author_visibility", "to_uris", "cc_uris")
		}
		if len(columns) == 0 {
			return nil
		}
		if err := tx.UpdateStatus(ctx, status, columns...); err != nil {
			return err
		}
		if status.Visibility == was.Visibility && status.Sensitive == was.Sensitive {
			return nil
		}
		if status.Visibility != was.Visibility {
			if err := tx.RemoveFromParticipations(ctx, &was); err != nil {
				return err
			}
		}
		if status, err = tx.StatusByID(ctx, id); err != nil {
			return err
		}
		if err := tx.IndexStatus(ctx, status, Searchable(status)); err != nil {
			return err
		}
		if err := changeReblogs(ctx, tx, status, jobs.ChangeReblogs{StatusID: status.ID}); err != nil {
			return err
		}
		return tx.Emit(ctx, db.Event{Kind: db.EventStatusEdited, Subject: status.ID})
	})
	return status, err
}

func (s *Service) readdress(ctx context.Context, tx *db.DB, status *db.Status, visibility string) error {
	author, err := tx.Account(ctx, status.AccountID)
	if err != nil {
		return err
	}
	before := counted(status.Visibility)
	if before && !counted(visibility) {
		err = countStatus(ctx, tx, status, -1)
	}
	status.DecideVisibility(visibility)
	if !before && counted(visibility) {
		err = countStatus(ctx, tx, status, 1)
	}
	if err != nil {
		return err
	}
	s.addressURIs(author, status)
	if visibility != db.Private {
		return nil
	}
	return changeReblogs(ctx, tx, status, jobs.ChangeReblogs{StatusID: status.ID, Cut: true})
}
