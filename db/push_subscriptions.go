package db

import (
	"context"
	"slices"
	"strings"
)

// The policies of push subscriptions, by the sender of a notification.
const (
	PushAll      = "all"
	PushFollowed = "followed" // senders that the account follows
	PushFollower = "follower" // senders that follow the account
	PushNone     = "none"
)

// PushSubscription is a device that an account's notifications are pushed to.
type PushSubscription struct {
	ID          int64
	TokenID     int64
	AccountID   string
	Endpoint    string // anybody who knows it can reach the device
	P256dh      string `gorm:"column:p256dh"`
	Auth        string
	AccessToken string // sealed
	Alerts      string // types of notifications, separated by spaces
	Policy      string
	CreatedAt   Time `gorm:"autoCreateTime:false"`
}

// Wants reports whether notifications of a type are pushed.
func (s *PushSubscription) Wants(kind string) bool {
	return s.Policy != PushNone && slices.Contains(strings.Fields(s.Alerts), kind)
}

// Push is one notification on its way to one subscription.
type Push struct{ SubscriptionID, NotificationID int64 }

// pushes returns the pushes of new notifications, each of an account's.
func (d *DB) pushes(ctx context.Context, kind string, rows []Notification) ([]Push, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	of := make(map[string]int64, len(rows))
	ids := make([]string, len(rows))
	for i := range rows {
		of[rows[i].AccountID], ids[i] = rows[i].ID, rows[i].AccountID
	}
	subscriptions, err := list[PushSubscription](ctx, d, "push subscriptions", "SELECT id, account_id, alerts, policy FROM push_subscriptions WHERE account_id IN ? ORDER BY id", ids)
	if kind == NotifyReport { // pushed without what only the admin API shows
		kind = NotifyAdminReport
	}
	var out []Push
	for i := range subscriptions {
		if s := &subscriptions[i]; s.Wants(kind) {
			out = append(out, Push{SubscriptionID: s.ID, NotificationID: of[s.AccountID]})
		}
	}
	return out, err
}

// maxPushSubscriptions bounds the devices of an account: a new one replaces the
// oldest.
const maxPushSubscriptions = 50

// PutPushSubscription inserts s in place of the one that its token has. A token
// that is gone is ErrNotFound.
func (d *DB) PutPushSubscription(ctx context.Context, s *PushSubscription) error {
	s.CreatedAt = d.Now()
	return d.Tx(ctx, func(tx *DB) error {
		if _, err := value[int64](ctx, tx, "token", "SELECT id FROM tokens WHERE id = ?"+tx.hold(), s.TokenID); err != nil {
			return err
		}
		if _, err := tx.exec(ctx, "replace push subscription", "DELETE FROM push_subscriptions WHERE token_id = ?", s.TokenID); err != nil {
			return err
		}
		if err := create(ctx, tx, s, "create push subscription"); err != nil {
			return err
		}
		_, err := tx.exec(ctx, "trim push subscriptions", `DELETE FROM push_subscriptions WHERE account_id = ? AND id <= (
			SELECT id FROM push_subscriptions WHERE account_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?)`, s.AccountID, s.AccountID, maxPushSubscriptions)
		return err
	})
}

// PushSubscriptionOf returns the push subscription of a token.
func (d *DB) PushSubscriptionOf(ctx context.Context, tokenID int64) (*PushSubscription, error) {
	return one[PushSubscription](ctx, d, "push subscription", "SELECT * FROM push_subscriptions WHERE token_id = ?", tokenID)
}

// PushSubscription returns a push subscription.
func (d *DB) PushSubscription(ctx context.Context, id int64) (*PushSubscription, error) {
	return one[PushSubscription](ctx, d, "push subscription", "SELECT * FROM push_subscriptions WHERE id = ?", id)
}

// ChangePushSubscription sets the alerts and the policy of a token's
// subscription; nil keeps a value.
func (d *DB) ChangePushSubscription(ctx context.Context, tokenID int64, alerts, policy *string) (*PushSubscription, error) {
	return one[PushSubscription](ctx, d.writing(), "change push subscription",
		"UPDATE push_subscriptions SET alerts = COALESCE(?, alerts), policy = COALESCE(?, policy) WHERE token_id = ? RETURNING *", alerts, policy, tokenID)
}

// RenewPushSubscription stores the sealed token that replaces a subscription's.
func (d *DB) RenewPushSubscription(ctx context.Context, tokenID int64, sealed string) error {
	_, err := d.exec(ctx, "renew push subscription", "UPDATE push_subscriptions SET access_token = ? WHERE token_id = ?", sealed, tokenID)
	return err
}

// DeletePushSubscriptionOf removes the push subscription of a token.
func (d *DB) DeletePushSubscriptionOf(ctx context.Context, tokenID int64) error {
	n, err := d.exec(ctx, "delete push subscription", "DELETE FROM push_subscriptions WHERE token_id = ?", tokenID)
	if err == nil && n == 0 {
		err = notFound("push subscription")
	}
	return err
}

// DeletePushSubscription removes a push subscription; none is no error.
func (d *DB) DeletePushSubscription(ctx context.Context, id int64) error {
	_, err := d.exec(ctx, "delete push subscription", "DELETE FROM push_subscriptions WHERE id = ?", id)
	return err
}

// Superseded reports whether an account has a newer notification with the same
// news as n: of the same type, about the same status or, of a chat, from the
// same sender.
func (d *DB) Superseded(ctx context.Context, n *Notification) (bool, error) {
	var q selection
	q.add("SELECT EXISTS (SELECT 1 FROM notifications WHERE account_id = ? AND id > ? AND type = ? AND status_id = ? AND NOT hidden", n.AccountID, n.ID, n.Type, n.StatusID)
	if n.MessageID != "" {
		q.add(" AND from_id = ?", n.FromID)
	}
	q.add(")")
	return value[bool](ctx, d, "newer notification", q.sql.String(), q.args...)
}

// BeginPush notes that a push is handed to its push service now. It is false if it was
// before: the push was sent, or nobody knows, as its process ended meanwhile.
func (d *DB) BeginPush(ctx context.Context, p Push) (bool, error) {
	n, err := d.exec(ctx, "begin a push", "INSERT INTO pushes_sent (subscription_id, notification_id, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", p.SubscriptionID, p.NotificationID, d.Now())
	return n > 0, err
}

// UndoPush takes back BeginPush, since the push was not sent.
func (d *DB) UndoPush(ctx context.Context, p Push) error {
	_, err := d.exec(ctx, "take back a push", "DELETE FROM pushes_sent WHERE subscription_id = ? AND notification_id = ?", p.SubscriptionID, p.NotificationID)
	return err
}

// SweepPushes forgets up to limit pushes that were sent before a moment.
func (d *DB) SweepPushes(ctx context.Context, before Time, limit int) (more bool, err error) {
	n, err := d.exec(ctx, "sweep pushes", `DELETE FROM pushes_sent WHERE (subscription_id, notification_id) IN
		(SELECT subscription_id, notification_id FROM pushes_sent WHERE created_at < ? ORDER BY created_at LIMIT ?)`, before, limit)
	return n == int64(limit), err
}
