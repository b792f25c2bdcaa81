package db

import "context"

// familiarMost is how many familiar followers of one account are returned.
const familiarMost = 40

// FamiliarFollowers returns, for each of the accounts ids, up to 40 accounts that
// accountID follows and that follow it, by id. Those who hide their follows are left out,
// and all of an account that hides its followers.
func (d *DB) FamiliarFollowers(ctx context.Context, accountID string, ids []string) (map[string][]AccountRef, error) {
	out := make(map[string][]AccountRef, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	type familiar struct {
		TargetID string
		ID       string
		Version  int64
	}
	rows, err := list[familiar](ctx, d, "familiar followers", `SELECT target_id, id, version FROM (
			SELECT x.target_id, a.id, a.version, ROW_NUMBER() OVER (PARTITION BY x.target_id ORDER BY a.id) AS place
			FROM follows m
			JOIN follows x ON x.follower_id = m.target_id AND x.target_id IN ?
			JOIN accounts t ON t.id = x.target_id
			JOIN accounts a ON a.id = m.target_id
			WHERE m.follower_id = ? AND NOT m.pending AND NOT x.pending AND NOT t.hide_followers
			AND NOT a.hide_follows AND NOT a.deactivated AND NOT a.invisible) familiar
		WHERE place <= ? ORDER BY target_id, id`, ids, accountID, familiarMost)
	for _, r := range rows {
		out[r.TargetID] = append(out[r.TargetID], AccountRef{ID: r.ID, Version: r.Version})
	}
	return out, err
}
