package db

import "context"

// PostCounts counts statuses by visibility. Statuses for this server alone
// count as private; statuses to lists, chat messages and votes as direct.
// Reblogs are not counted.
type PostCounts struct{ Public, Unlisted, Private, Direct int64 }

// CountPosts returns the counts of these servers, "" for this one, or of all
// for none. Triggers keep the counts exact, in the transactions that change
// them.
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

// foldChunk bounds the changes that are added up in one statement.
const foldChunk = 20000

// FoldTallies adds up the changes that were written with each status and account, so
// that counting stays quick. On SQLite, with its one writer, sums are kept directly.
func (d *DB) FoldTallies(ctx context.Context) error {
	if d.Dialect() != Postgres {
		return nil
	}
	// Of two concurrent runs the second finds no rows.
	_, err := d.exec(ctx, "add up tallies", `WITH gone AS (DELETE FROM status_tally_changes RETURNING host, visibility, n)
		INSERT INTO status_tallies (host, visibility, n) SELECT host, visibility, SUM(n) FROM gone GROUP BY host, visibility ORDER BY host, visibility
		ON CONFLICT (host, visibility) DO UPDATE SET n = status_tallies.n + EXCLUDED.n`)
	for _, t := range []struct{ table, changes, columns string }{
		{"account_tallies", "account_tally_changes", "mask"},
		{"account_facet_tallies", "account_facet_changes", "facet, mask"},
	} {
		for more := err == nil; more; {
			if _, err = d.exec(ctx, "add up tallies", "WITH gone AS (DELETE FROM "+t.changes+" WHERE ctid IN (SELECT ctid FROM "+t.changes+limitOf(foldChunk)+") RETURNING "+t.columns+", n) "+
				"INSERT INTO "+t.table+" ("+t.columns+", n) SELECT "+t.columns+", SUM(n) FROM gone GROUP BY "+t.columns+" HAVING SUM(n) <> 0 ORDER BY "+t.columns+
				" ON CONFLICT ("+t.columns+") DO UPDATE SET n = "+t.table+".n + EXCLUDED.n"); err != nil {
				return err
			}
			// As many as one statement takes, or more, are the changes of a burst.
			more, err = value[bool](ctx, d.writing(), "changes of tallies", "SELECT EXISTS (SELECT 1 FROM "+t.changes+" OFFSET ?)", foldChunk)
		}
	}
	return err
}
