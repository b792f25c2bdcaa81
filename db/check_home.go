package db

import (
	"context"
	"fmt"
)

// checkedNewest is how many of the newest statuses of an author are looked for
// on the home timeline of each follower.
const checkedNewest = 1000

// checkedHome compares home timelines with accounts, lists and follows. Entries
// without a status are no fault, since they are swept.
func (d *DB) checkedHome() []checked {
	const (
		owner  = "t.account_id NOT LIKE 'list:%' AND NOT EXISTS (SELECT 1 FROM accounts a WHERE a.local AND a.id = CASE WHEN t.account_id LIKE 'direct:%' THEN substr(t.account_id, 8) ELSE t.account_id END)"
		list   = "t.account_id LIKE 'list:%'"
		number = "CAST(substr(CASE WHEN t.account_id LIKE 'list:%' THEN t.account_id ELSE 'list:0' END, 6) AS BIGINT)"
		author = "EXISTS (SELECT 1 FROM statuses s WHERE s.id = t.status_id AND s.account_id "
		erased = "EXISTS (SELECT 1 FROM deletions e WHERE e.account_id IN (t.account_id, t.author_id))"
	)
	unfollowed := underWay("unfollowed", "j.args ->> 'account_id' = t.account_id AND j.args ->> 'author_id' = t.author_id")
	untagged := underWay("untagged", "j.args ->> 'account_id' = t.account_id")
	settled := underWay("settle", "j.args ->> 'account_id' = t.account_id")
	unlisted := underWay("unlisted", "CAST(j.args ->> 'list_id' AS BIGINT) = "+number)
	return []checked{
		{area: CheckHome, table: "home_entries", key: []string{"account_id", "status_id"}, faults: []fault{
			{column: "account_id", says: "is on the timeline of nobody", wrong: owner, mend: "DELETE FROM home_entries"},
			{column: "account_id", says: "is on the timeline of no list", excused: unlisted, mend: "DELETE FROM home_entries",
				wrong: list + " AND NOT EXISTS (SELECT 1 FROM list_accounts l WHERE l.list_id = " + number + " AND l.account_id = t.author_id) AND " + author + "= t.author_id)"},
			{column: "author_id", says: "names another author than the status", wrong: author + "<> t.author_id)",
				mend: "UPDATE home_entries SET author_id = (SELECT s.account_id FROM statuses s WHERE s.id = home_entries.status_id)"},
			{column: "status_id", says: "is by an author who is not followed", excused: unfollowed + " OR " + untagged + " OR " + settled + " OR " + erased, mend: "DELETE FROM home_entries",
				wrong: fmt.Sprintf(`t.why IN (%d, %d) AND NOT (%s) AND %s= t.author_id)
					AND NOT EXISTS (SELECT 1 FROM follows f WHERE f.follower_id = t.account_id AND f.target_id = t.author_id AND NOT f.pending)
					AND NOT %s`, homeFollowed, homeTagged, list, author, d.tagged("t"))},
		}},
		{area: CheckHome, table: "follows", key: []string{"follower_id", "target_id"}, chunk: countChunk, faults: []fault{
			{column: "target_id", says: "a home timeline lacks a status of whom it follows", repair: addMissingEntries,
				wrong: missingEntries,
				excused: underWay("fan_out", fmt.Sprintf(`j.args ->> 'status_id' IN (SELECT x.id FROM (SELECT s.id FROM statuses s WHERE s.account_id = t.target_id
					ORDER BY s.id DESC LIMIT %d) x)`, checkedNewest)) + " OR " +
					underWay("unfollowed", "j.args ->> 'account_id' = t.follower_id AND j.args ->> 'author_id' = t.target_id") + " OR " +
					underWay("settle", "j.args ->> 'account_id' = t.follower_id")},
		}},
	}
}

// missing selects the statuses that are missing on the home timeline of the
// follow t: newer than the follow, and newer than an entry of the author.
// Reblogs are left out, since the follower may hide them. So are statuses with
// recipients, since they may have been direct before.
var missing = fmt.Sprintf(`(SELECT s.id, s.visibility, s.reblog_of_id FROM statuses s WHERE s.account_id = t.target_id ORDER BY s.id DESC LIMIT %d) n
	WHERE n.id > t.id AND n.reblog_of_id IS NULL AND n.visibility IN ('public', 'unlisted', 'private', 'local')
	AND NOT EXISTS (SELECT 1 FROM home_entries h WHERE h.account_id = t.follower_id AND h.status_id = n.id)
	AND NOT EXISTS (SELECT 1 FROM status_recipients r WHERE r.status_id = n.id)
	AND EXISTS (SELECT 1 FROM home_entries h
		WHERE h.account_id = t.follower_id AND h.status_id < n.id AND h.status_id > t.id AND h.author_id = t.target_id)`, checkedNewest)

var missingEntries = "t.local AND NOT t.pending AND EXISTS (SELECT 1 FROM " + missing + ")"

func addMissingEntries(ctx context.Context, tx *DB, key []any) error {
	_, err := tx.exec(ctx, "add home entries", fmt.Sprintf(`INSERT INTO home_entries (account_id, status_id, author_id, why)
		SELECT t.follower_id, m.id, m.account_id, CAST(%d AS BIGINT) FROM follows t JOIN statuses m ON m.account_id = t.target_id
		WHERE m.id IN (SELECT n.id FROM %s) AND t.follower_id = ? AND t.target_id = ? ON CONFLICT DO NOTHING`, homeFollowed, missing), key...)
	return err
}
