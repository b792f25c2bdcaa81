package db

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// Erase removes up to limit rows of e, one of Erasures, in the order of their key, and reports whether
// there may be more. Repeating it does nothing.
func (d *DB) Erase(ctx context.Context, e Reference, accountID string, limit int) (more bool, err error) {
	if e.Kept != "" {
		return false, nil
	}
	var n int64
	if e.by != nil {
		n, err = e.by(ctx, d, accountID, limit)
	} else {
		n, err = d.exec(ctx, "erase "+e.Table, "DELETE FROM "+e.Table+" WHERE "+d.inOrder(e.Table, e.key, e.Column+" = ?", limit), e.prefix+accountID)
	}
	if n > 0 {
		d.countsChanged(Everybody)
	}
	return n >= int64(limit), err
}

// StatusesBy returns up to limit ids of an account's statuses and reblogs,
// oldest first.
func (d *DB) StatusesBy(ctx context.Context, accountID string, limit int) ([]string, error) {
	return list[string](ctx, d, "statuses by "+accountID, "SELECT id FROM statuses WHERE account_id = ? ORDER BY id LIMIT ?", accountID, limit)
}

// DeleteUser removes the credentials of an account for good.
func (d *DB) DeleteUser(ctx context.Context, accountID string) error {
	if _, err := d.exec(ctx, "delete user", "DELETE FROM users WHERE account_id = ?", accountID); err != nil {
		return err
	}
	if _, err := d.exec(ctx, "delete links", "DELETE FROM mail_tokens WHERE account_id = ?", accountID); err != nil {
		return err
	}
	if _, err := d.exec(ctx, "delete ssh keys", "DELETE FROM ssh_keys WHERE account_id = ?", accountID); err != nil {
		return err
	}
	return d.DeleteLogins(ctx, accountID)
}

// MarkDeleted marks an account as deleted for good and reports whether that is
// new. It waits for transactions that store rows of the account.
func (d *DB) MarkDeleted(ctx context.Context, accountID string) (bool, error) {
	if d.pool.dialect == Postgres {
		if _, err := d.exec(ctx, "hold account", "SELECT 1 FROM accounts WHERE id = ? FOR UPDATE", accountID); err != nil {
			return false, err
		}
	}
	n, err := d.exec(ctx, "mark deleted", "INSERT INTO deletions (account_id, created_at) VALUES (?, ?) ON CONFLICT DO NOTHING", accountID, d.Now())
	return n > 0, err
}

// Deleted reports whether an account is deleted for good.
func (d *DB) Deleted(ctx context.Context, accountID string) (bool, error) {
	return value[bool](ctx, d, "deletion of "+accountID, "SELECT EXISTS (SELECT 1 FROM deletions WHERE account_id = ?)", accountID)
}

// LiftDeletion takes back that a remote account was deleted for good. Its
// document counts as never fetched, and its key no longer as gone.
func (d *DB) LiftDeletion(ctx context.Context, a *Account) error {
	if _, err := d.exec(ctx, "lift deletion", "DELETE FROM deletions WHERE account_id = ?", a.ID); err != nil {
		return err
	}
	if _, err := d.exec(ctx, "forget gone key", "DELETE FROM gone_keys WHERE key_id = ?", a.KeyID); err != nil {
		return err
	}
	a.FetchedAt = Time{}
	return d.UpdateAccount(ctx, a, "fetched_at")
}

// EmptyAccount clears all of an account but its name, its addresses, and that
// it is deactivated. A remote one keeps its tags.
func (d *DB) EmptyAccount(ctx context.Context, id string) error {
	_, err := d.exec(ctx, "empty account", `UPDATE accounts SET
		note = '', note_html = '', fields = '[]', fields_html = '[]', emojis = '[]', tags = CASE WHEN local THEN '[]' ELSE tags END, avatar = '', header = '', background = '',
		also_known_as = '[]', moved_to = '', deactivated = TRUE, is_admin = FALSE, is_moderator = FALSE, locked = FALSE, discoverable = FALSE, unindexed = FALSE,
		confirmation_pending = FALSE, approval_pending = FALSE, accepts_chat_messages = FALSE, default_scope = 'public', default_sensitive = FALSE,
		default_language = '', followers_count = 0, following_count = 0, statuses_count = 0, last_status_at = NULL WHERE id = ?`, id)
	if err != nil {
		return err
	}
	a, err := d.Account(ctx, id)
	if err != nil {
		return err
	}
	a.DisplayName = ""
	if err := d.UpdateAccount(ctx, a, "display_name"); err != nil {
		return err
	}
	_, err = d.exec(ctx, "forget names", "DELETE FROM account_names WHERE account_id = ?", id)
	return err
}

// DeleteAccount removes an account without remaining rows, with its key and its
// name, which becomes free. The tags of a remote one are kept for its return.
func (d *DB) DeleteAccount(ctx context.Context, id string) error {
	if err := d.keepTags(ctx, id); err != nil {
		return err
	}
	if _, err := d.exec(ctx, "delete key", "DELETE FROM keys WHERE account_id = ?", id); err != nil {
		return err
	}
	if _, err := d.exec(ctx, "delete account", "DELETE FROM accounts WHERE id = ?", id); err != nil {
		return err
	}
	if _, err := d.exec(ctx, "forget deletion", "DELETE FROM deletions WHERE account_id = ?", id); err != nil {
		return err
	}
	return d.Announce(ctx, AccountChanged, id)
}

// eraseFollows ends follows and updates the counters of the other accounts.
func eraseFollows(ctx context.Context, d *DB, accountID string, limit int) (int64, error) {
	_, n, err := d.cutFollows(ctx, false, accountID, limit)
	return int64(n), err
}

// eraseFollowers ends follows of an account. Those who still count it stop to.
func eraseFollowers(ctx context.Context, d *DB, accountID string, limit int) (int64, error) {
	rows, err := list[Follow](ctx, d, "followers of "+accountID, "SELECT follower_id FROM follows WHERE target_id = ? ORDER BY follower_id LIMIT ?", accountID, limit)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	ids := make([]string, len(rows))
	for i, f := range rows {
		ids[i] = f.FollowerID
	}
	if err := d.HoldAccounts(ctx, ids...); err != nil {
		return 0, err
	}
	these, args := among("target_id", accountID, "follower_id", ids)
	counting, err := list[string](ctx, d.writing(), "who counts "+accountID, "SELECT follower_id FROM follows WHERE "+these+" AND NOT pending AND NOT uncounted", args...)
	if err == nil && len(counting) > 0 {
		err = d.addFollowing(ctx, counting, -1)
	}
	if err != nil {
		return 0, err
	}
	d.countsChanged(ids...)
	n, err := d.exec(ctx, "erase followers", "DELETE FROM follows WHERE "+these, args...)
	if err != nil {
		return n, err
	}
	return n, d.followsChanged(ctx, ids...)
}

func eraseFavourites(ctx context.Context, d *DB, accountID string, limit int) (int64, error) {
	ids, err := list[string](ctx, d, "favourites of "+accountID, "SELECT status_id FROM favourites WHERE account_id = ? ORDER BY status_id LIMIT ?", accountID, limit)
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		if _, err := d.DeleteFavourite(ctx, accountID, id); err != nil && !errors.Is(err, ErrNotFound) {
			return 0, err
		}
	}
	return int64(len(ids)), nil
}

func eraseReactions(ctx context.Context, d *DB, accountID string, limit int) (int64, error) {
	rows, err := list[EmojiReaction](ctx, d, "reactions of "+accountID, "SELECT status_id, emoji FROM emoji_reactions WHERE account_id = ? ORDER BY id LIMIT ?", accountID, limit)
	if err != nil {
		return 0, err
	}
	slices.SortFunc(rows, func(a, b EmojiReaction) int { return strings.Compare(a.StatusID, b.StatusID) })
	for _, r := range rows {
		_, err := d.DeleteReaction(ctx, accountID, r.StatusID, r.Emoji)
		if errors.Is(err, ErrNotFound) {
			_, err = d.exec(ctx, "erase reaction", "DELETE FROM emoji_reactions WHERE status_id = ? AND account_id = ?", r.StatusID, accountID)
		}
		if err != nil {
			return 0, err
		}
	}
	return int64(len(rows)), nil
}

// eraseChats removes everything from the account's own chats: its own messages
// from both sides, received ones from its side.
func eraseChats(ctx context.Context, d *DB, accountID string, limit int) (int64, error) {
	return d.eraseEntries(ctx, "c.account_id = ?", accountID, limit, func(e *ChatEntry) error {
		if e.AccountID == accountID {
			return d.DeleteChatMessage(ctx, &e.ChatMessage)
		}
		return d.RemoveChatEntry(ctx, e)
	})
}

// eraseOthersChats deletes the messages of a remote account, which has no chats
// of its own.
func eraseOthersChats(ctx context.Context, d *DB, accountID string, limit int) (int64, error) {
	return d.eraseEntries(ctx, "c.recipient_id = ? AND m.account_id = c.recipient_id", accountID, limit, func(e *ChatEntry) error {
		return d.DeleteChatMessage(ctx, &e.ChatMessage)
	})
}

func (d *DB) eraseEntries(ctx context.Context, cond, accountID string, limit int, erase func(*ChatEntry) error) (int64, error) {
	rows, err := list[ChatEntry](ctx, d, "chats of "+accountID, `SELECT m.*, e.chat_id, e.unread FROM chats c JOIN chat_entries e ON e.chat_id = c.id
		JOIN chat_messages m ON m.id = e.message_id WHERE `+cond+` LIMIT ?`, accountID, limit)
	if err != nil {
		return 0, err
	}
	for i := range rows {
		// It may be deleted already.
		if err := erase(&rows[i]); err != nil && !errors.Is(err, ErrNotFound) {
			return 0, err
		}
	}
	return int64(len(rows)), nil
}

// eraseLists removes lists with their members and entries.
func eraseLists(ctx context.Context, d *DB, accountID string, limit int) (int64, error) {
	lists, err := list[AccountList](ctx, d, "lists of "+accountID, "SELECT * FROM lists WHERE account_id = ? ORDER BY id LIMIT 1", accountID)
	if err != nil || len(lists) == 0 {
		return 0, err
	}
	n, err := d.RemoveListEntries(ctx, lists[0].ID, limit)
	if err != nil || n >= int64(limit) {
		return n, err
	}
	return int64(limit), d.DeleteList(ctx, &lists[0]) // there may be another
}

func eraseParticipations(ctx context.Context, d *DB, accountID string, limit int) (int64, error) {
	ids, err := list[int64](ctx, d, "conversations of "+accountID, "SELECT id FROM participations WHERE account_id = ? LIMIT ?", accountID, limit)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	if _, err := d.exec(ctx, "erase participants", "DELETE FROM participation_accounts WHERE "+d.inOrder("participation_accounts", "participation_id, account_id", "participation_id IN ?", 0), ids); err != nil {
		return 0, err
	}
	return d.exec(ctx, "erase conversations", "DELETE FROM participations WHERE "+d.inOrder("participations", "id", "id IN ?", 0), ids)
}

// eraseTags removes moderators' tags of a local account, which are in its row
// too.
func eraseTags(ctx context.Context, d *DB, accountID string, _ int) (int64, error) {
	a, err := d.Account(ctx, accountID)
	if err != nil || !a.Local || len(a.Tags) == 0 {
		return 0, err
	}
	_, err = d.exec(ctx, "erase tags", "DELETE FROM account_tags WHERE tag IN ? AND account_id = ?", []string(a.Tags), accountID)
	return 0, err
}

// eraseRelays removes the relay of an erased actor.
func eraseRelays(ctx context.Context, d *DB, accountID string, _ int) (int64, error) {
	_, err := d.exec(ctx, "erase relays", "DELETE FROM relays WHERE account_id <> '' AND account_id = ?", accountID)
	return 0, err
}
