package moderation

import (
	"context"

	"svc/db"
	"svc/server/rules/chats"
)

// DeleteChatMessage deletes a message from both sides of a chat. A message that
// is not in the chat is refused.
func (s *Service) DeleteChatMessage(ctx context.Context, by *db.Account, chatID, messageID string) (*chats.Removed, error) {
	if err := s.rights.Check(by, ChatMessageDeleted.right); err != nil {
		return nil, err
	}
	var removed *chats.Removed
	err := s.db.Tx(ctx, func(tx *db.DB) (err error) {
		if err := s.rights.Hold(ctx, tx, by, ChatMessageDeleted.right); err != nil {
			return err
		}
		if removed, err = s.chats.In(tx).Remove(ctx, by, chatID, messageID); err != nil {
			return err
		}
		return s.Log(ctx, tx, by, ChatMessageDeleted, Data{MessageID: messageID, About: []string{removed.AccountID}})
	})
	return removed, err
}
