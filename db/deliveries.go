package db

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
)

// Delivery is an activity that an inbox has not got yet.
type Delivery struct {
	ID         int64 `gorm:"primaryKey;autoIncrement"`
	ActivityID int64
	Inbox      string
	Host       string // of Inbox, with port
	Body       string // "" is the activity's
	ObjectURI  string
	Priority   int
	Attempt    int   // that failed
	NextAt     int64 // microseconds; 0 until one failed
	Error      string
	CreatedAt  Time `gorm:"autoCreateTime:false"`
}

// DueDelivery is a Delivery with the activity that it delivers.
type DueDelivery struct {
	Delivery
	AccountID string // the signer
	Type      string
	URI       string `gorm:"column:uri"`
	// Behind is the id of the delivery right before this one to the same inbox
	// about the same object; 0 for none.
	Behind int64
}

// batch bounds the deliveries of a host that are read at once: of the new ones,
// and of those to be retried, each.
const batch = 32

// readAtOnce is how many hosts one statement reads for.
const readAtOnce = 50

// DueDeliveries returns the deliveries due to hosts, most urgent first.
func (d *DB) DueDeliveries(ctx context.Context, hosts []string) (map[string][]DueDelivery, error) {
	out := make(map[string][]DueDelivery, len(hosts))
	atOnce := 1 // SQLite has no round trip to save
	if d.Dialect() == Postgres {
		atOnce = readAtOnce
	}
	for some := range slices.Chunk(hosts, atOnce) {
		rows, err := d.dueDeliveries(ctx, some)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			out[row.Host] = append(out[row.Host], row)
		}
	}
	return out, nil
}

func (d *DB) dueDeliveries(ctx context.Context, hosts []string) ([]DueDelivery, error) {
	host, each := "?", ""
	args := []any{hosts[0], hosts[0], d.Now()}
	if d.Dialect() == Postgres {
		host, each = "h.host", "(SELECT host FROM delivery_hosts WHERE host IN ?) h CROSS JOIN LATERAL "
		args = []any{hosts, d.Now()}
	}
	columns := "SELECT id, activity_id, inbox, host, body, object_uri, priority, attempt, next_at, error, created_at FROM deliveries WHERE host = " + host + " AND "
	return list[DueDelivery](ctx, d, "what is due to hosts", `SELECT d.id, d.activity_id, d.inbox, d.host, CASE WHEN d.body <> '' THEN d.body ELSE a.body END AS body,
		d.object_uri, d.priority, d.attempt, d.next_at, d.error, d.created_at, a.account_id, a.type, a.uri,
		CASE WHEN d.object_uri = '' THEN 0 ELSE COALESCE((SELECT e.id FROM deliveries e
			WHERE e.inbox = d.inbox AND e.object_uri = d.object_uri AND e.id < d.id ORDER BY e.id DESC LIMIT 1), 0) END AS behind
		FROM `+each+`(SELECT * FROM (`+columns+`next_at = 0 ORDER BY priority, id`+limitOf(batch)+`) p
			UNION ALL SELECT * FROM (`+columns+`next_at > 0 AND next_at <= ? ORDER BY next_at, priority, id`+limitOf(batch)+`) q) d
		JOIN activities a ON a.id = d.activity_id ORDER BY d.priority, d.id`, args...)
}

// DeliveryResults are the outcomes of deliveries to hosts that a process holds.
type DeliveryResults struct {
	Done    []int64 // delivered or given up
	Retries []DeliveryRetry
	Behind  []DeliveryPredecessor
	Reached []ReachedInbox
	Up      []string   // hosts that accepted a delivery
	Back    []string   // those of Up that had failed before
	Down    []HostDown // hosts that did not answer, or asked for a pause
	Gone    []GoneInbox
	Release []string // hosts that are let go
}

// DeliveryRetry is a delivery to be tried again.
type DeliveryRetry struct {
	ID      int64
	Attempt int
	NextAt  Time
	Error   string
}

// DeliveryPredecessor makes the delivery ID wait until Of is done.
type DeliveryPredecessor struct{ ID, Of int64 }

// ReachedInbox is an inbox that received an activity of an account.
type ReachedInbox struct{ AccountID, Inbox string }

// HostDown is a host that gets no deliveries before RetryAt. Failures is 0 if
// it only asked for a pause.
type HostDown struct {
	Host     string
	Failures int
	RetryAt  Time
	Error    string
}

// GoneInbox is an inbox that answered 410.
type GoneInbox struct{ Inbox, Host string }

// StoreDeliveryResults stores r in one transaction. The process of holder held
// the hosts.
func (d *DB) StoreDeliveryResults(ctx context.Context, holder string, r DeliveryResults) error {
	return d.Tx(ctx, func(tx *DB) error {
		for _, step := range []func(context.Context, string, DeliveryResults) error{tx.keepHosts, tx.keepDeliveries, tx.keepReached, tx.release} {
			if err := step(ctx, holder, r); err != nil {
				return err
			}
		}
		return nil
	})
}

// keepHosts stores which hosts answered and which failed, in the order of their
// names.
func (d *DB) keepHosts(ctx context.Context, _ string, r DeliveryResults) error {
	type state struct {
		HostDown
		answered, since, failed Time
	}
	now, states := d.Now(), map[string]state{}
	for _, h := range r.Up {
		states[h] = state{answered: now}
	}
	for _, h := range r.Down {
		s := state{HostDown: h, answered: states[h.Host].answered, failed: now}
		if h.Failures > 0 {
			s.since = now
		}
		states[h.Host] = s
	}
	if len(states) == 0 {
		return nil
	}
	args := make([]any, 0, 8*len(states))
	for _, host := range slices.Sorted(maps.Keys(states)) {
		s := states[host]
		args = append(args, host, now, s.answered, s.Failures, s.RetryAt, s.since, s.Error, s.failed)
	}
	_, err := d.exec(ctx, "keep how hosts answered", `INSERT INTO instances
		(host, created_at, delivered_at, failures, retry_at, unreachable_since, last_error, last_error_at) VALUES `+valuesOf("(?, ?, ?, ?, ?, ?, ?, ?)", len(states))+`
		ON CONFLICT (host) DO UPDATE SET delivered_at = COALESCE(excluded.delivered_at, instances.delivered_at), failures = excluded.failures, retry_at = excluded.retry_at,
		unreachable_since = CASE WHEN excluded.delivered_at IS NULL THEN COALESCE(instances.unreachable_since, excluded.unreachable_since) ELSE excluded.unreachable_since END,
		last_error = CASE WHEN excluded.last_error_at IS NULL THEN instances.last_error ELSE excluded.last_error END,
		last_error_at = COALESCE(excluded.last_error_at, instances.last_error_at)`, args...)
	return err
}

func (d *DB) keepDeliveries(ctx context.Context, _ string, r DeliveryResults) error {
	fewer := map[string]int{}
	for _, host := range r.Release {
		fewer[host] = 0 // held with the others
	}
	slices.SortFunc(r.Gone, func(a, b GoneInbox) int { return strings.Compare(a.Inbox, b.Inbox) })
	for _, g := range r.Gone {
		if _, err := d.exec(ctx, "keep that an inbox is gone", `INSERT INTO gone_inboxes (inbox, host, at) VALUES (?, ?, ?)
			ON CONFLICT (inbox) DO UPDATE SET at = excluded.at`,
			g.Inbox, g.Host, d.Now()); err != nil {
			return err
		}
		if err := d.deleteDeliveries(ctx, fewer, d.inOrder("deliveries", "id", "inbox = ?", 0), g.Inbox); err != nil {
			return err
		}
	}
	if len(r.Done) > 0 {
		slices.Sort(r.Done)
		if err := d.deleteDeliveries(ctx, fewer, "id IN ?", r.Done); err != nil {
			return err
		}
	}
	slices.SortFunc(r.Retries, func(a, b DeliveryRetry) int { return cmp.Compare(a.ID, b.ID) })
	for _, l := range r.Retries {
		if _, err := d.exec(ctx, "put off delivery", "UPDATE deliveries SET attempt = ?, next_at = ?, error = ? WHERE id = ?", l.Attempt, l.NextAt, l.Error, l.ID); err != nil {
			return err
		}
	}
	slices.Sort(r.Back)
	for _, host := range r.Back {
		if _, err := d.wakeDeliveries(ctx, host); err != nil {
			return err
		}
	}
	slices.SortFunc(r.Behind, func(a, b DeliveryPredecessor) int { return cmp.Compare(a.ID, b.ID) })
	for _, b := range r.Behind {
		if _, err := d.exec(ctx, "keep delivery behind another", `UPDATE deliveries SET
			next_at = COALESCE((SELECT CASE WHEN e.next_at > deliveries.next_at THEN e.next_at ELSE deliveries.next_at END FROM deliveries e WHERE e.id = ?), next_at),
			priority = COALESCE((SELECT CASE WHEN e.priority > deliveries.priority THEN e.priority ELSE deliveries.priority END FROM deliveries e WHERE e.id = ?), priority)
			WHERE id = ?`, b.Of, b.Of, b.ID); err != nil {
			return err
		}
	}
	return d.countDown(ctx, fewer)
}

// dropDeliveries deletes deliveries, updates the counts of their hosts, and
// returns the number of deliveries.
func (d *DB) dropDeliveries(ctx context.Context, cond string, args ...any) (n int, err error) {
	fewer := map[string]int{}
	if err := d.deleteDeliveries(ctx, fewer, d.inOrder("deliveries", "id", cond, 0), args...); err != nil {
		return 0, err
	}
	for _, of := range fewer {
		n += of
	}
	return n, d.countDown(ctx, fewer)
}

// deleteDeliveries deletes deliveries, and adds to fewer how many each host
// loses.
func (d *DB) deleteDeliveries(ctx context.Context, fewer map[string]int, cond string, args ...any) error {
	hosts, err := list[string](ctx, d.writing(), "drop deliveries", "DELETE FROM deliveries WHERE "+cond+" RETURNING host", args...)
	for _, host := range hosts {
		fewer[host]++
	}
	return err
}

// countDown takes the numbers of deleted deliveries from the counts of their
// hosts. One statement locks all of these, in the order in which deliveries are
// added to them.
func (d *DB) countDown(ctx context.Context, fewer map[string]int) error {
	if len(fewer) == 0 {
		return nil
	}
	args := make([]any, 0, 2*len(fewer))
	for _, host := range slices.Sorted(maps.Keys(fewer)) {
		args = append(args, host, fewer[host])
	}
	_, err := d.exec(ctx, "count down hosts", "WITH v (host, n) AS (VALUES "+valuesOf("(CAST(? AS TEXT), CAST(? AS BIGINT))", len(fewer))+`)
		INSERT INTO delivery_hosts (host, priority, due_at, waiting)
		SELECT w.host, w.priority, w.due_at, v.n FROM v JOIN delivery_hosts w ON w.host = v.host WHERE TRUE ORDER BY w.host
		ON CONFLICT (host) DO UPDATE SET waiting = delivery_hosts.waiting - excluded.waiting`, args...)
	return err
}

func (d *DB) keepReached(ctx context.Context, _ string, r DeliveryResults) error {
	if len(r.Reached) == 0 {
		return nil
	}
	slices.SortFunc(r.Reached, func(a, b ReachedInbox) int {
		return cmp.Or(strings.Compare(a.AccountID, b.AccountID), strings.Compare(a.Inbox, b.Inbox))
	})
	args, now := make([]any, 0, 3*len(r.Reached)), d.Now()
	for _, x := range r.Reached {
		args = append(args, x.AccountID, x.Inbox, now)
	}
	_, err := d.exec(ctx, "keep inboxes that were reached", "INSERT INTO reached (account_id, inbox, at) VALUES "+valuesOf("(?, ?, ?)", len(r.Reached))+
		" ON CONFLICT DO NOTHING", args...)
	return err
}

// release releases hosts. Hosts without deliveries are deleted; the others
// become due with their first delivery, or when their pause ends.
func (d *DB) release(ctx context.Context, holder string, r DeliveryResults) error {
	if len(r.Release) == 0 {
		return nil
	}
	empty, err := list[string](ctx, d.writing(), "let go of hosts", "DELETE FROM delivery_hosts WHERE host IN ? AND holder = ? AND waiting <= 0 RETURNING host", r.Release, holder)
	if err != nil {
		return err
	}
	for _, host := range r.Release {
		if slices.Contains(empty, host) {
			continue
		}
		// due_at is unchanged since the claim unless a delivery was added since, which
		// is due at once.
		if _, err := d.exec(ctx, "let go of host", `UPDATE delivery_hosts SET holder = '',
			priority = COALESCE((SELECT p.priority FROM deliveries p WHERE p.host = ? ORDER BY p.next_at, p.priority, p.id LIMIT 1), priority),
			due_at = CASE WHEN due_at < ? THEN due_at
				ELSE COALESCE((SELECT i.retry_at FROM instances i WHERE i.host = ? AND i.retry_at > ?), (SELECT MIN(m.next_at) FROM deliveries m WHERE m.host = ?), 0) END
			WHERE host = ? AND holder = ?`, host, idle, host, d.Now(), host, host, holder); err != nil {
			return err
		}
	}
	return nil
}

// valuesOf is n rows of values for an INSERT.
func valuesOf(row string, n int) string { return row + strings.Repeat(", "+row, n-1) }

// TrimHost drops the least important deliveries of a host beyond most, oldest
// first, and returns their number.
func (d *DB) TrimHost(ctx context.Context, host string, most int) (dropped int, err error) {
	for {
		waiting, err := value[int](ctx, d, "count what waits for "+host, "SELECT COALESCE(MAX(waiting), 0) FROM delivery_hosts WHERE host = ?", host)
		if err != nil {
			return dropped, err
		}
		n := 0
		for p := PriorityBulk; p >= PriorityPerson && n == 0 && waiting > most; p-- {
			err := d.Tx(ctx, func(tx *DB) error {
				var err error
				n, err = tx.dropDeliveries(ctx, "id IN (SELECT id FROM deliveries WHERE host = ? AND priority = ? ORDER BY id"+
					limitOf(min(waiting-most, sweepSize))+")", host, p)
				return err
			})
			if err != nil {
				return dropped, err
			}
		}
		if dropped += n; n == 0 {
			return dropped, nil
		}
	}
}

// sweepSize bounds the rows that one transaction of a sweep removes.
const sweepSize = 500

// SweepDeliveries drops the deliveries queued before a moment and returns their
// number.
func (d *DB) SweepDeliveries(ctx context.Context, before Time) (dropped int, err error) {
	for {
		n := 0
		err := d.Tx(ctx, func(tx *DB) error {
			var err error
			// Ids grow with time, so that only the oldest rows are read.
			n, err = tx.dropDeliveries(ctx, "id IN (SELECT id FROM (SELECT id, created_at FROM deliveries ORDER BY id"+limitOf(sweepSize)+") p WHERE created_at < ?)", before)
			return err
		})
		if dropped += n; err != nil || n < sweepSize {
			return dropped, err
		}
	}
}

// SweepActivities removes the activities created before a moment that have no
// deliveries left.
func (d *DB) SweepActivities(ctx context.Context, before Time) error {
	after := int64(0)
	for {
		ids, err := list[int64](ctx, d, "old activities", "SELECT id FROM activities WHERE id > ? AND created_at < ? ORDER BY id"+limitOf(sweepSize), after, before)
		if err != nil || len(ids) == 0 {
			return err
		}
		after = ids[len(ids)-1]
		if _, err := d.exec(ctx, "sweep activities", `DELETE FROM activities WHERE id IN ? AND distributed_at IS NOT NULL
			AND NOT EXISTS (SELECT 1 FROM deliveries x WHERE x.activity_id = activities.id)`, ids); err != nil {
			return err
		}
		if len(ids) < sweepSize {
			return nil
		}
	}
}
