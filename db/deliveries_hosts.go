package db

import (
	"context"
	"errors"
	"time"
)

// idle is the due time of a held host without work: never, until a delivery is
// added or the host is released.
const idle = int64(1) << 62

// heardEvery is how often the sign of life of a host is stored.
const heardEvery = time.Minute

// HostSeen stores that a server sent a valid signature: its deliveries become
// due, and none of its inboxes counts as gone. It writes once a minute, and at
// once if deliveries to the host failed.
func (d *DB) HostSeen(ctx context.Context, host string) error {
	type reached struct {
		Instance
		Gone bool
	}
	row, err := value[reached](ctx, d, "instance "+host,
		"SELECT i.*, EXISTS (SELECT 1 FROM gone_inboxes g WHERE g.host = i.host) AS gone FROM instances i WHERE i.host = ?", host)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	now, failing := d.Now(), row.Failures > 0 || !row.UnreachableSince.IsZero()
	if err == nil && !failing && !row.Gone && row.HeardAt.After(now.Add(-heardEvery).Time) {
		return nil
	}
	return d.Tx(ctx, func(tx *DB) error {
		_, err := tx.exec(ctx, "keep that a host was heard", `INSERT INTO instances (host, created_at, heard_at) VALUES (?, ?, ?)
			ON CONFLICT (host) DO UPDATE SET heard_at = excluded.heard_at, unreachable_since = NULL, failures = 0,
			retry_at = CASE WHEN instances.failures > 0 THEN NULL ELSE instances.retry_at END`, host, now, now)
		if err == nil {
			_, err = tx.exec(ctx, "forget gone inboxes", "DELETE FROM gone_inboxes WHERE host = ?", host)
		}
		if err != nil || !failing {
			return err
		}
		if _, err := tx.wakeDeliveries(ctx, host); err != nil {
			return err
		}
		return tx.hostDue(ctx, host)
	})
}

// wakeDeliveries makes up to sweepSize postponed deliveries of a host due now, those
// first that would be due first, and returns their number.
func (d *DB) wakeDeliveries(ctx context.Context, host string) (int64, error) {
	next := "id IN (SELECT id FROM deliveries WHERE host = ? AND next_at > 0 ORDER BY next_at" + limitOf(sweepSize) + ")"
	return d.exec(ctx, "wake deliveries", "UPDATE deliveries SET next_at = 0 WHERE "+d.inOrder("deliveries", "id", next, 0), host)
}

// hostDue makes a host due now.
func (d *DB) hostDue(ctx context.Context, host string) error {
	now := d.Now()
	if _, err := d.exec(ctx, "wake host", "UPDATE delivery_hosts SET due_at = ? WHERE host = ? AND due_at > ?", now, host, now); err != nil {
		return err
	}
	return d.Announce(ctx, ActivityQueued, "")
}

// FailingInstances returns, by host, the named servers that fail or asked for a
// pause.
func (d *DB) FailingInstances(ctx context.Context, hosts []string) (map[string]Instance, error) {
	out := map[string]Instance{}
	if len(hosts) == 0 {
		return out, nil
	}
	rows, err := list[Instance](ctx, d, "troubled servers", `SELECT * FROM instances WHERE host IN ? AND (failures > 0 OR retry_at IS NOT NULL OR unreachable_since IS NOT NULL)`, hosts)
	for _, r := range rows {
		out[r.Host] = r
	}
	return out, err
}

// ClaimedHost is a host that this process delivers to.
type ClaimedHost struct {
	Host        string
	Failures    int
	RetryAt     Time
	Unreachable Time // since
	DeliveredAt Time
}

// ClaimHosts claims up to limit hosts with due deliveries for a holder, most
// urgent first. A host belongs to its holder until StoreDeliveryResults
// releases it.
func (d *DB) ClaimHosts(ctx context.Context, holder string, limit int) ([]ClaimedHost, error) {
	now := d.Now()
	var q selection
	q.add("SELECT host FROM (")
	for p := PriorityPerson; p <= PriorityBulk; p++ {
		if p > PriorityPerson {
			q.add(" UNION ALL ")
		}
		q.add("SELECT * FROM (SELECT host, priority, due_at FROM delivery_hosts WHERE holder = '' AND priority = ? AND due_at <= ? ORDER BY due_at"+
			limitOf(limit)+") p"+string(rune('0'+p)), p, now)
	}
	q.add(") pg ORDER BY priority, due_at" + limitOf(limit))
	hosts, err := list[string](ctx, d, "hosts to send to", q.sql.String(), q.args...)
	if err != nil || len(hosts) == 0 {
		return nil, err
	}
	free := "SELECT host FROM delivery_hosts WHERE host IN ? AND holder = ''"
	if d.Dialect() == Postgres {
		free += " FOR UPDATE SKIP LOCKED"
	}
	mine, err := list[string](ctx, d.writing(), "claim hosts", "UPDATE delivery_hosts SET holder = ?, due_at = ? WHERE host IN ("+free+") AND holder = '' RETURNING host",
		holder, idle, hosts)
	if err != nil || len(mine) == 0 {
		return nil, err
	}
	states, err := d.FailingInstances(ctx, mine)
	if err != nil {
		return nil, err
	}
	claimed := make(map[string]bool, len(mine))
	for _, h := range mine {
		claimed[h] = true
	}
	out := make([]ClaimedHost, 0, len(mine))
	for _, h := range hosts {
		if s := states[h]; claimed[h] {
			out = append(out, ClaimedHost{Host: h, Failures: s.Failures, RetryAt: s.RetryAt, Unreachable: s.UnreachableSince, DeliveredAt: s.DeliveredAt})
		}
	}
	return out, nil
}

// QueueDepth is the size of the delivery queue.
type QueueDepth struct {
	Hosts, Deliveries, Undistributed int64
	Oldest                           Time // when the oldest delivery began to wait
	OldestActivity                   Time // when the oldest undistributed activity did
}

// DeliveryDepth counts the queued deliveries and activities.
func (d *DB) DeliveryDepth(ctx context.Context) (QueueDepth, error) {
	return value[QueueDepth](ctx, d, "count what waits to be sent", `SELECT
		(SELECT COUNT(*) FROM delivery_hosts) AS hosts,
		(SELECT COALESCE(SUM(waiting), 0) FROM delivery_hosts) AS deliveries,
		(SELECT COUNT(*) FROM activities WHERE distributed_at IS NULL) AS undistributed,
		(SELECT created_at FROM deliveries ORDER BY id LIMIT 1) AS oldest,
		(SELECT MIN(created_at) FROM activities WHERE distributed_at IS NULL) AS oldest_activity`)
}

// WaitingHosts returns those of some hosts that have deliveries.
func (d *DB) WaitingHosts(ctx context.Context, hosts []string) (map[string]bool, error) {
	out := map[string]bool{}
	if len(hosts) == 0 {
		return out, nil
	}
	rows, err := list[string](ctx, d, "hosts that something waits for", "SELECT host FROM delivery_hosts WHERE host IN ? AND waiting > 0", hosts)
	for _, h := range rows {
		out[h] = true
	}
	return out, err
}

// Deliveries returns up to limit deliveries above after, by id.
func (d *DB) Deliveries(ctx context.Context, after int64, limit int) ([]Delivery, error) {
	return list[Delivery](ctx, d, "deliveries", "SELECT * FROM deliveries WHERE id > ? ORDER BY id"+limitOf(limit), after)
}
