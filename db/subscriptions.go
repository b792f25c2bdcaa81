package db

import "context"

// PutSubscription subscribes an account to the statuses of target, byFollow or by itself.
// Of an existing subscription only that changes.
func (d *DB) PutSubscription(ctx context.Context, accountID, targetID string, byFollow bool) error {
	return d.execLater(ctx, "subscribe", `INSERT INTO subscriptions (account_id, target_id, by_follow, created_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (account_id, target_id) DO UPDATE SET by_follow = excluded.by_follow`, accountID, targetID, byFollow, d.Now())
}

// DeleteSubscription ends a subscription; none is no error.
func (d *DB) DeleteSubscription(ctx context.Context, accountID, targetID string) error {
	return d.execLater(ctx, "unsubscribe", "DELETE FROM subscriptions WHERE account_id = ? AND target_id = ?", accountID, targetID)
}

// Subscriber is an account to notify of another's status.
type Subscriber struct {
	AccountID string
	ByFollow  bool // notified as NotifyStatus; the others as NotifyMention
}

// Subscribers returns up to limit subscribers, with ids above after, of the author of a
// status; of a private one, only those who follow the author. Those by a follow that
// waits for its answer, or whom the status addresses, are left out.
func (d *DB) Subscribers(ctx context.Context, of *Status, after string, limit int) ([]Subscriber, error) {
	var q selection
	q.add(`SELECT s.account_id, s.by_follow FROM subscriptions s WHERE s.target_id = ?`, of.AccountID)
	if after != "" {
		q.add(` AND s.account_id > ?`, after)
	}
	q.add(` AND (`)
	if of.Visibility != Private {
		q.add(`NOT s.by_follow OR `)
	}
	q.add(`EXISTS (SELECT 1 FROM follows f WHERE f.follower_id = s.account_id AND f.target_id = ? AND NOT f.pending))
		AND NOT (s.by_follow AND EXISTS (SELECT 1 FROM status_recipients r WHERE r.status_id = ? AND r.account_id = s.account_id))
		ORDER BY s.account_id LIMIT ?`, of.AccountID, of.ID, limit)
	return list[Subscriber](ctx, d, "subscribers of "+of.AccountID, q.sql.String(), q.args...)
}
