package db

import (
	"context"
	"errors"
	"slices"
)

// Chat is one local account's side of its exchange with another account.
type Chat struct {
	ID            string `gorm:"primaryKey"` // flake
	AccountID     string
	RecipientID   string
	Unread        int64
	LastMessageID string // the newest that stands in it, "" for none
	CreatedAt     Time   `gorm:"autoCreateTime:false"`
	UpdatedAt     Time   `gorm:"autoUpdateTime:false"`
}

// ChatMessage is a message from one account to another. Its file, if any, is a
// MediaAttachment with the message's id as StatusID.
type ChatMessage struct {
	ID             string `gorm:"primaryKey"` // flake
	URI            string `gorm:"column:uri"`
	AccountID      string // of its author
	RecipientID    string
	Text           string // as typed
	Content        string // HTML
	Emojis         Slice[Emoji]
	HasMedia       bool
	IdempotencyKey string // given by its author's client
	CreatedAt      Time   `gorm:"autoCreateTime:false"`
}

// ChatEntry is one message of a chat.
type ChatEntry struct {
	ChatMessage
	ChatID string
	Unread bool
}

// ChatRow is a chat in a list, with its last message.
type ChatRow struct {
	Chat
	Last *ChatEntry // nil for none
}

// EnsureChat returns an account's chat with another, creating it if needed.
func (d *DB) EnsureChat(ctx context.Context, accountID, recipientID string) (*Chat, error) {
	now := d.Now()
	if _, err := d.exec(ctx, "open chat", `INSERT INTO chats (id, account_id, recipient_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (account_id, recipient_id) DO NOTHING`, d.NewID(), accountID, recipientID, now, now); err != nil {
		return nil, err
	}
	return one[Chat](ctx, d.writing(), "chat with "+recipientID, "SELECT * FROM chats WHERE account_id = ? AND recipient_id = ?", accountID, recipientID)
}

// Chat returns one of an account's chats.
func (d *DB) Chat(ctx context.Context, accountID, id string) (*Chat, error) {
	return one[Chat](ctx, d, "chat "+id, "SELECT * FROM chats WHERE id = ? AND account_id = ?", id, accountID)
}

// ChatByID returns a chat of any account.
func (d *DB) ChatByID(ctx context.Context, id string) (*Chat, error) {
	return one[Chat](ctx, d, "chat "+id, "SELECT * FROM chats WHERE id = ?", id)
}

const entryColumns = `m.id, m.uri, m.account_id, m.recipient_id, m.text, m.content, m.emojis, m.has_media, m.idempotency_key, m.created_at, e.chat_id, e.unread`

func (e *ChatEntry) cells() []any {
	return []any{
		&e.ID, &e.URI, &e.AccountID, &e.RecipientID, &e.Text, &e.Content, &e.Emojis, &e.HasMedia, &e.IdempotencyKey, &e.CreatedAt, &e.ChatID, &e.Unread,
	}
}

// ChatFilter narrows a list of chats.
type ChatFilter struct {
	ID        string // only this one
	WithMuted bool
	Below     *Chat // those after this one in the list
	Limit     int
}

// Chats returns the viewer's chats, newest message first, without those with
// accounts that the viewer blocks or mutes.
func (d *DB) Chats(ctx context.Context, v Viewer, f ChatFilter) ([]ChatRow, error) {
	var q selection
	q.add(`SELECT c.id, c.account_id, c.recipient_id, c.unread, c.last_message_id, c.created_at, c.updated_at FROM chats c WHERE c.account_id = ?`, v.ID)
	if f.ID != "" {
		q.add(` AND c.id = ?`, f.ID)
	}
	if v.Relations.Blocks {
		q.add(` AND NOT EXISTS (SELECT 1 FROM blocks b WHERE b.account_id = ? AND b.target_id = c.recipient_id)`, v.ID)
	}
	if v.Relations.Mutes && !f.WithMuted {
		q.add(` AND NOT EXISTS (SELECT 1 FROM mutes m WHERE m.account_id = ? AND m.target_id = c.recipient_id AND (m.expires_at IS NULL OR m.expires_at > ?))`, v.ID, d.Now())
	}
	if f.Below != nil {
		q.add(` AND (c.updated_at, c.id) < (?, ?)`, f.Below.UpdatedAt, f.Below.ID)
	}
	q.add(` ORDER BY c.updated_at DESC, c.id DESC` + limit(int64(f.Limit), 0))
	return d.chatRows(ctx, &q, v.ID)
}

// AllChats returns every chat of an account, newest message first.
func (d *DB) AllChats(ctx context.Context, accountID string) ([]ChatRow, error) {
	var q selection
	q.add(`SELECT c.id, c.account_id, c.recipient_id, c.unread, c.last_message_id, c.created_at, c.updated_at FROM chats c
		WHERE c.account_id = ? ORDER BY c.updated_at DESC, c.id DESC`, accountID)
	return d.chatRows(ctx, &q, accountID)
}

func (d *DB) chatRows(ctx context.Context, q *selection, accountID string) ([]ChatRow, error) {
	cells := func(c *ChatRow) []any {
		return []any{&c.ID, &c.AccountID, &c.RecipientID, &c.Unread, &c.LastMessageID, &c.CreatedAt, &c.UpdatedAt}
	}
	return scanAll(ctx, d, "chats of "+accountID, cells, q.sql.String(), q.args...)
}

// WithLast adds the last message to each of an account's chats, in one
// statement.
func (d *DB) WithLast(ctx context.Context, accountID string, chats []ChatRow) error {
	var ids []string
	for i := range chats {
		if chats[i].LastMessageID != "" {
			ids = append(ids, chats[i].LastMessageID)
		}
	}
	last, err := d.ChatEntriesOf(ctx, accountID, ids)
	if err != nil {
		return err
	}
	byChat := make(map[string]*ChatEntry, len(last))
	for i := range last {
		byChat[last[i].ChatID] = &last[i]
	}
	for i := range chats {
		if e := byChat[chats[i].ID]; e != nil && e.ID == chats[i].LastMessageID {
			chats[i].Last = e
		}
	}
	return nil
}

// ChatEntries returns a page of the messages in a chat, newest first.
func (d *DB) ChatEntries(ctx context.Context, chatID string, p Page) ([]ChatEntry, error) {
	cond, order, args := p.where("e.message_id")
	var q selection
	q.add("SELECT "+entryColumns+" FROM chat_entries e JOIN chat_messages m ON m.id = e.message_id WHERE e.chat_id = ?", chatID)
	q.add(cond+order, args...)
	rows, err := d.chatEntries(ctx, &q)
	return newestFirst(p, rows), wrap(err, "messages of chat %s", chatID)
}

// ChatEntriesOf returns the messages with these ids in the chats of an account,
// in no order.
func (d *DB) ChatEntriesOf(ctx context.Context, accountID string, messageIDs []string) ([]ChatEntry, error) {
	rows, err := inChunks(messageIDs, func(ids []string) ([]ChatEntry, error) {
		var q selection
		q.add("SELECT "+entryColumns+` FROM chat_entries e JOIN chat_messages m ON m.id = e.message_id JOIN chats c ON c.id = e.chat_id
			WHERE e.message_id IN ? AND c.account_id = ?`, ids, accountID)
		return d.chatEntries(ctx, &q)
	})
	return rows, wrap(err, "chat messages of %s", accountID)
}

// ChatEntry returns one message that stands in a chat.
func (d *DB) ChatEntry(ctx context.Context, chatID, messageID string) (*ChatEntry, error) {
	var q selection
	q.add("SELECT "+entryColumns+" FROM chat_entries e JOIN chat_messages m ON m.id = e.message_id WHERE e.chat_id = ? AND e.message_id = ?", chatID, messageID)
	rows, err := d.chatEntries(ctx, &q)
	return firstOf(rows, err, "chat message "+messageID)
}

func (d *DB) chatEntries(ctx context.Context, q *selection) ([]ChatEntry, error) {
	return scanAll(ctx, d, "chat messages", (*ChatEntry).cells, q.sql.String(), q.args...)
}

// CreateChatMessage inserts m into these chats and bumps them. It is unread
// except in its author's. A known URI is ErrDuplicate.
func (d *DB) CreateChatMessage(ctx context.Context, m *ChatMessage, chats ...*Chat) error {
	if err := create(ctx, d, m, "create chat message"); err != nil {
		return err
	}
	for _, c := range chats {
		unread := int64(1)
		if c.AccountID == m.AccountID {
			unread = 0
		}
		if _, err := d.exec(ctx, "put message into chat", "INSERT INTO chat_entries (chat_id, message_id, unread) VALUES (?, ?, ?)",
			c.ID, m.ID, unread == 1); err != nil {
			return err
		}
		if _, err := d.exec(ctx, "bump chat", `UPDATE chats SET unread = unread + ?, updated_at = ?,
			last_message_id = CASE WHEN last_message_id < ? THEN CAST(? AS TEXT) ELSE last_message_id END WHERE id = ?`,
			unread, m.CreatedAt, m.ID, m.ID, c.ID); err != nil {
			return err
		}
		if err := d.chatChanged(ctx, c.ID, c.AccountID); err != nil {
			return err
		}
	}
	return nil
}

// chatChanged tells the owner of a chat, once in a transaction, that its counter
// or last message is another.
func (d *DB) chatChanged(ctx context.Context, id, accountID string) error {
	e := Event{Kind: EventChat, Subject: id, AccountID: accountID}
	if d.tx != nil && slices.Contains(d.tx.events, e) {
		return nil
	}
	return d.Emit(ctx, e)
}

// ReadChat marks the messages of a chat as read, up to one of them.
func (d *DB) ReadChat(ctx context.Context, chatID, upTo string) error {
	return d.readEntries(ctx, chatID, "message_id <= ?", upTo)
}

// ReadChatMessage marks one message in a chat as read.
func (d *DB) ReadChatMessage(ctx context.Context, chatID, messageID string) error {
	return d.readEntries(ctx, chatID, "message_id = ?", messageID)
}

func (d *DB) readEntries(ctx context.Context, chatID, cond, id string) error {
	n, err := d.exec(ctx, "read chat", "UPDATE chat_entries SET unread = FALSE WHERE chat_id = ? AND unread AND "+cond, chatID, id)
	if err != nil || n == 0 {
		return err
	}
	owner, err := value[string](ctx, d.writing(), "count unread", "UPDATE chats SET unread = unread - ? WHERE id = ? RETURNING account_id", n, chatID)
	if err != nil {
		return err
	}
	return d.chatChanged(ctx, chatID, owner)
}

// RemoveChatEntry removes a message from one chat. A message that is left in no
// chat is deleted.
func (d *DB) RemoveChatEntry(ctx context.Context, e *ChatEntry) error {
	if err := d.removeEntry(ctx, e.ChatID, e.ID); err != nil {
		return err
	}
	if _, err := d.exec(ctx, "delete notification", `DELETE FROM notifications WHERE message_id = ? AND message_id <> ''
		AND account_id = (SELECT account_id FROM chats WHERE id = ?)`, e.ID, e.ChatID); err != nil {
		return err
	}
	d.countsChanged(Everybody)
	left, err := value[int](ctx, d, "chat message "+e.ID, "SELECT COUNT(*) FROM chat_entries WHERE message_id = ?", e.ID)
	if err != nil || left > 0 {
		return err
	}
	return d.DeleteChatMessage(ctx, &e.ChatMessage)
}

// DeleteChatMessage removes a message from all chats, with its file and
// notifications, and keeps its URI as a tombstone. A message that is gone is
// ErrNotFound.
func (d *DB) DeleteChatMessage(ctx context.Context, m *ChatMessage) error {
	chats, err := list[string](ctx, d, "chats of message "+m.ID, "SELECT chat_id FROM chat_entries WHERE message_id = ? ORDER BY chat_id", m.ID)
	if err != nil {
		return err
	}
	for _, chat := range chats {
		if err := d.removeEntry(ctx, chat, m.ID); err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
	}
	n, err := d.exec(ctx, "delete chat message", "DELETE FROM chat_messages WHERE id = ?", m.ID)
	if err != nil {
		return err
	}
	if n == 0 {
		return notFound("chat message %s", m.ID)
	}
	for _, query := range []string{
		"DELETE FROM notifications WHERE message_id = ? AND message_id <> ''",
		"DELETE FROM media_attachments WHERE status_id = ?",
	} {
		if _, err := d.exec(ctx, "delete chat message's rows", query, m.ID); err != nil {
			return err
		}
	}
	d.countsChanged(Everybody)
	_, err = d.exec(ctx, "tombstone", `INSERT INTO tombstones (uri, former_type, account_id, deleted_at)
		VALUES (?, 'ChatMessage', ?, ?) ON CONFLICT DO NOTHING`, m.URI, m.AccountID, d.Now())
	return err
}

// removeEntry removes a message from a chat and updates its counter and last
// message.
func (d *DB) removeEntry(ctx context.Context, chatID, messageID string) error {
	unread, err := value[bool](ctx, d.writing(), "chat message "+messageID, "DELETE FROM chat_entries WHERE chat_id = ? AND message_id = ? RETURNING unread", chatID, messageID)
	if err != nil {
		return err
	}
	n := 0
	if unread {
		n = 1
	}
	owner, err := value[string](ctx, d.writing(), "count unread", `UPDATE chats SET unread = unread - ?,
		last_message_id = COALESCE((SELECT MAX(e.message_id) FROM chat_entries e WHERE e.chat_id = chats.id), '') WHERE id = ? RETURNING account_id`, n, chatID)
	if err != nil {
		return err
	}
	return d.chatChanged(ctx, chatID, owner)
}
