package db

import (
	"context"
	"maps"
	"slices"
	"strconv"
)

// The timelines that have a marker.
const (
	MarkHome          = "home"
	MarkNotifications = "notifications"
)

// unseenCounted bounds the count of unseen notifications.
const unseenCounted = 5000

// unseenOf counts the unseen notifications of the account in column.
func unseenOf(column string) string {
	return `(SELECT COUNT(*) FROM (SELECT 1 FROM notifications n WHERE n.account_id = ` + column + ` AND NOT n.seen` + limit(unseenCounted, 0) + `) pg)`
}

// Marker is the position up to which an account has read a timeline.
type Marker struct {
	AccountID  string `gorm:"primaryKey"`
	Timeline   string `gorm:"primaryKey"`
	LastReadID string
	Version    int64 // counts the changes, from 1
	UpdatedAt  Time  `gorm:"autoUpdateTime:false"`
	// Unseen counts the unseen notifications, up to 5000, on their timeline; it is
	// 0 on others.
	Unseen int64 `gorm:"->"`
}

// Markers returns the existing markers of an account for these timelines.
func (d *DB) Markers(ctx context.Context, accountID string, timelines []string) ([]Marker, error) {
	if len(timelines) == 0 {
		return nil, nil
	}
	return list[Marker](ctx, d, "markers of "+accountID, `SELECT m.*, CASE WHEN m.timeline = ? THEN `+unseenOf("m.account_id")+` ELSE 0 END AS unseen
		FROM markers m WHERE m.account_id = ? AND m.timeline IN ? ORDER BY m.timeline`, MarkNotifications, accountID, timelines)
}

// keepMarker inserts a marker, or moves it forward, never back: of two clients,
// the one that has read less may be the later. Of two numbers the longer one is
// greater.
const keepMarker = `INSERT INTO markers (account_id, timeline, last_read_id, updated_at) VALUES (?, ?, ?, ?)
	ON CONFLICT (account_id, timeline) DO UPDATE SET last_read_id = excluded.last_read_id, version = markers.version + 1, updated_at = excluded.updated_at
	WHERE LENGTH(markers.last_read_id) < LENGTH(excluded.last_read_id)
		OR LENGTH(markers.last_read_id) = LENGTH(excluded.last_read_id) AND markers.last_read_id < excluded.last_read_id`

// SetMarkers moves an account's markers forward to the last read ids, by
// timeline, all or none. A deactivated account is ErrNotFound.
func (d *DB) SetMarkers(ctx context.Context, accountID string, read map[string]string) error {
	return d.Tx(ctx, func(tx *DB) error {
		if err := tx.KeepAccounts(ctx, accountID); err != nil {
			return err
		}
		for _, timeline := range slices.Sorted(maps.Keys(read)) {
			if _, err := tx.exec(ctx, "set marker", keepMarker, accountID, timeline, read[timeline], tx.Now()); err != nil {
				return err
			}
		}
		return nil
	})
}

// followSeen moves the marker of notifications forward to a seen one.
func (d *DB) followSeen(ctx context.Context, accountID string, id int64) error {
	if err := d.KeepAccounts(ctx, accountID); err != nil {
		return err
	}
	_, err := d.exec(ctx, "move marker", keepMarker, accountID, MarkNotifications, strconv.FormatInt(id, 10), d.Now())
	return err
}

// UnseenNotifications counts the unseen notifications of an account, up to
// 5000.
func (d *DB) UnseenNotifications(ctx context.Context, accountID string) (int, error) {
	return value[int](ctx, d, "unseen notifications of "+accountID, "SELECT "+unseenOf("?"), accountID)
}

// SetNotificationSettings changes an account's notification settings, all or
// none; nil keeps a value.
func (d *DB) SetNotificationSettings(ctx context.Context, accountID string, blockFromStrangers, hideContents *bool) error {
	return d.Tx(ctx, func(tx *DB) error {
		for _, s := range []struct {
			column string
			value  *bool
		}{{"block_from_strangers", blockFromStrangers}, {"hide_notification_contents", hideContents}} {
			if s.value == nil {
				continue
			}
			n, err := tx.exec(ctx, "change notification settings", "UPDATE users SET "+s.column+" = ? WHERE account_id = ?", *s.value, accountID)
			if err == nil && n == 0 {
				err = notFound("user %s", accountID)
			}
			if err != nil {
				return err
			}
		}
		return tx.Announce(ctx, AccountChanged, accountID)
	})
}
