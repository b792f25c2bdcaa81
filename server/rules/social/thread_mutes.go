package social

import (
	"context"
	"math"
	"time"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/jobs"
)

// MuteThread mutes the conversation of a status, for a while or with 0 for
// good, and returns the status. Existing notifications of it count as seen, older
// ones once a job saw them if many are unseen. It is refused if by mutes it already.
func (s *Service) MuteThread(ctx context.Context, by *db.Account, id string, expiresIn time.Duration) (*db.Status, error) {
	if expiresIn < 0 {
		return nil, fault.Invalid("A mute cannot end before it begins")
	}
	m := &db.ThreadMute{AccountID: by.ID}
	if expiresIn > 0 {
		m.ExpiresAt = db.At(s.now().Add(expiresIn))
	}
	return s.ofThread(ctx, by, id, func(tx *db.DB, conversation int64) error {
		muted, err := tx.ThreadMuted(ctx, by.ID, conversation)
		if err != nil {
			return err
		}
		if muted {
			return fault.Malformed("conversation is already muted")
		}
		m.ConversationID = conversation
		if err := tx.PutThreadMute(ctx, m); err != nil {
			return err
		}
		next, err := tx.SeeThread(ctx, by.ID, conversation, math.MaxInt64, atOnce)
		if err != nil || next == 0 {
			return err
		}
		return jobs.Enqueue(ctx, tx, jobs.ChangeNotifications{AccountID: by.ID, UpTo: next, StatusID: id})
	})
}

// seeThread goes on to mark notifications of the thread of a status as seen.
func (s *Service) seeThread(ctx context.Context, job jobs.ChangeNotifications) error {
	return db.StepsFrom(ctx, s.db, job.UpTo, func(tx *db.DB, upTo int64) (next int64, err error) {
		status, err := tx.HeldStatus(ctx, job.StatusID) // its thread may have merged into another
		if err != nil || status.ConversationID == nil {
			return 0, ignoreNotFound(err)
		}
		return tx.SeeThread(ctx, job.AccountID, *status.ConversationID, upTo, stepChunk)
	})
}

// UnmuteThread ends the mute of a conversation and returns the status; none is
// no error.
func (s *Service) UnmuteThread(ctx context.Context, by *db.Account, id string) (*db.Status, error) {
	return s.ofThread(ctx, by, id, func(tx *db.DB, conversation int64) error {
		return tx.DeleteThreadMute(ctx, by.ID, conversation)
	})
}

// ofThread runs do with the conversation of a status. A remote status may have
// none.
func (s *Service) ofThread(ctx context.Context, by *db.Account, id string, do func(tx *db.DB, conversation int64) error) (*db.Status, error) {
	var status *db.Status
	err := s.db.Tx(ctx, func(tx *db.DB) (err error) {
		// A mute of a thread that merges into another meanwhile would be lost.
		if err := tx.HoldStatuses(ctx, id); err != nil {
			return err
		}
		if err := holdActive(ctx, tx, by); err != nil {
			return err
		}
		if status, err = visible(ctx, tx, by, id); err != nil {
			return err
		}
		if status.ConversationID == nil {
			return fault.Malformed("The status is in no conversation")
		}
		return do(tx, *status.ConversationID)
	})
	return status, err
}
