package db

import (
	"context"
	"strings"
)

// Counts that other servers give for their own accounts and polls are not
// checked. A deleted account has no counts, and followers stop to count a
// deactivated one by and by, as their follows say.
const countedAccount = "t.local AND NOT EXISTS (SELECT 1 FROM deletions e WHERE e.account_id = t.id) AND "

// checkedCounters compares the counters of rows with the rows that they count.
func (d *DB) checkedCounters() []checked {
	accounts := func(column, counted string) fault {
		return counter("accounts", column, countedAccount, "(SELECT COUNT(*) FROM "+counted+")")
	}
	statuses := func(column, counted string) fault {
		return counter("statuses", column, "t.reblog_of_id IS NULL AND ", "(SELECT COUNT(*) FROM "+counted+")")
	}
	const (
		unread    = "(SELECT COUNT(*) FROM chat_entries e WHERE e.chat_id = t.id AND e.unread)"
		reactions = "(SELECT COUNT(*) FROM emoji_reactions e WHERE e.status_id = t.id)"
		announced = "(SELECT COUNT(*) FROM announcement_reactions e WHERE e.announcement_id = t.id)"
	)
	sum := "(SELECT COALESCE(SUM(CAST(" + d.member("count") + " AS BIGINT)), 0) FROM " + d.elements("t.reactions") + ")"
	return []checked{
		{area: CheckCounters, table: "accounts", key: []string{"id"}, chunk: countChunk, faults: []fault{
			accounts("followers_count", "follows f WHERE f.target_id = t.id AND NOT f.pending"),
			accounts("following_count", "follows f WHERE f.follower_id = t.id AND NOT f.pending AND NOT f.uncounted"),
			accounts("statuses_count", "statuses s WHERE s.account_id = t.id AND s.reblog_of_id IS NULL AND s.visibility IN ('public', 'unlisted', 'local')"),
		}},
		{area: CheckCounters, table: "statuses", key: []string{"id"}, chunk: countChunk, faults: []fault{
			statuses("replies_count", "statuses r WHERE r.in_reply_to_id = t.id AND r.visibility IN ('public', 'unlisted', 'local')"),
			statuses("reblogs_count", "statuses r WHERE r.reblog_of_id = t.id"),
			statuses("favourites_count", "favourites f WHERE f.status_id = t.id"),
			{column: "reactions", kept: sum, counted: reactions, wrong: sum + " <> " + reactions, repair: recountReactions},
		}},
		{area: CheckCounters, table: "announcements", key: []string{"id"}, chunk: countChunk, faults: []fault{
			{column: "reactions", kept: sum, counted: announced, wrong: sum + " <> " + announced, repair: recountAnnouncement},
		}},
		{area: CheckCounters, table: "polls", key: []string{"id"}, chunk: countChunk, faults: d.checkedVotes()},
		{area: CheckCounters, table: "chats", key: []string{"id"}, chunk: countChunk, faults: []fault{counter("chats", "unread", "", unread)}},
	}
}

// counter is the fault of a column that differs from counted.
func counter(table, column, when, counted string) fault {
	return fault{column: column, wrong: when + "t." + column + " <> " + counted, kept: "t." + column, counted: counted,
		mend: "UPDATE " + table + " SET " + column + " = " + strings.ReplaceAll(counted, "t.", table+".")}
}

// recountReactions counts the reactions to a status anew.
func recountReactions(ctx context.Context, tx *DB, key []any) error {
	counts, err := list[ReactionCount](ctx, tx, "reactions", "SELECT emoji, COUNT(*) AS count FROM emoji_reactions WHERE status_id = ? GROUP BY emoji ORDER BY MIN(id)", key...)
	if err != nil {
		return err
	}
	_, err = tx.exec(ctx, "count reactions", "UPDATE statuses SET reactions = ? WHERE id = ?", append([]any{Slice[ReactionCount](counts)}, key...)...)
	return err
}
