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

// PutThreadMute inserts m, or updates an existing one.
func (d *DB) PutThreadMute(ctx context.Context, m *ThreadMute) error {
	if _, err := d.exec(ctx, "mute thread", `INSERT INTO thread_mutes (account_id, conversation_id, expires_at, created_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (account_id, conversation_id) DO UPDATE SET expires_at = excluded.expires_at`,
		m.AccountID, m.ConversationID, m.ExpiresAt, d.Now()); err != nil {
		return err
	}
	return d.Announce(ctx, AccountChanged, m.AccountID)
}

// SeeThread looks through the newest limit of an account's unseen notifications up to
// one, and marks those about statuses of a conversation as seen. next is where to
// continue, 0 at the end.
func (d *DB) SeeThread(ctx context.Context, accountID string, conversationID, upTo int64, limit int) (next int64, err error) {
	unseen, err := list[struct {
		ID    int64
		About bool
	}](ctx, d.writing(), "unseen notifications of "+accountID, `SELECT n.id, s.id IS NOT NULL AS about FROM notifications n
		LEFT JOIN statuses s ON s.id = n.status_id AND s.conversation_id = ? WHERE n.account_id = ? AND n.id <= ? AND NOT n.seen ORDER BY n.id DESC LIMIT ?`,
		conversationID, accountID, upTo, limit)
	if err != nil {
		return 0, err
	}
	var about []int64
	for _, n := range unseen {
		if n.About {
			about = append(about, n.ID)
		}
	}
	if len(unseen) == limit {
		next = unseen[limit-1].ID - 1
	}
	if len(about) == 0 {
		return next, nil
	}
	return next, d.seeNotifications(ctx, accountID, about)
}

// DeleteThreadMute lifts the mute of a conversation; none is no error.
func (d *DB) DeleteThreadMute(ctx context.Context, accountID string, conversationID int64) error {
	if _, err := d.exec(ctx, "unmute thread", "DELETE FROM thread_mutes WHERE account_id = ? AND conversation_id = ?", accountID, conversationID); err != nil {
		return err
	}
	return d.Announce(ctx, AccountChanged, accountID)
}
