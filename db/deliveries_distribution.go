package db

import (
	"context"
	"slices"
	"time"
)

// DeliveryTarget is a remote account, or an inbox, that is to get an activity.
type DeliveryTarget struct {
	ID          string // account; "" where only an inbox is known
	URI         string `gorm:"column:uri"`
	Domain      string
	Inbox       string
	SharedInbox string
	Key         string // to go on after
}

// NextActivity returns the next activity for a holder to distribute, and claims it: the
// most urgent one that no other holder distributes, but never before an earlier one
// about the same object. ErrNotFound if there is none. On SQLite, which one process
// serves, nothing is claimed.
func (d *DB) NextActivity(ctx context.Context, holder string) (*Activity, error) {
	for range 10 {
		a, err := d.nextActivity(ctx, holder)
		if err != nil || a.ClaimedBy == holder || d.pool.dialect == SQLite {
			return a, err
		}
		n, err := d.exec(ctx, "claim activity", "UPDATE activities SET claimed_by = ? WHERE id = ? AND claimed_by = '' AND distributed_at IS NULL", holder, a.ID)
		if err != nil || n > 0 {
			return a, err
		}
	}
	return nil, notFound("next activity") // others were quicker
}

func (d *DB) nextActivity(ctx context.Context, holder string) (*Activity, error) {
	const query = `SELECT * FROM activities a WHERE distributed_at IS NULL AND (claimed_by = '' OR claimed_by = ?) AND NOT EXISTS (SELECT 1 FROM activities e
		WHERE e.object_uri = a.object_uri AND e.object_uri <> '' AND e.id < a.id AND e.distributed_at IS NULL)
		ORDER BY priority, id LIMIT `
	first, err := one[Activity](ctx, d, "next activity", query+"1", holder)
	if !isUnreadable(err) {
		return first, err
	}
	rows, err := list[Activity](ctx, d, "next activity", query+"1000", holder) // the others do not wait behind it
	return firstOf(rows, err, "next activity")
}

const recipientColumns = "a.id, a.uri, a.domain, a.inbox, a.shared_inbox, "

// RecipientsByID returns those of some accounts that are remote and active, by
// id.
func (d *DB) RecipientsByID(ctx context.Context, ids []string) ([]DeliveryTarget, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := list[DeliveryTarget](ctx, d, "recipients", "SELECT "+recipientColumns+"a.id AS key FROM accounts a WHERE a.id IN ? AND NOT a.local AND NOT a.deactivated", ids)
	slices.SortFunc(rows, func(a, b DeliveryTarget) int { return slices.Index(ids, a.ID) - slices.Index(ids, b.ID) })
	return rows, err
}

// RemoteFollowers returns up to limit active remote followers of an account,
// above after.
func (d *DB) RemoteFollowers(ctx context.Context, accountID, after string, limit int) ([]DeliveryTarget, error) {
	return d.recipients(ctx, "SELECT "+recipientColumns+`f.follower_id AS key FROM follows f JOIN accounts a ON a.id = f.follower_id
		WHERE f.target_id = ? AND f.follower_id > ? AND NOT f.local AND NOT f.pending AND NOT a.local AND NOT a.deactivated
		ORDER BY f.follower_id`+limitOf(limit), accountID, after)
}

// RemoteRebloggers returns up to limit remote accounts that reblogged a status,
// by the id of the reblog, above after.
func (d *DB) RemoteRebloggers(ctx context.Context, statusID, after string, limit int) ([]DeliveryTarget, error) {
	return d.recipients(ctx, "SELECT "+recipientColumns+`s.id AS key FROM statuses s JOIN accounts a ON a.id = s.account_id
		WHERE s.reblog_of_id = ? AND s.id > ? AND NOT a.local AND NOT a.deactivated ORDER BY s.id`+limitOf(limit), statusID, after)
}

// RemoteFavouriters returns up to limit remote accounts that favourited a
// status, by the id of the favourite, above after.
func (d *DB) RemoteFavouriters(ctx context.Context, statusID, after string, limit int) ([]DeliveryTarget, error) {
	return d.recipients(ctx, "SELECT "+recipientColumns+`f.id AS key FROM favourites f JOIN accounts a ON a.id = f.account_id
		WHERE f.status_id = ? AND f.id > ? AND NOT a.local AND NOT a.deactivated ORDER BY f.id`+limitOf(limit), statusID, after)
}

// RemoteReactors returns up to limit remote accounts that reacted to a status;
// after is an account's id.
func (d *DB) RemoteReactors(ctx context.Context, statusID, after string, limit int) ([]DeliveryTarget, error) {
	return d.recipients(ctx, "SELECT "+recipientColumns+`r.account_id AS key FROM emoji_reactions r JOIN accounts a ON a.id = r.account_id
		WHERE r.status_id = ? AND r.account_id > ? AND NOT a.local AND NOT a.deactivated ORDER BY r.account_id`+limitOf(limit), statusID, after)
}

// RemoteRepliers returns up to limit remote accounts that replied to a status;
// after is an account's id.
func (d *DB) RemoteRepliers(ctx context.Context, statusID, after string, limit int) ([]DeliveryTarget, error) {
	return d.recipients(ctx, "SELECT "+recipientColumns+`s.id AS key FROM statuses s JOIN accounts a ON a.id = s.account_id
		WHERE s.in_reply_to_id = ? AND s.id > ? AND NOT a.local AND NOT a.deactivated ORDER BY s.id`+limitOf(limit), statusID, after)
}

// FetcherInboxes returns up to limit inboxes, above after, of the servers that
// fetched a status themselves.
func (d *DB) FetcherInboxes(ctx context.Context, statusID, after string, limit int) ([]DeliveryTarget, error) {
	return d.recipients(ctx, "SELECT inbox, inbox AS key FROM fetchers WHERE status_id = ? AND inbox > ? ORDER BY inbox"+limitOf(limit), statusID, after)
}

// ReachedInboxes returns up to limit inboxes, above after, that statuses of an
// account ever reached.
func (d *DB) ReachedInboxes(ctx context.Context, accountID, after string, limit int) ([]DeliveryTarget, error) {
	return d.recipients(ctx, "SELECT inbox, inbox AS key FROM reached WHERE account_id = ? AND inbox > ? ORDER BY inbox"+limitOf(limit), accountID, after)
}

// SharedInboxes returns up to limit shared inboxes of other servers, above
// after. Many accounts have the same one, so each next one is searched for
// instead of reading all.
func (d *DB) SharedInboxes(ctx context.Context, after string, limit int) ([]DeliveryTarget, error) {
	return d.recipients(ctx, `WITH RECURSIVE p (inbox, n) AS (
		SELECT (SELECT MIN(shared_inbox) FROM accounts WHERE NOT local AND shared_inbox <> '' AND shared_inbox > ?), 1
		UNION ALL SELECT (SELECT MIN(a.shared_inbox) FROM accounts a WHERE NOT a.local AND a.shared_inbox <> '' AND a.shared_inbox > p.inbox), p.n + 1
		FROM p WHERE p.inbox IS NOT NULL AND p.n < ?)
		SELECT inbox, inbox AS key FROM p WHERE inbox IS NOT NULL`, after, limit)
}

// PersonalInboxes returns up to limit inboxes, above after, of the accounts on
// servers without a shared one.
func (d *DB) PersonalInboxes(ctx context.Context, after string, limit int) ([]DeliveryTarget, error) {
	return d.recipients(ctx, "SELECT "+recipientColumns+`a.inbox AS key FROM accounts a
		WHERE NOT a.local AND a.shared_inbox = '' AND a.inbox > ? AND NOT a.deactivated ORDER BY a.inbox`+limitOf(limit), after)
}

func (d *DB) recipients(ctx context.Context, query string, args ...any) ([]DeliveryTarget, error) {
	return list[DeliveryTarget](ctx, d, "recipients", query, args...)
}

// maxInteractors bounds the accounts that get the deletion of a status because
// they favourited, reblogged or answered it.
const maxInteractors = 1000

// remoteInteractors returns the remote accounts that favourited, reblogged,
// reacted to or answered a status.
func (d *DB) remoteInteractors(ctx context.Context, statusID string) ([]string, error) {
	var out []string
	for _, list := range []func(context.Context, string, string, int) ([]DeliveryTarget, error){d.RemoteRebloggers, d.RemoteFavouriters, d.RemoteReactors, d.RemoteRepliers} {
		rows, err := list(ctx, statusID, "", maxInteractors)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			out = append(out, r.ID)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// goneInboxTime is how long an inbox that is gone is not tried again.
const goneInboxTime = 7 * 24 * time.Hour

// GoneInboxes returns those of some inboxes that are gone and not to be tried
// again yet.
func (d *DB) GoneInboxes(ctx context.Context, inboxes []string) (map[string]bool, error) {
	out := map[string]bool{}
	if len(inboxes) == 0 {
		return out, nil
	}
	gone, err := list[string](ctx, d, "gone inboxes", "SELECT inbox FROM gone_inboxes WHERE inbox IN ? AND at > ?", inboxes, d.Now().Add(-goneInboxTime))
	for _, inbox := range gone {
		out[inbox] = true
	}
	return out, err
}

// Chunk is a part of an activity's recipients.
type Chunk struct {
	ActivityID int64
	From, To   string // the activity's cursor, before and after
	Done       bool   // it is the last
	Deliveries []Delivery
	// Due is when the hosts of Deliveries may be called, for those that must wait.
	Due map[string]Time
}

// Distribute stores the deliveries of a chunk, one for each inbox. It returns
// false, and stores nothing, if another process was first.
func (d *DB) Distribute(ctx context.Context, c Chunk) (mine bool, err error) {
	err = d.Tx(ctx, func(tx *DB) error {
		now := tx.Now()
		var done Time
		set := "cursor = ?, distributed_at = ?"
		if c.Done {
			done, set = now, set+", claimed_by = ''"
		}
		n, err := tx.exec(ctx, "move on in activity", "UPDATE activities SET "+set+" WHERE id = ? AND cursor = ? AND distributed_at IS NULL",
			c.To, done, c.ActivityID, c.From)
		mine = n > 0
		if err != nil || !mine || len(c.Deliveries) == 0 {
			return err
		}
		return tx.addDeliveries(ctx, c)
	})
	return mine && err == nil, err
}

func (d *DB) addDeliveries(ctx context.Context, c Chunk) error {
	now := d.Now()
	args := make([]any, 0, 7*len(c.Deliveries))
	priority := c.Deliveries[0].Priority
	for _, x := range c.Deliveries {
		args = append(args, c.ActivityID, x.Inbox, x.Host, x.Body, x.ObjectURI, x.Priority, now)
	}
	hosts, err := list[string](ctx, d.writing(), "keep deliveries", "INSERT INTO deliveries (activity_id, inbox, host, body, object_uri, priority, next_at, created_at) VALUES "+
		valuesOf("(?, ?, ?, ?, ?, ?, 0, ?)", len(c.Deliveries))+" ON CONFLICT (activity_id, inbox) DO NOTHING RETURNING host", args...)
	if err != nil || len(hosts) == 0 {
		return err
	}
	counts := map[string]int{}
	for _, h := range hosts {
		counts[h]++
	}
	hosts = slices.Compact(slices.Sorted(slices.Values(hosts)))
	args = args[:0]
	for _, h := range hosts {
		due, ok := c.Due[h]
		if !ok {
			due = now
		}
		args = append(args, h, priority, due, counts[h])
	}
	_, err = d.exec(ctx, "keep hosts", `INSERT INTO delivery_hosts (host, priority, due_at, waiting) VALUES `+valuesOf("(?, ?, ?, ?)", len(hosts))+`
		ON CONFLICT (host) DO UPDATE SET waiting = delivery_hosts.waiting + excluded.waiting,
		priority = CASE WHEN excluded.priority < delivery_hosts.priority THEN excluded.priority ELSE delivery_hosts.priority END,
		due_at = CASE WHEN excluded.due_at < delivery_hosts.due_at THEN excluded.due_at ELSE delivery_hosts.due_at END`, args...)
	return err
}

// WithdrawDeliveries drops up to limit deliveries that a deletion makes
// needless: earlier activities of its account about its object or, if the
// account itself is deleted, about anything. Other deletions stay. It reports
// whether there may be more.
func (d *DB) WithdrawDeliveries(ctx context.Context, a *Activity, everything bool, limit int) (more bool, err error) {
	of, args := "e.object_uri = ? AND e.object_uri <> ''", []any{a.ObjectURI}
	if everything {
		of, args = "e.account_id = ?", []any{a.AccountID}
	}
	of += " AND e.id < ? AND e.account_id = ? AND e.type <> 'Delete'"
	args = append(args, a.ID, a.AccountID)
	err = d.Tx(ctx, func(tx *DB) error {
		if _, err := tx.exec(ctx, "withdraw activities", "UPDATE activities AS e SET distributed_at = ?, claimed_by = '' WHERE "+of+" AND e.distributed_at IS NULL",
			append([]any{tx.Now()}, args...)...); err != nil {
			return err
		}
		n, err := tx.dropDeliveries(ctx, "id IN (SELECT x.id FROM activities e JOIN deliveries x ON x.activity_id = e.id WHERE "+of+limitOf(limit)+")", args...)
		more = n >= limit
		return err
	})
	return more && err == nil, err
}
