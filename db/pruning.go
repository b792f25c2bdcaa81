package db

import "context"

// Prunable returns up to limit ids, above after and below before, of public
// remote statuses without local interest: not favourited, reacted to, bookmarked,
// reported or named by a filter, nor reblogged, answered, addressed or voted on by or
// to a local account. Oldest come first.
func (d *DB) Prunable(ctx context.Context, after, before string, limit int) ([]string, error) {
	return list[string](ctx, d, "posts to prune", `SELECT s.id FROM statuses s
		WHERE s.id > ? AND s.id < ? AND s.reblog_of_id IS NULL AND NOT s.local AND s.visibility IN (?, ?)
		AND NOT EXISTS (SELECT 1 FROM favourites f WHERE f.status_id = s.id)
		AND NOT EXISTS (SELECT 1 FROM bookmarks b WHERE b.status_id = s.id)
		AND NOT EXISTS (SELECT 1 FROM emoji_reactions e WHERE e.status_id = s.id)
		AND NOT EXISTS (SELECT 1 FROM report_statuses r WHERE r.status_id = s.id)
		AND NOT EXISTS (SELECT 1 FROM filter_statuses f WHERE f.status_id = s.id)
		AND NOT EXISTS (SELECT 1 FROM polls p JOIN poll_votes v ON v.poll_id = p.id JOIN accounts a ON a.id = v.account_id
			WHERE p.status_id = s.id AND a.local)
		AND NOT EXISTS (SELECT 1 FROM statuses r WHERE r.reblog_of_id = s.id AND r.local)
		AND NOT EXISTS (SELECT 1 FROM statuses r WHERE r.in_reply_to_id = s.id AND r.local)
		AND NOT EXISTS (SELECT 1 FROM statuses p WHERE p.id = s.in_reply_to_id AND p.local)
		AND NOT EXISTS (SELECT 1 FROM status_recipients r JOIN accounts a ON a.id = r.account_id WHERE r.status_id = s.id AND a.local)
		ORDER BY s.id LIMIT ?`, after, before, Public, Unlisted, limit)
}

// ForgetTombstone allows a deleted remote status to be stored again, since it
// still exists at its server.
func (d *DB) ForgetTombstone(ctx context.Context, uri string) error {
	_, err := d.exec(ctx, "forget tombstone", "DELETE FROM tombstones WHERE uri = ?", uri)
	return err
}
