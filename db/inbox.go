package db

import (
	"context"
	"fmt"
)

// InboxItem is an activity that another server sent, until it is worked off.
type InboxItem struct {
	ID         int64 `gorm:"primaryKey;autoIncrement"`
	SignerID   string
	Actor      string // as it says
	Host       string // the signer's
	OwnerID    string // whose inbox; "" is the shared one
	Body       []byte
	Attempt    int
	NextAt     Time
	ClaimedBy  string // the process that works it off
	Error      string
	ReceivedAt Time
}

// KeepInboxItems inserts items, and gives them their ids.
func (d *DB) KeepInboxItems(ctx context.Context, items []*InboxItem) error {
	if len(items) == 0 {
		return nil
	}
	return wrap(d.writer(ctx).Create(items).Error, "keep activities of others")
}

// EndInboxItem removes an item that a process has claimed. One that is no longer
// its own, or gone, is ErrNotFound.
func (d *DB) EndInboxItem(ctx context.Context, id int64, claimedBy string) error {
	n, err := d.exec(ctx, "end inbox item", "DELETE FROM inbox_items WHERE id = ? AND claimed_by = ?", id, claimedBy)
	if err == nil && n == 0 {
		err = fmt.Errorf("inbox item %d of %q: %w", id, claimedBy, ErrNotFound)
	}
	return err
}

// SeeActivity keeps that the activity with this id was worked off, and tells
// whether that is new.
func (d *DB) SeeActivity(ctx context.Context, uri string) (fresh bool, err error) {
	n, err := d.exec(ctx, "see activity", "INSERT INTO seen_activities (uri, seen_at) VALUES (?, ?) ON CONFLICT DO NOTHING", uri, d.Now())
	return n > 0, err
}

// SeenActivity tells whether the activity with this id was worked off.
func (d *DB) SeenActivity(ctx context.Context, uri string) (bool, error) {
	var found bool
	err := d.reader(ctx).Raw("SELECT EXISTS (SELECT 1 FROM seen_activities WHERE uri = ?)", uri).Row().Scan(&found)
	return found, wrap(err, "seen activity")
}

// Undo keeps that an actor undid or deleted what was not here, so that it is
// dropped when it comes. uri is its id.
func (d *DB) Undo(ctx context.Context, uri, actor string) error {
	_, err := d.exec(ctx, "keep what was undone", `INSERT INTO undone (uri, actor, at) VALUES (?, ?, ?)
		ON CONFLICT (uri, actor) DO UPDATE SET at = excluded.at`, uri, actor, d.Now())
	return err
}

// Undone tells whether an actor undid or deleted what has this id, before it
// came.
func (d *DB) Undone(ctx context.Context, uri, actor string) (bool, error) {
	var found bool
	err := d.reader(ctx).Raw("SELECT EXISTS (SELECT 1 FROM undone WHERE uri = ? AND actor = ?)", uri, actor).Row().Scan(&found)
	return found, wrap(err, "undone %s", uri)
}

// FollowByURI returns the follow that an activity with this id asked for.
func (d *DB) FollowByURI(ctx context.Context, uri string) (*Follow, error) {
	var f Follow
	err := d.reader(ctx).Raw("SELECT * FROM follows WHERE uri = ? AND uri <> '' LIMIT 1", uri).Take(&f).Error
	return &f, wrap(err, "follow %s", uri)
}
