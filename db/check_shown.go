package db

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// listColumns are the columns that are read as Slice, by table: a row with another
// value in one is left out of everything.
var listColumns = map[string]map[string]string{
	"statuses":      {"mentions": "object", "tags": "string", "emojis": "object", "to_uris": "string", "cc_uris": "string", "reactions": "object"},
	"accounts":      {"fields": "object", "fields_html": "object", "emojis": "object", "tags": "string", "also_known_as": "string"},
	"polls":         {"options": "object"},
	"announcements": {"mentions": "object", "statuses": "object", "tags": "string", "emojis": "object", "reactions": "object"},
	"chat_messages": {"emojis": "object"},
	"status_edits":  {"emojis": "object", "files": "object", "options": "string"},
}

// listOf is the JSON text of a list, NULL where a column holds anything else: what SQL
// reads elements of.
func (d *DB) listOf(column string) string {
	if d.pool.dialect == Postgres {
		return "json_list(" + column + ")"
	}
	return "CASE WHEN json_valid(" + column + ") AND json_type(" + column + ") = 'array' THEN " + column + " END"
}

// elements are the elements of a list as rows x with a value and a place, from 0.
func (d *DB) elements(column string) string {
	if d.pool.dialect == Postgres {
		return "(SELECT e.value, e.place - 1 AS place FROM jsonb_array_elements(" + d.listOf(column) + ") WITH ORDINALITY e (value, place)) x"
	}
	return "(SELECT e.value, e.key AS place, e.type FROM json_each(" + d.listOf(column) + ") e) x"
}

// member is a member of the element x of a list, NULL where that is no object.
func (d *DB) member(name string) string {
	if d.pool.dialect == Postgres {
		return "(x.value ->> '" + name + "')"
	}
	return "(CASE WHEN x.type = 'object' THEN x.value ->> '" + name + "' END)"
}

// brokenLists are the faults of columns that are no lists, or lists of something else.
func (d *DB) brokenLists(table string) (out []fault) {
	for _, column := range slices.Sorted(maps.Keys(listColumns[table])) {
		kind := "jsonb_typeof(x.value) <> '" + listColumns[table][column] + "'"
		if d.pool.dialect == SQLite {
			kind = "x.type <> '" + strings.ReplaceAll(listColumns[table][column], "string", "text") + "'"
		}
		of := "t." + column
		out = append(out, fault{column: column, says: "is no list as it should be, so that the row is left out", cannot: "the value has to come from a backup",
			wrong: of + " NOT IN ('', '[]') AND (" + d.listOf(of) + " IS NULL OR EXISTS (SELECT 1 FROM " + d.elements(of) + " WHERE " + kind + "))"})
	}
	return out
}

// checkedShown compares rows with what people see of them elsewhere: on timelines of
// those who are mentioned, in searches, on profiles and at other servers.
func (d *DB) checkedShown(o CheckOptions) []checked {
	const (
		gone      = "EXISTS (SELECT 1 FROM deletions e WHERE e.account_id = t.id)"
		older     = "b.created_at >= t.created_at"
		ofTarget  = "EXISTS (SELECT 1 FROM blocks b WHERE b.account_id = t.target_id AND b.target_id = t.follower_id"
		ofItself  = "EXISTS (SELECT 1 FROM blocks b WHERE b.account_id = t.follower_id AND b.target_id = t.target_id"
		reindexed = "EXISTS (SELECT 1 FROM meta m WHERE m.key = "
	)
	indexed := "EXISTS (SELECT 1 FROM status_search x WHERE x.status_id = t.id)"
	nick := "split_part(t.nickname_key, '@', 1)"
	if d.pool.dialect == SQLite {
		indexed = "EXISTS (SELECT 1 FROM status_docs o JOIN status_search x ON x.rowid = o.doc WHERE o.status_id = t.id)"
		nick = "substr(t.nickname_key, 1, instr(t.nickname_key || '@', '@') - 1)"
	}
	unsearched := fault{column: "content", says: "is found by no search", excused: reindexed + "'reindex_statuses')",
		wrong: "t.reblog_of_id IS NULL AND t.visibility IN ('public', 'unlisted') AND NOT " + indexed, repair: o.indexAgain, cannot: "it is indexed by a repair of the service"}
	if o.Text == nil {
		unsearched.repair = nil
	}
	blocks := ofTarget
	if !o.FollowsOfBlocked {
		blocks += ")"
	} else {
		blocks += " AND " + older + ")"
	}
	if !o.FollowsToBlocked {
		blocks += " OR " + ofItself + " AND " + older + ")"
	}
	named := "EXISTS (SELECT 1 FROM " + d.elements("t.mentions") + " JOIN accounts a ON a.id = " + d.member("id") +
		" WHERE (t.local OR t.visibility IN ('public', 'unlisted') AND a.id <> t.account_id) AND NOT EXISTS (SELECT 1 FROM status_recipients r WHERE r.status_id = t.id AND r.account_id = a.id))"
	statuses := append(d.brokenLists("statuses"),
		fault{column: "mentions", says: "mentions an account that is no recipient", wrong: "t.mentions <> '[]' AND " + named, repair: addRecipients},
		fault{column: "pinned_at", says: "is pinned, and not all may see it", mend: "UPDATE statuses SET pinned_at = NULL",
			wrong: "t.pinned_at IS NOT NULL AND (t.visibility IN ('direct', 'list') OR t.local AND t.visibility = 'private' OR t.reblog_of_id IS NOT NULL)"},
		fault{column: "uri", says: "has no address, so that other servers cannot have it", cannot: "its address has to come from a backup",
			wrong: "t.uri IS NULL AND t.visibility IN ('public', 'unlisted') AND t.reblog_of_id IS NULL"},
		unsearched)
	out := []checked{
		{area: CheckParts, table: "statuses", key: []string{"id"}, faults: statuses},
		{area: CheckParts, table: "accounts", key: []string{"id"}, faults: append(d.brokenLists("accounts"),
			fault{column: "nickname", says: "is found by no search", repair: indexNames, excused: reindexed + "'reindex_accounts')",
				wrong: "t.nickname_key <> '' AND NOT " + gone + " AND NOT EXISTS (SELECT 1 FROM account_words w WHERE w.account_id = t.id AND w.word = " + nick + ")"})},
		{area: CheckParts, table: "follows", key: []string{"follower_id", "target_id"}, faults: []fault{
			{column: "target_id", says: "is beside a block", wrong: blocks, repair: cutBlocked}}},
		{area: CheckParts, table: "tombstones", key: []string{"uri"}, faults: []fault{
			{column: "uri", says: "says that a status is deleted, which is there", mend: "DELETE FROM tombstones",
				wrong: "EXISTS (SELECT 1 FROM statuses s WHERE s.uri = t.uri)"}}},
	}
	for _, table := range []string{"polls", "chat_messages", "status_edits", "announcements"} {
		out = append(out, checked{area: CheckParts, table: table, key: []string{"id"}, faults: d.brokenLists(table)})
	}
	return out
}

// addRecipients makes the mentioned accounts of a status recipients.
func addRecipients(ctx context.Context, tx *DB, key []any) error {
	s, err := one[Status](ctx, tx, "status", "SELECT * FROM statuses WHERE id = ?", key...)
	if err != nil {
		return err
	}
	for _, m := range s.Mentions {
		if _, err := tx.exec(ctx, "add recipient", "INSERT INTO status_recipients (status_id, account_id, mentioned) SELECT CAST(? AS TEXT), id, TRUE FROM accounts WHERE id = ? ON CONFLICT DO NOTHING", s.ID, m.ID); err != nil {
			return err
		}
	}
	return nil
}

// indexAgain indexes a status for searches.
func (o CheckOptions) indexAgain(ctx context.Context, tx *DB, key []any) error {
	s, err := one[Status](ctx, tx, "status to index", "SELECT * FROM statuses WHERE id = ?", key...)
	if err != nil {
		return err
	}
	return tx.IndexStatus(ctx, s, o.Text(s))
}

func indexNames(ctx context.Context, tx *DB, key []any) error {
	a, err := tx.Account(ctx, key[0].(string))
	if err != nil {
		return err
	}
	return tx.indexAccount(ctx, a, false)
}

// cutBlocked ends a follow. Counters and home timelines are mended after it.
func cutBlocked(ctx context.Context, tx *DB, key []any) error {
	f, err := tx.Follow(ctx, key[0].(string), key[1].(string))
	if err != nil {
		return err
	}
	return tx.DeleteFollow(ctx, f)
}

// checkedVotes compares the counts of a local poll with its votes. The votes of deleted
// accounts stay counted, for their options and among the voters alike: where one of
// both equals the votes that are there, nobody is deleted, and the other is wrong.
func (d *DB) checkedVotes() []fault {
	const (
		local  = "EXISTS (SELECT 1 FROM statuses s WHERE s.id = t.status_id AND s.local) AND "
		voters = "(SELECT COUNT(DISTINCT v.account_id) FROM poll_votes v WHERE v.poll_id = t.id)"
		votes  = "(SELECT COUNT(*) FROM poll_votes v WHERE v.poll_id = t.id AND v.choice = x.place)"
	)
	count := "CAST(" + d.member("votes") + " AS BIGINT)"
	forgotten := underWay("forget_votes", "CAST(j.args ->> 'poll_id' AS BIGINT) = t.id")
	off := func(how string) string {
		return "EXISTS (SELECT 1 FROM " + d.elements("t.options") + " WHERE " + count + " " + how + " " + votes + ")"
	}
	sum := "(SELECT COALESCE(SUM(" + count + "), 0) FROM " + d.elements("t.options") + ")"
	return []fault{
		{column: "voters_count", kept: "t.voters_count", counted: voters, excused: forgotten,
			wrong: local + "(t.voters_count < " + voters + " OR t.voters_count <> " + voters + " AND NOT " + off("<>") + ")",
			mend:  "UPDATE polls SET voters_count = " + strings.ReplaceAll(voters, "t.", "polls.")},
		{column: "options", says: "counts other votes than there are", excused: forgotten, repair: recountVotes,
			wrong: local + "(" + off("<") + " OR " + off("<>") + " AND t.voters_count = " + voters + ")"},
		{column: "options", says: "counts other votes than voters, and some are of deleted accounts", excused: forgotten, cannot: "nobody knows any more how those voted",
			wrong: local + "NOT t.multiple AND t.voters_count > " + voters + " AND " + off("<>") + " AND NOT " + off("<") + " AND t.voters_count <> " + sum},
	}
}

// recountVotes counts the votes of each option anew.
func recountVotes(ctx context.Context, tx *DB, key []any) error {
	p, err := one[Poll](ctx, tx, "poll", "SELECT * FROM polls WHERE id = ?", key...)
	if err != nil {
		return err
	}
	type votes struct{ Choice, N int }
	rows, err := list[votes](ctx, tx, "votes", "SELECT choice, COUNT(*) AS n FROM poll_votes WHERE poll_id = ? GROUP BY choice", key...)
	if err != nil {
		return err
	}
	for i := range p.Options {
		p.Options[i].Votes = 0
	}
	for _, v := range rows {
		if v.Choice >= 0 && v.Choice < len(p.Options) {
			p.Options[v.Choice].Votes = v.N
		}
	}
	if _, err := tx.exec(ctx, "recount votes", "UPDATE polls SET options = ? WHERE id = ?", append([]any{p.Options}, key...)...); err != nil {
		return err
	}
	err = tx.TouchStatus(ctx, p.StatusID)
	if err != nil {
		err = fmt.Errorf("poll %s: %w", strconv.FormatInt(p.ID, 10), err)
	}
	return err
}
