package db

import "context"

// PutSubscription subscribes an account to the statuses of target. An existing
// subscription stays.
func (d *DB) PutSubscription(ctx context.Context, accountID, targetID string) error {
	_, err := d.exec(ctx, "subscribe", "INSERT INTO subscriptions (account_id, target_id, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
		accountID, targetID, d.Now())
	return err
}

// DeleteSubscription ends a subscription; none is no error.
func (d *DB) DeleteSubscription(ctx context.Context, accountID, targetID string) error {
	_, err := d.exec(ctx, "unsubscribe", "DELETE FROM subscriptions WHERE account_id = ? AND target_id = ?", accountID, targetID)
	return err
}

// Subscribers returns up to limit ids, above after, of the subscribers of an
// author; with followers, only of those who follow the author.
func (d *DB) Subscribers(ctx context.Context, authorID string, followers bool, after string, limit int) ([]string, error) {
	var q selection
	q.add(`SELECT s.account_id FROM subscriptions s WHERE s.target_id = ?`, authorID)
	if after != "" {
		q.add(` AND s.account_id > ?`, after)
	}
	if followers {
		q.add(` AND EXISTS (SELECT 1 FROM follows f WHERE f.follower_id = s.account_id AND f.target_id = ? AND NOT f.pending)`, authorID)
	}
	q.add(` ORDER BY s.account_id LIMIT ?`, limit)
	return list[string](ctx, d, "subscribers of "+authorID, q.sql.String(), q.args...)
}
