package db

import (
	"context"
	"errors"
)

// checkedReblogs finds invalid reblogs: of another reblog, of a direct or list
// status, of another author's private status, and a federated one of a
// local-only status.
func checkedReblogs() []checked {
	of := func(cond string) string {
		return "t.reblog_of_id IS NOT NULL AND EXISTS (SELECT 1 FROM statuses o WHERE o.id = t.reblog_of_id AND " + cond + ")"
	}
	return []checked{{area: CheckReblogs, table: "statuses", key: []string{"id"}, faults: []fault{
		{column: "reblog_of_id", says: "reblogs what only some may see", repair: removeReblog, excused: underWay("change_reblogs", "j.args ->> 'status_id' = t.reblog_of_id"), wrong: of(
			"(o.visibility IN ('direct', 'list') OR o.visibility = 'private' AND o.account_id <> t.account_id OR o.visibility = 'local' AND t.visibility <> 'local')")},
		{column: "reblog_of_id", says: "reblogs a reblog", repair: removeReblog, wrong: of("o.reblog_of_id IS NOT NULL")},
	}}}
}

func removeReblog(ctx context.Context, tx *DB, key []any) error {
	s, err := one[Status](ctx, tx, "reblog", "SELECT * FROM statuses WHERE id = ?", key...)
	if errors.Is(err, ErrNotFound) {
		return nil // another fault reports it
	}
	if err != nil {
		return err
	}
	return tx.DeleteReblog(ctx, s)
}

// checkedThreads finds replies that do not stand below their parents, and messages
// in no chat.
func checkedThreads() []checked {
	return []checked{{area: CheckThreads, table: "statuses", key: []string{"id"}, faults: []fault{
		// A remote reply to a local status that its author might not see stays apart.
		{column: "in_reply_to_uri", says: "waits for a parent that is here",
			wrong: `t.in_reply_to_uri <> '' AND t.in_reply_to_id IS NULL AND EXISTS (SELECT 1 FROM statuses o
				WHERE o.uri = t.in_reply_to_uri AND o.reblog_of_id IS NULL AND (t.local OR NOT o.local))`,
			repair: joinParent, excused: underWay("adopt_replies", "j.args ->> 'status_id' = (SELECT o.id FROM statuses o WHERE o.uri = t.in_reply_to_uri)")},
		{column: "conversation_id", says: "is in another thread than its parent",
			wrong: `t.in_reply_to_id IS NOT NULL AND t.reblog_of_id IS NULL AND EXISTS (SELECT 1 FROM statuses o
				WHERE o.id = t.in_reply_to_id AND o.conversation_id <> t.conversation_id)`,
			repair: joinThread, excused: underWay("merge_threads", "CAST(j.args ->> 'from' AS BIGINT) IN (t.conversation_id, (SELECT o.conversation_id FROM statuses o WHERE o.id = t.in_reply_to_id))")},
	}}, {area: CheckThreads, table: "chat_messages", key: []string{"id"}, faults: []fault{
		{column: "id", says: "is in no chat", wrong: "NOT EXISTS (SELECT 1 FROM chat_entries e WHERE e.message_id = t.id)", repair: removeMessage},
	}}}
}

// removeMessage removes a message that nobody sees, with its file.
func removeMessage(ctx context.Context, tx *DB, key []any) error {
	m, err := one[ChatMessage](ctx, tx, "message in no chat", "SELECT * FROM chat_messages WHERE id = ?", key...)
	if errors.Is(err, ErrNotFound) {
		return nil // another fault repairs it
	}
	if err != nil {
		return err
	}
	return tx.DeleteChatMessage(ctx, m)
}

// joinParent makes a status reply to the parent it names. The reply is counted
// with the counters.
func joinParent(ctx context.Context, tx *DB, key []any) error {
	if _, err := tx.exec(ctx, "join parent", `UPDATE statuses SET
		in_reply_to_account_id = (SELECT o.account_id FROM statuses o WHERE o.uri = statuses.in_reply_to_uri),
		in_reply_to_id = (SELECT o.id FROM statuses o WHERE o.uri = statuses.in_reply_to_uri), in_reply_to_uri = '' WHERE id = ?`, key...); err != nil {
		return err
	}
	return joinThread(ctx, tx, key)
}

// joinThread merges the thread of a status into that of its parent.
func joinThread(ctx context.Context, tx *DB, key []any) error {
	type threads struct{ Own, Parents int64 }
	t, there, err := optional(value[threads](ctx, tx, "threads", `SELECT t.conversation_id AS own, o.conversation_id AS parents FROM statuses t
		JOIN statuses o ON o.id = t.in_reply_to_id WHERE t.id = ? AND t.conversation_id IS NOT NULL AND o.conversation_id IS NOT NULL`, key...))
	if err != nil || !there {
		return err
	}
	for more := true; more && err == nil; {
		more, err = tx.MergeConversations(ctx, t.Own, t.Parents, checkChunk)
	}
	return err
}
