package db

import "context"

// CountMost is how far the counts of a host go: a host with more costs no more.
const CountMost = 1000

// HostCounts are numbers about a host. Accounts and people are counted up to CountMost;
// CountMost+1 is more than that. Reports are counted whole.
type HostCounts struct {
	Accounts               int64
	Followed               int64 // local accounts that follow one of its accounts
	Followers              int64 // its accounts that follow a local one
	Open, Closed, Resolved int64 // reports about its accounts
}

// CountHost returns the numbers about a host, in one statement.
func (d *DB) CountHost(ctx context.Context, host string) (HostCounts, error) {
	var q selection
	q.add("WITH RECURSIVE ")
	// The next person is looked up in the index, however many follows one has.
	persons := func(name, whose string) {
		const among, first = "(SELECT follower_id FROM follows WHERE host = ? AND host <> '' AND NOT pending AND ", " ORDER BY follower_id LIMIT 1)"
		q.add(name+" (id, n) AS (SELECT "+among+whose+first+", 1 UNION ALL SELECT "+among+whose+" AND follower_id > p.id"+first+", n + 1 FROM "+name+" p WHERE p.id IS NOT NULL AND n <= ?)",
			host, host, CountMost)
	}
	persons("followed", "local = TRUE")
	q.add(", ")
	persons("followers", "local = FALSE")
	q.add(" SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM accounts WHERE domain = ? AND NOT local"+limitOf(CountMost+1)+") x) AS accounts, (SELECT COUNT(id) FROM followed) AS followed, (SELECT COUNT(id) FROM followers) AS followers", host)
	for _, state := range []string{ReportOpen, ReportClosed, ReportResolved} {
		q.add(", COALESCE((SELECT n FROM report_counts WHERE subject = ? AND state = ?), 0) AS "+state, reportsAt(host), state)
	}
	return value[HostCounts](ctx, d, "count host "+host, q.sql.String(), q.args...)
}
