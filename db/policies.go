package db

import "context"

// FollowersAmong returns those of uris that are followers of an account, in no
// order.
func (d *DB) FollowersAmong(ctx context.Context, accountID string, uris []string) ([]string, error) {
	return inChunks(uris, func(uris []string) ([]string, error) {
		return list[string](ctx, d, "followers of "+accountID, `SELECT a.uri FROM accounts a JOIN follows f ON f.follower_id = a.id AND f.target_id = ?
			WHERE a.uri IN ? AND NOT f.pending`, accountID, uris)
	})
}
