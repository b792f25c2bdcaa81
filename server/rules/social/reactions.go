package social

import (
	"context"

	"svc/db"
	"svc/server/federation/mrf"
	"svc/server/platform/fault"
	"svc/server/platform/text"
	"svc/server/rules/notify"
)

// React reacts to a status with an emoji and returns the status. An account may
// react with several emoji, once with each. Repeating it changes nothing.
func (s *Service) React(ctx context.Context, by *db.Account, id, emoji string) (*db.Status, error) {
	var status *db.Status
	err := s.db.Tx(ctx, func(tx *db.DB) (err error) {
		if status, err = visible(ctx, tx, by, id); err != nil {
			return err
		}
		if !text.IsEmoji(emoji) {
			return fault.Malformed("Could not add reaction emoji")
		}
		if err := s.Admit(by, mrf.EmojiReact); err != nil {
			return err
		}
		return s.reacted(ctx, tx, by, status, emoji, s.newURI("activities"))
	})
	return status, err
}

// reacted is the effect of a reaction with this id, local or remote. Repeating
// it changes nothing.
func (s *Service) reacted(ctx context.Context, tx *db.DB, by *db.Account, status *db.Status, emoji, uri string) error {
	r := &db.EmojiReaction{AccountID: by.ID, StatusID: status.ID, Emoji: emoji, URI: uri, CreatedAt: tx.Now()}
	if created, err := tx.CreateReaction(ctx, r); err != nil || !created {
		return err
	}
	if err := s.outbox.Reacted(ctx, tx, by, r, status); err != nil {
		return err
	}
	news := db.News{Type: db.NotifyReaction, From: by, StatusID: status.ID, Emoji: emoji, Conversation: status.ConversationID}
	return notify.Notify(ctx, tx, news, status.AccountID)
}

// Unreact removes a reaction with its notification and returns the status. It
// is refused if there is none.
func (s *Service) Unreact(ctx context.Context, by *db.Account, id, emoji string) (*db.Status, error) {
	var status *db.Status
	err := s.db.Tx(ctx, func(tx *db.DB) (err error) {
		if status, err = visible(ctx, tx, by, id); err != nil {
			return err
		}
		r := &db.EmojiReaction{Emoji: emoji}
		if by.Local && !status.Local && text.IsEmoji(emoji) {
			if r, err = tx.Reaction(ctx, by.ID, status.ID, emoji); ignoreNotFound(err) != nil {
				return err
			}
		}
		removed := false
		if text.IsEmoji(emoji) && err == nil {
			removed, err = tx.DeleteReaction(ctx, by.ID, status.ID, emoji)
		}
		if ignoreNotFound(err) == nil && !removed {
			return fault.Malformed("Could not remove reaction emoji")
		}
		if err != nil {
			return err
		}
		return s.outbox.Unreacted(ctx, tx, by, r, status)
	})
	return status, err
}
