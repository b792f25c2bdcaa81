package moderation

import (
	"context"

	"svc/db"
)

// DeleteChatMessage removes a message for both who have it. One that does not
// stand in the chat cannot be deleted: that is a refusal.
func (s *Service) DeleteChatMessage(ctx context.Context, by *db.Account, chatID, messageID string) error {
	if err := ChatMessageDeleted.may(by); err != nil {
		return err
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if _, err := s.chats.In(tx).Remove(ctx, by, chatID, messageID); err != nil {
			return err
		}
		return s.Log(ctx, tx, by, ChatMessageDeleted, Data{MessageID: messageID})
	})
}
