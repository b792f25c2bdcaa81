package social

import (
	"context"
	"errors"
	"time"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/fault"
	"svc/server/platform/jobs"
)

// early is how much before its time a job may run, since clocks of machines
// differ.
const early = 5 * time.Second

// setExpiry sets when d expires.
func (s *Service) setExpiry(settings *config.Settings, d *draft, after time.Duration) error {
	switch {
	case after == 0:
		return nil
	case !settings.Expiry.Enabled:
		return fault.Invalid("Statuses that expire are not available")
	case after <= settings.Expiry.MinLifetime:
		return fault.Invalid("Expiry date is too soon")
	}
	d.row.ExpiresAt = db.At(s.now().Add(after))
	return nil
}

// expireLater enqueues the deletion of a status at its expiry; none for a
// status without one, or a pinned one. Unpinning calls it again.
func expireLater(ctx context.Context, tx *db.DB, status *db.Status) error {
	if status.ExpiresAt.IsZero() || !status.PinnedAt.IsZero() {
		return nil
	}
	return jobs.EnqueueAt(ctx, tx, jobs.ExpireStatus{StatusID: status.ID}, status.ExpiresAt.Time)
}

// ExpireStatus runs a job of its kind: it deletes a status as its author would.
// Run again, or for a status that is gone, pinned or unreadable, it does
// nothing.
func (s *Service) ExpireStatus(ctx context.Context, job jobs.ExpireStatus) error {
	err := s.db.Tx(ctx, func(tx *db.DB) error {
		status, err := tx.HeldStatus(ctx, job.StatusID)
		if err != nil {
			return err
		}
		if status.ExpiresAt.IsZero() || !status.PinnedAt.IsZero() || status.ExpiresAt.After(s.now().Add(early)) {
			return nil
		}
		return s.deleted(ctx, tx, nil, status)
	})
	if errors.Is(err, db.ErrUnreadable) {
		return nil
	}
	return ignoreNotFound(err)
}

// Due runs a job of its kind. It looks at a bounded number of statuses.
func (s *Service) Due(ctx context.Context) error {
	return errors.Join(s.expire(ctx), s.publishDue(ctx), s.turnDue(ctx))
}

// lost is how long after its expiry the job of a status counts as lost.
const lost = 20 * time.Second

// expireChunk bounds the overdue statuses of one sweep.
const expireChunk = 500

// expire deletes overdue statuses, in case their jobs were lost.
func (s *Service) expire(ctx context.Context) error {
	ids, err := s.db.ExpiredStatuses(ctx, db.At(s.now().Add(-lost)), expireChunk)
	if err != nil {
		return err
	}
	return eachDue(ctx, s.db, "expired status", ids, func(id string) error { return s.ExpireStatus(ctx, jobs.ExpireStatus{StatusID: id}) })
}

// eachDue runs do for each row. A row that fails is skipped, so that the others
// do not wait behind it.
func eachDue[ID any](ctx context.Context, d *db.DB, what string, ids []ID, do func(ID) error) error {
	for _, id := range ids {
		err := do(id)
		if errors.Is(err, db.ErrUnavailable) || ctx.Err() != nil {
			return err
		}
		if err != nil {
			d.LeaveOut(ctx, what, id, err)
		}
	}
	return nil
}
