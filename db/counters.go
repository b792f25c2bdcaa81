package db

import "context"

// A Miscount is a counter that differs from the rows it counts.
type Miscount struct {
	Counter string // table and column
	ID      string // of the row; of a tally, its key
	Kept    int64
	Counted int64
}

// mostMiscounts bounds the reported miscounts of one counter.
const mostMiscounts = 100

// tallied maps a visibility to the one that it is counted under.
const tallied = "CASE visibility WHEN 'local' THEN 'private' WHEN 'list' THEN 'direct' ELSE visibility END"

// counters are statements for id, stored and counted value. Counts that other
// servers give for their own accounts and polls are not checked. A deleted
// account has no counts, and the accounts that a deactivated one follows do not
// count it.
var counters = []struct{ name, query string }{
	{"accounts.followers_count", `SELECT a.id, a.followers_count AS kept,
		(SELECT COUNT(*) FROM follows f WHERE f.target_id = a.id AND NOT f.pending) AS counted ` + countedAccounts},
	{"accounts.following_count", `SELECT a.id, a.following_count AS kept,
		(SELECT COUNT(*) FROM follows f JOIN accounts t ON t.id = f.target_id WHERE f.follower_id = a.id AND NOT f.pending AND NOT t.deactivated) AS counted ` + countedAccounts},
	{"accounts.statuses_count", `SELECT a.id, a.statuses_count AS kept, (SELECT COUNT(*) FROM statuses s
		WHERE s.account_id = a.id AND s.reblog_of_id IS NULL AND s.visibility IN ('public', 'unlisted', 'local')) AS counted ` + countedAccounts},
	{"statuses.replies_count", `SELECT s.id, s.replies_count AS kept, (SELECT COUNT(*) FROM statuses r
		WHERE r.in_reply_to_id = s.id AND r.visibility IN ('public', 'unlisted', 'local')) AS counted FROM statuses s WHERE s.reblog_of_id IS NULL`},
	{"statuses.reblogs_count", `SELECT s.id, s.reblogs_count AS kept, (SELECT COUNT(*) FROM statuses r
		WHERE r.reblog_of_id = s.id) AS counted FROM statuses s WHERE s.reblog_of_id IS NULL`},
	{"statuses.favourites_count", `SELECT s.id, s.favourites_count AS kept, (SELECT COUNT(*) FROM favourites f
		WHERE f.status_id = s.id) AS counted FROM statuses s WHERE s.reblog_of_id IS NULL`},
	{"polls.voters_count", `SELECT CAST(p.id AS TEXT) AS id, p.voters_count AS kept, (SELECT COUNT(DISTINCT v.account_id) FROM poll_votes v
		WHERE v.poll_id = p.id) AS counted FROM polls p JOIN statuses s ON s.id = p.status_id WHERE s.local`},
	{"account_tallies", tallyOf("SELECT CAST(mask AS TEXT) AS id, n FROM account_tallies", "SELECT CAST(mask AS TEXT) AS id FROM accounts")},
	{"report_tallies", tallyOf("SELECT state AS id, n FROM report_tallies", "SELECT state AS id FROM reports")},
	{"app_tallies", tallyOf("SELECT CAST(trusted AS TEXT) AS id, n FROM app_tallies", "SELECT CAST(trusted AS TEXT) AS id FROM apps")},
	{"status_tallies", tallyOf("SELECT host || ' ' || visibility AS id, n FROM status_tallies_now",
		"SELECT host || ' ' || "+tallied+` AS id FROM statuses WHERE reblog_of_id IS NULL
		UNION ALL SELECT COALESCE(a.host, '') || ' direct' FROM chat_messages m LEFT JOIN account_hosts a ON a.id = m.account_id
		UNION ALL SELECT COALESCE(a.host, '') || ' direct' FROM poll_votes v LEFT JOIN account_hosts a ON a.id = v.account_id`)},
}

const countedAccounts = "FROM accounts a WHERE a.local AND NOT EXISTS (SELECT 1 FROM deletions d WHERE d.account_id = a.id)"

// tallyOf compares tallies, of id and n, with the rows of their ids.
func tallyOf(kept, rows string) string {
	return "SELECT id, CAST(SUM(kept) AS BIGINT) AS kept, CAST(SUM(counted) AS BIGINT) AS counted FROM (SELECT id, n AS kept, 0 AS counted FROM (" + kept +
		") k UNION ALL SELECT id, 0, COUNT(*) FROM (" + rows + ") r GROUP BY id) b GROUP BY id"
}

// Miscounts counts the rows behind every counter and returns the counters that
// differ, up to 100 of a kind. It reads all tables. Others may write meanwhile,
// since each counter is compared in one statement.
func (d *DB) Miscounts(ctx context.Context) ([]Miscount, error) {
	var out []Miscount
	for _, c := range counters {
		rows, err := list[Miscount](ctx, d, "miscounts", "SELECT ? AS counter, id, kept, counted FROM ("+c.query+") c WHERE kept <> counted ORDER BY id"+limitOf(mostMiscounts), c.name)
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
	}
	return out, nil
}
