package db

import (
	"context"
	"time"
)

// Card is the preview of a linked page. Its texts are plain, its addresses http
// or https.
type Card struct {
	ID           int64  `gorm:"primaryKey;autoIncrement"`
	Link         string // as statuses have it
	URL          string `gorm:"column:url"` // where it led
	Title        string
	Description  string
	Image        string
	ProviderName string
	ProviderURL  string            `gorm:"column:provider_url"`
	OpenGraph    map[string]string `gorm:"column:opengraph;serializer:json"`
	FetchedAt    Time
}

// CardByLink returns the newest card of a link.
func (d *DB) CardByLink(ctx context.Context, link string) (*Card, error) {
	return one[Card](ctx, d, "card of a link", "SELECT * FROM cards WHERE link = ? ORDER BY id DESC LIMIT 1", link)
}

// Cards returns the cards with these numbers, by number.
func (d *DB) Cards(ctx context.Context, ids []int64) (map[int64]*Card, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := list[Card](ctx, d, "cards", "SELECT * FROM cards WHERE id IN ?", ids)
	out := make(map[int64]*Card, len(rows))
	for i := range rows {
		out[rows[i].ID] = &rows[i]
	}
	return out, err
}

// CreateCard inserts c, sets its number, and clears the failure of its link.
func (d *DB) CreateCard(ctx context.Context, c *Card) error {
	if c.OpenGraph == nil {
		c.OpenGraph = map[string]string{}
	}
	if err := create(ctx, d, c, "create card"); err != nil {
		return err
	}
	_, err := d.exec(ctx, "forget failure", "DELETE FROM card_failures WHERE link = ?", c.Link)
	return err
}

// MarkCardFetched stores that a card is still up to date.
func (d *DB) MarkCardFetched(ctx context.Context, id int64) error {
	_, err := d.exec(ctx, "card refetched", "UPDATE cards SET fetched_at = ? WHERE id = ?", d.Now(), id)
	return err
}

// AttachCard attaches a card to a status, if both exist.
func (d *DB) AttachCard(ctx context.Context, statusID string, cardID int64) error {
	held := ""
	if d.pool.dialect == Postgres {
		held = " FOR KEY SHARE" // deleteCard waits
	}
	_, err := d.exec(ctx, "show card", "UPDATE statuses SET card_id = ? WHERE id = ? AND EXISTS (SELECT 1 FROM cards WHERE id = ?"+held+")", cardID, statusID, cardID)
	return err
}

// DropCard removes a card that its status lost, unless another status shows it.
func (d *DB) DropCard(ctx context.Context, id int64) error { return d.deleteCard(ctx, id) }

// deleteCard removes a card that no status shows. It is held first, so that the
// removal sees who began to show it.
func (d *DB) deleteCard(ctx context.Context, id int64) error {
	if d.pool.dialect == Postgres {
		if _, err := d.exec(ctx, "hold card", "SELECT 1 FROM cards WHERE id = ? FOR UPDATE", id); err != nil {
			return err
		}
	}
	_, err := d.exec(ctx, "delete card", "DELETE FROM cards WHERE id = ? AND NOT EXISTS (SELECT 1 FROM statuses WHERE card_id = ?)", id, id)
	return err
}

// MarkLinkFailed stores that a link gave no card just now.
func (d *DB) MarkLinkFailed(ctx context.Context, link string) error {
	_, err := d.exec(ctx, "card failed", `INSERT INTO card_failures (link, failed_at) VALUES (?, ?)
		ON CONFLICT (link) DO UPDATE SET failed_at = excluded.failed_at`, link, d.Now())
	return err
}

// LinkFailedSince reports whether a link gave no card since a moment.
func (d *DB) LinkFailedSince(ctx context.Context, link string, since Time) (bool, error) {
	return value[bool](ctx, d, "failures of a link", "SELECT EXISTS (SELECT 1 FROM card_failures WHERE link = ? AND failed_at > ?)", link, since)
}

// SweepCards removes up to limit failures older than a day. It reports whether there
// may be more.
func (d *DB) SweepCards(ctx context.Context, limit int) (more bool, err error) {
	return d.sweep(ctx, limit, aged{"card_failures", "link", "failed_at", d.Now().Add(-24 * time.Hour)})
}
