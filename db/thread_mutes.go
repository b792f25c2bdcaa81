package db

import (
	"context"
	"fmt"
)

// ThreadMuted reports whether an account currently mutes a conversation.
func (d *DB) ThreadMuted(ctx context.Context, accountID string, conversationID int64) (bool, error) {
	return value[bool](ctx, d, fmt.Sprintf("mute of conversation %d", conversationID), `SELECT EXISTS (SELECT 1 FROM thread_mutes WHERE account_id = ? AND conversation_id = ?
		AND (expires_at IS NULL OR expires_at > ?))`, accountID, conversationID, d.Now())
}

// PutThreadMute inserts m, or updates an existing one, and marks the account's
// notifications of the thread as seen.
func (d *DB) PutThreadMute(ctx context.Context, m *ThreadMute) error {
	if _, err := d.exec(ctx, "mute thread", `INSERT INTO thread_mutes (account_id, conversation_id, expires_at, created_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (account_id, conversation_id) DO UPDATE SET expires_at = excluded.expires_at`,
		m.AccountID, m.ConversationID, m.ExpiresAt, d.Now()); err != nil {
		return err
	}
	if _, err := d.exec(ctx, "see notifications", `UPDATE notifications SET seen = TRUE WHERE account_id = ? AND NOT seen AND status_id <> ''
		AND status_id IN (SELECT id FROM statuses WHERE conversation_id = ?)`, m.AccountID, m.ConversationID); err != nil {
		return err
	}
	return d.Announce(ctx, AccountChanged, m.AccountID)
}

// DeleteThreadMute lifts the mute of a conversation; none is no error.
func (d *DB) DeleteThreadMute(ctx context.Context, accountID string, conversationID int64) error {
	if _, err := d.exec(ctx, "unmute thread", "DELETE FROM thread_mutes WHERE account_id = ? AND conversation_id = ?", accountID, conversationID); err != nil {
		return err
	}
	return d.Announce(ctx, AccountChanged, accountID)
}
