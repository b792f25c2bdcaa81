package db

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"time"
)

// NewIDAt returns a flake id for a past moment, for a remote status that comes
// late.
func (d *DB) NewIDAt(t time.Time) string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails, by crypto/rand's contract
	return encodeFlake(uint64(max(t.UnixMilli(), 0)), binary.BigEndian.Uint64(b[:]))
}

// Object is the state of an ActivityPub id on this server.
type Object struct {
	StatusID string // "" where it is no status
	Message  bool   // a chat message
	Gone     bool   // deleted here, or by its author before it came
}

// KnownObject returns the state of an id. gone includes an undo or deletion by
// actor that came before the object; "" is no actor.
func (d *DB) KnownObject(ctx context.Context, uri, actor string) (Object, error) {
	return value[Object](ctx, d, "object "+uri, `SELECT COALESCE((SELECT id FROM statuses WHERE uri = ?), '') AS status_id,
		EXISTS (SELECT 1 FROM chat_messages WHERE uri = ?) AS message,
		EXISTS (SELECT 1 FROM tombstones WHERE uri = ?) OR EXISTS (SELECT 1 FROM undone WHERE uri = ? AND actor = ?) AS gone`,
		uri, uri, uri, uri, actor)
}

// AccountsByURI returns the accounts with these ActivityPub ids, by id. Unknown
// ones are left out. Only the columns that name an account are loaded.
func (d *DB) AccountsByURI(ctx context.Context, uris []string) (map[string]*Account, error) {
	if len(uris) == 0 {
		return nil, nil
	}
	rows, err := list[Account](ctx, d, "accounts by id",
		"SELECT id, nickname, nickname_key, uri, url, local, domain, deactivated, invisible FROM accounts WHERE uri IN ?", uris)
	out := make(map[string]*Account, len(rows))
	for i := range rows {
		out[rows[i].URI] = &rows[i]
	}
	return out, err
}

// LocalFollowers counts the local followers of an account, up to most.
func (d *DB) LocalFollowers(ctx context.Context, accountID string, most int) (int, error) {
	return value[int](ctx, d, "local followers of "+accountID, `SELECT COUNT(*) FROM (SELECT 1 FROM follows WHERE target_id = ? AND local AND NOT pending LIMIT ?) x`,
		accountID, most)
}

// ConversationVisibleTo returns the number of the thread with this id if a
// remote account may see any of its statuses.
func (d *DB) ConversationVisibleTo(ctx context.Context, uri, accountID string) (int64, error) {
	var q selection
	q.add(`SELECT c.id FROM conversations c WHERE c.uri = ? AND EXISTS (SELECT 1 FROM statuses s
		WHERE s.conversation_id = c.id AND s.visibility <> 'local' AND `, uri)
	q.visible("s", Viewer{ID: accountID})
	q.add(")")
	return value[int64](ctx, d, "conversation "+uri, q.sql.String(), q.args...)
}

// VisibleToDomain reports whether any account of another server may see a local
// status: it is public, addressed to an account there, or for followers with
// one there.
func (d *DB) VisibleToDomain(ctx context.Context, s *Status, domain string) (bool, error) {
	switch s.Visibility {
	case Public, Unlisted:
		return true, nil
	case Local:
		return false, nil
	}
	return value[bool](ctx, d, "who sees "+s.ID, `SELECT EXISTS (SELECT 1 FROM status_recipients r JOIN accounts a ON a.id = r.account_id WHERE r.status_id = ? AND a.domain = ?)
		OR ? AND EXISTS (SELECT 1 FROM follows f JOIN accounts a ON a.id = f.follower_id
			WHERE f.target_id = ? AND NOT f.local AND NOT f.pending AND a.domain = ?)`,
		s.ID, domain, s.Visibility == Private, s.AccountID, domain)
}

// EnsureConversation is CreateConversation for a thread that may exist.
func (d *DB) EnsureConversation(ctx context.Context, uri string) (int64, error) {
	return value[int64](ctx, d.writing(), "conversation "+uri, "INSERT INTO conversations (uri) VALUES (?) ON CONFLICT (uri) DO UPDATE SET uri = excluded.uri RETURNING id", uri)
}

// Recipient is an account that a status is addressed to. Mentioned says that the
// text names it too.
type Recipient struct {
	AccountID string
	Mentioned bool
}

// PutRecipients addresses a status to accounts. Existing recipients may become
// mentioned.
func (d *DB) PutRecipients(ctx context.Context, statusID string, to []Recipient) error {
	if len(to) == 0 {
		return nil
	}
	args := make([]any, 0, 3*len(to))
	for _, r := range to {
		args = append(args, statusID, r.AccountID, r.Mentioned)
	}
	return d.execLater(ctx, "add recipients", "INSERT INTO status_recipients (status_id, account_id, mentioned) VALUES "+rowsOf(len(to), 3)+
		" ON CONFLICT (status_id, account_id) DO UPDATE SET mentioned = status_recipients.mentioned OR excluded.mentioned", args...)
}

// WaitingReply is a reply that arrived before its parent.
type WaitingReply struct {
	ID             string
	ConversationID *int64
	Visibility     string
}

// AdoptReplies makes up to limit replies that wait for the status s, under its URI or
// its URL, reply to it, and returns them.
func (d *DB) AdoptReplies(ctx context.Context, s *Status, limit int) ([]WaitingReply, error) {
	if s.URI == nil || *s.URI == "" {
		return nil, nil
	}
	names := []string{*s.URI}
	if s.URL != "" && s.URL != *s.URI {
		names = append(names, s.URL)
	}
	return list[WaitingReply](ctx, d.writing(), "replies that wait for "+*s.URI, `UPDATE statuses SET in_reply_to_id = ?, in_reply_to_account_id = ?, in_reply_to_uri = ''
		WHERE id IN (SELECT w.id FROM statuses w WHERE w.in_reply_to_uri IN ? AND w.in_reply_to_uri <> '' AND w.in_reply_to_id IS NULL
			ORDER BY w.id LIMIT ?`+d.hold()+`) RETURNING id, conversation_id, visibility`, s.ID, s.AccountID, names, limit)
}

// AwaitParent changes the address of the parent that a reply waits for.
func (d *DB) AwaitParent(ctx context.Context, statusID, was, is string) error {
	_, err := d.exec(ctx, "await parent", "UPDATE statuses SET in_reply_to_uri = ? WHERE id = ? AND in_reply_to_uri = ? AND in_reply_to_id IS NULL", is, statusID, was)
	return err
}

// MergeConversations merges one thread into another: its statuses, at most limit of
// them, and once it has none left its participations and its mutes. It reports
// whether there is more to do.
func (d *DB) MergeConversations(ctx context.Context, from, into int64, limit int) (more bool, err error) {
	if from == into {
		return false, nil
	}
	// Held first: a reply that is being stored holds its parent. It is in the thread
	// then, and the next statement sees it.
	for left := limit; ; {
		ids, err := list[string](ctx, d.writing(), "statuses of a thread", "SELECT id FROM statuses WHERE conversation_id = ? ORDER BY id LIMIT ?"+d.hold(), from, left)
		if err != nil {
			return false, err
		}
		if len(ids) == 0 {
			break
		}
		if _, err := d.exec(ctx, "merge conversations", "UPDATE statuses SET conversation_id = ? WHERE id IN ?", into, ids); err != nil {
			return false, err
		}
		if left -= len(ids); left == 0 {
			return true, nil
		}
	}
	if _, err := d.exec(ctx, "move parts in conversations", `UPDATE participations SET conversation_id = ? WHERE conversation_id = ?
		AND NOT EXISTS (SELECT 1 FROM participations o WHERE o.account_id = participations.account_id AND o.conversation_id = ?)`, into, from, into); err != nil {
		return false, err
	}
	if _, err := d.exec(ctx, "move mutes of threads", `INSERT INTO thread_mutes (account_id, conversation_id, expires_at, created_at)
		SELECT m.account_id, CAST(? AS BIGINT), m.expires_at, m.created_at FROM thread_mutes m WHERE m.conversation_id = ? ON CONFLICT DO NOTHING`, into, from); err != nil {
		return false, err
	}
	// A participant of both keeps the newer state.
	if _, err := d.exec(ctx, "merge parts in conversations", `UPDATE participations SET
			unread = unread OR EXISTS (SELECT 1 FROM participations o WHERE o.account_id = participations.account_id AND o.conversation_id = ? AND o.unread),
			last_status_id = COALESCE((SELECT MAX(o.last_status_id) FROM participations o
				WHERE o.account_id = participations.account_id AND o.conversation_id IN (CAST(? AS BIGINT), CAST(? AS BIGINT))), '')
		WHERE conversation_id = ? AND EXISTS (SELECT 1 FROM participations o WHERE o.account_id = participations.account_id AND o.conversation_id = ?)`,
		from, from, into, into, from); err != nil {
		return false, err
	}
	if _, err := d.exec(ctx, "forget participants", `DELETE FROM participation_accounts WHERE participation_id IN
		(SELECT id FROM participations WHERE conversation_id = ?)`, from); err != nil {
		return false, err
	}
	_, err = d.exec(ctx, "end conversation", "DELETE FROM participations WHERE conversation_id = ?", from)
	d.countsChanged(Everybody)
	return false, err
}

// MarkStatusFetched stores that a status was fetched from its server now.
func (d *DB) MarkStatusFetched(ctx context.Context, id string) error {
	_, err := d.exec(ctx, "keep fetch", "INSERT INTO status_fetches (status_id, at) VALUES (?, ?) ON CONFLICT (status_id) DO UPDATE SET at = excluded.at", id, d.Now())
	return err
}

// StatusFetchedAt returns when a status was last fetched from its server; zero
// if never.
func (d *DB) StatusFetchedAt(ctx context.Context, id string) (Time, error) {
	return value[Time](ctx, d, "fetch of status "+id, "SELECT (SELECT at FROM status_fetches WHERE status_id = ?)", id)
}
