package db

import "context"

// PostCounts counts statuses by whom they are addressed to. Statuses for this
// server alone are private, posts to lists, chat messages and votes are direct,
// and reblogs are none.
type PostCounts struct{ Public, Unlisted, Private, Direct int64 }

// CountPosts counts the statuses of these servers, whose host is "" for this one;
// of all for none. Triggers keep the counts, exactly, in the transactions that
// change them.
func (d *DB) CountPosts(ctx context.Context, hosts ...string) (PostCounts, error) {
	q := &selection{}
	q.add(`SELECT CAST(COALESCE(SUM(CASE WHEN visibility = 'public' THEN n ELSE 0 END), 0) AS BIGINT) AS public,
		CAST(COALESCE(SUM(CASE WHEN visibility = 'unlisted' THEN n ELSE 0 END), 0) AS BIGINT) AS unlisted,
		CAST(COALESCE(SUM(CASE WHEN visibility = 'private' THEN n ELSE 0 END), 0) AS BIGINT) AS private,
		CAST(COALESCE(SUM(CASE WHEN visibility = 'direct' THEN n ELSE 0 END), 0) AS BIGINT) AS direct
		FROM status_tallies_now`)
	if len(hosts) > 0 {
		q.add(` WHERE host IN ?`, hosts)
	}
	return value[PostCounts](ctx, d, "count posts", q.sql.String(), q.args...)
}

// FoldTallies adds up what those who posted wrote down, so that counting stays
// quick. On SQLite, where one writes at a time, the sums are kept at once.
func (d *DB) FoldTallies(ctx context.Context) error {
	if d.Dialect() != Postgres {
		return nil
	}
	// Of two processes that do so at once, the second finds nothing left.
	_, err := d.exec(ctx, "add up tallies", `WITH gone AS (DELETE FROM status_tally_changes RETURNING host, visibility, n)
		INSERT INTO status_tallies (host, visibility, n) SELECT host, visibility, SUM(n) FROM gone GROUP BY host, visibility ORDER BY host, visibility
		ON CONFLICT (host, visibility) DO UPDATE SET n = status_tallies.n + EXCLUDED.n`)
	return err
}
