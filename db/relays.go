package db

import (
	"context"
	"fmt"
)

// RelaysChanged is announced when a relay is followed, answers, follows this
// server, or is left; see Subscribe.
const RelaysChanged = "relays"

// Relay is a server that distributes statuses, and that this server subscribed
// to.
type Relay struct {
	ID  int64  `gorm:"primaryKey;autoIncrement"`
	URL string `gorm:"column:url"` // as an admin named it
	// Plain relays are named by their inbox and get statuses as they are; others
	// are named by their actor and get announces.
	Plain     bool
	AccountID string // its actor; of a plain one "" until it answers
	Inbox     string // of a plain one
	FollowURI string `gorm:"column:follow_uri"` // our Follow
	Pending   bool   // it has not accepted that
	CreatedAt Time   `gorm:"autoCreateTime:false"`
}

// maxRelays bounds the list of relays.
const maxRelays = 1000

// Relays returns the relays, accepted ones first, in the order of their
// requests.
func (d *DB) Relays(ctx context.Context) ([]Relay, error) {
	return list[Relay](ctx, d, "relays", "SELECT * FROM relays ORDER BY pending, id LIMIT ?", maxRelays)
}

// RelayByURL returns the relay with the address that an admin gave.
func (d *DB) RelayByURL(ctx context.Context, url string) (*Relay, error) {
	return d.relay(ctx, "url = ?", url)
}

// RelayByFollow returns the relay of our Follow with this id.
func (d *DB) RelayByFollow(ctx context.Context, uri string) (*Relay, error) {
	return d.relay(ctx, "follow_uri = ?", uri)
}

// RelayByAccount returns the relay with this actor.
func (d *DB) RelayByAccount(ctx context.Context, accountID string) (*Relay, error) {
	return d.relay(ctx, "account_id <> '' AND account_id = ?", accountID)
}

func (d *DB) relay(ctx context.Context, cond, arg string) (*Relay, error) {
	return one[Relay](ctx, d, fmt.Sprintf("relay %s", arg), "SELECT * FROM relays WHERE "+cond, arg)
}

// CreateRelay inserts r. One with this URL already is ErrDuplicate.
func (d *DB) CreateRelay(ctx context.Context, r *Relay) error {
	if r.CreatedAt.IsZero() {
		r.CreatedAt = d.Now()
	}
	if err := create(ctx, d, r, "relay %s", r.URL); err != nil {
		return err
	}
	return d.Announce(ctx, RelaysChanged, "")
}

// UpdateRelay writes the named columns of r.
func (d *DB) UpdateRelay(ctx context.Context, r *Relay, columns ...string) error {
	err := d.writer(ctx).Model(&Relay{}).Where("id = ?", r.ID).Select(columns).Updates(r).Error
	if err != nil {
		return wrap(err, "update relay %s", r.URL)
	}
	return d.Announce(ctx, RelaysChanged, "")
}

// DeleteRelay removes r.
func (d *DB) DeleteRelay(ctx context.Context, r *Relay) error {
	if _, err := d.exec(ctx, "delete relay", "DELETE FROM relays WHERE id = ?", r.ID); err != nil {
		return err
	}
	return d.Announce(ctx, RelaysChanged, "")
}

// RelayInboxes returns the inboxes of the plain relays.
func (d *DB) RelayInboxes(ctx context.Context) ([]string, error) {
	return list[string](ctx, d, "inboxes of relays", "SELECT inbox FROM relays WHERE plain AND NOT pending ORDER BY id LIMIT ?", maxRelays)
}

// RelayFeed describes the relays that get public statuses.
type RelayFeed struct {
	// AccountID is our relay actor if other servers follow it, else "".
	AccountID string
	Plain     bool // there are plain relays
}

// RelayFeed returns the relays that get public statuses; uri is our relay
// actor.
func (d *DB) RelayFeed(ctx context.Context, uri string) (RelayFeed, error) {
	return value[RelayFeed](ctx, d, "who is fed", `SELECT
		COALESCE((SELECT a.id FROM accounts a WHERE a.uri = ?
			AND EXISTS (SELECT 1 FROM follows f WHERE f.target_id = a.id AND NOT f.local AND NOT f.pending)), '') AS account_id,
		EXISTS (SELECT 1 FROM relays r WHERE r.plain AND NOT r.pending) AS plain`, uri)
}
