package db

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// InboxItem is an activity from another server, until it is processed.
type InboxItem struct {
	ID         int64 `gorm:"primaryKey;autoIncrement"`
	SignerID   string
	Actor      string // as the activity claims
	Host       string // of the signer
	OwnerID    string // the owner of the inbox; "" is the shared one
	Body       []byte // nil if not loaded
	Size       int    // of Body
	Attempt    int
	NextAt     Time
	ClaimedBy  string // the holder that processes it
	Error      string
	ReceivedAt Time
}

// CreateInboxItems inserts items and sets their ids.
func (d *DB) CreateInboxItems(ctx context.Context, items []*InboxItem) error {
	if len(items) == 0 {
		return nil
	}
	return wrap(d.writer(ctx).Create(items).Error, "keep activities of others")
}

// DeleteInboxItem removes an item that a process has claimed. If the claim is
// lost, or the item is gone, it is ErrNotFound.
func (d *DB) DeleteInboxItem(ctx context.Context, id int64, claimedBy string) error {
	n, err := d.exec(ctx, "end inbox item", "DELETE FROM inbox_items WHERE id = ? AND claimed_by = ?", id, claimedBy)
	if err == nil && n == 0 {
		err = fmt.Errorf("inbox item %d of %q: %w", id, claimedBy, ErrNotFound)
	}
	return err
}

// MarkActivitySeen stores that the activity with this id and body hash was
// processed. fresh reports whether that is new; undone, for a fresh one,
// whether its actor undid or deleted it before it came.
func (d *DB) MarkActivitySeen(ctx context.Context, uri, hash, actor string) (undone, fresh bool, err error) {
	return optional(value[bool](ctx, d.writing(), "see activity", `INSERT INTO seen_activities (uri, hash, seen_at) VALUES (?, ?, ?)
		ON CONFLICT DO NOTHING RETURNING EXISTS (SELECT 1 FROM undone u WHERE u.uri = ? AND u.actor = ?)`, uri, hash, d.Now(), uri, actor))
}

// ActivitySeen reports whether the activity with this id and body hash was
// processed.
func (d *DB) ActivitySeen(ctx context.Context, uri, hash string) (bool, error) {
	return value[bool](ctx, d, "seen activity", "SELECT EXISTS (SELECT 1 FROM seen_activities WHERE uri = ? AND hash = ?)", uri, hash)
}

// AddUndone stores that an actor undid or deleted an unknown object, so that
// the object is dropped when it comes late. uri is its id.
func (d *DB) AddUndone(ctx context.Context, uri, actor string) error {
	_, err := d.exec(ctx, "keep what was undone", `INSERT INTO undone (uri, actor, at) VALUES (?, ?, ?)
		ON CONFLICT (uri, actor) DO UPDATE SET at = excluded.at`, uri, actor, d.Now())
	return err
}

// TakeUndone reports whether an actor undid this id before it came, and forgets
// it: activities that may repeat under one id are held back once only.
func (d *DB) TakeUndone(ctx context.Context, uri, actor string) (bool, error) {
	n, err := d.exec(ctx, "take what was undone", "DELETE FROM undone WHERE uri = ? AND actor = ?", uri, actor)
	return n > 0, err
}

// FollowByURI returns the follow with this activity id.
func (d *DB) FollowByURI(ctx context.Context, uri string) (*Follow, error) {
	f, err := value[Follow](ctx, d, "follow "+uri, "SELECT * FROM follows WHERE uri = ? AND uri <> '' LIMIT 1", uri)
	return &f, err
}

// ClaimInboxItems gives a holder up to limit due and unclaimed items, oldest
// first, with bodies of up to small bytes.
func (d *DB) ClaimInboxItems(ctx context.Context, holder string, limit, small int) ([]InboxItem, error) {
	ids, err := list[int64](ctx, d, "due inbox items", "SELECT id FROM inbox_items WHERE claimed_by = '' AND next_at <= ? ORDER BY next_at, id LIMIT ?", d.Now(), limit)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	rows, err := list[InboxItem](ctx, d.writing(), "claim inbox items", `UPDATE inbox_items SET claimed_by = ? WHERE id IN ? AND claimed_by = '' RETURNING id, signer_id, actor, host, owner_id,
		CASE WHEN size <= ? THEN body END AS body, size, attempt, next_at, claimed_by, error, received_at`, holder, ids, small)
	slices.SortFunc(rows, func(a, b InboxItem) int { return cmp.Compare(a.ID, b.ID) })
	return rows, err
}

// InboxBody returns the body of an item.
func (d *DB) InboxBody(ctx context.Context, id int64) ([]byte, error) {
	return value[[]byte](ctx, d, fmt.Sprintf("body of inbox item %d", id), "SELECT body FROM inbox_items WHERE id = ?", id)
}

// PostponeInboxItem schedules another attempt for an item that a process has
// claimed.
func (d *DB) PostponeInboxItem(ctx context.Context, id int64, claimedBy string, at Time, why string) error {
	_, err := d.exec(ctx, "postpone inbox item", `UPDATE inbox_items SET attempt = attempt + 1, next_at = ?, claimed_by = '', error = ?
		WHERE id = ? AND claimed_by = ?`, at, strings.ToValidUTF8(strings.ReplaceAll(why, "\x00", ""), ""), id, claimedBy)
	return err
}

// Load is the number of queued items and their size in bytes.
type Load struct{ Items, Bytes int }

// HostLoad is the load of a host.
type HostLoad struct {
	Host string
	Load
}

// InboxLoad returns the queued load by host.
func (d *DB) InboxLoad(ctx context.Context) ([]HostLoad, error) {
	return list[HostLoad](ctx, d, "count what came in", "SELECT host, COUNT(*) AS items, CAST(SUM(size) AS BIGINT) AS bytes FROM inbox_items GROUP BY host")
}

// InboxItemsOf counts the items of a host, up to most.
func (d *DB) InboxItemsOf(ctx context.Context, host string, most int) (int, error) {
	return value[int](ctx, d, "inbox items of "+host, "SELECT COUNT(*) FROM (SELECT 1 AS one FROM inbox_items WHERE host = ? LIMIT ?) i", host, most)
}

// forget bounds the rows that one statement of a sweep removes.
const forget = 1000

// SweepSeenActivities forgets activities that were processed before a moment.
func (d *DB) SweepSeenActivities(ctx context.Context, before Time) error {
	return d.deleteOlder(ctx, "forget activities", `DELETE FROM seen_activities WHERE (uri, hash) IN (SELECT uri, hash FROM seen_activities WHERE seen_at < ? ORDER BY seen_at LIMIT ?)`, before)
}

// SweepUndone forgets undone ids stored before a moment.
func (d *DB) SweepUndone(ctx context.Context, before Time) error {
	return d.deleteOlder(ctx, "forget what was undone", `DELETE FROM undone WHERE (uri, actor) IN (SELECT uri, actor FROM undone WHERE at < ? ORDER BY at LIMIT ?)`, before)
}

// deleteOlder deletes rows older than before, in bounded statements.
func (d *DB) deleteOlder(ctx context.Context, what, query string, before Time) error {
	for {
		n, err := d.exec(ctx, what, query, before, forget)
		if err != nil || n < forget {
			return err
		}
	}
}

// BlockByURI returns a block by an account: the one with this id, or else the
// one of the target.
func (d *DB) BlockByURI(ctx context.Context, accountID, uri, targetURI string) (*Block, error) {
	return one[Block](ctx, d, "block "+uri, `SELECT * FROM blocks WHERE account_id = ? AND (uri = ? AND uri <> ''
		OR target_id = (SELECT id FROM accounts WHERE uri = ?)) ORDER BY uri = ? DESC LIMIT 1`, accountID, uri, targetURI, uri)
}

// MovedAt returns when an account last moved.
func (d *DB) MovedAt(ctx context.Context, accountID string) (Time, error) {
	return value[Time](ctx, d, "move of "+accountID, "SELECT at FROM moves WHERE account_id = ?", accountID)
}

// Moved stores that an account moves now. If it moved after since, nothing
// changes and it is ErrNotFound.
func (d *DB) Moved(ctx context.Context, accountID, targetID string, since Time) error {
	n, err := d.exec(ctx, "keep move", `INSERT INTO moves (account_id, target_id, at) VALUES (?, ?, ?)
		ON CONFLICT (account_id) DO UPDATE SET target_id = excluded.target_id, at = excluded.at WHERE moves.at <= ?`, accountID, targetID, d.Now(), since)
	if err == nil && n == 0 {
		err = fmt.Errorf("move of %s: %w", accountID, ErrNotFound)
	}
	return err
}

// LocalFollowersAfter returns up to limit ids, above after, of local accounts
// that follow a target or request to.
func (d *DB) LocalFollowersAfter(ctx context.Context, targetID, after string, limit int) ([]string, error) {
	return list[string](ctx, d, "local followers of "+targetID, "SELECT follower_id FROM follows WHERE target_id = ? AND local AND follower_id > ? ORDER BY follower_id LIMIT ?",
		targetID, after, limit)
}
