package social

import (
	"context"
	"time"

	"svc/db"
	"svc/server/platform/fault"
)

// MuteThread mutes the conversation of a status, for a while or with 0 for
// good, and returns the status. Existing notifications of it count as seen. It
// is refused if by mutes it already.
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
		return tx.PutThreadMute(ctx, m)
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
