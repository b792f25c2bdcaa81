package db

import (
	"context"
)

// The hosts that a HostFilter selects.
const (
	HostsFailing = "failing" // the last calls failed
	HostsDead    = "dead"    // they are given up
	HostsWaiting = "waiting" // something waits for them
)

// HostFilter selects hosts by name, above After.
type HostFilter struct {
	Kind  string // "" is all that are known
	After string
	// Dead is the moment before which a dead host last answered; zero if hosts
	// never count as dead.
	Dead  Time
	Limit int
}

// HostState is the state of deliveries to one host.
type HostState struct {
	Instance
	Waiting int64 // deliveries
	DueAt   int64 // of them, in microseconds
}

// HostStates returns a page of hosts.
func (d *DB) HostStates(ctx context.Context, f HostFilter) ([]HostState, error) {
	if f.Kind == HostsDead && f.Dead.IsZero() {
		return nil, nil
	}
	var q selection
	q.add("SELECT i.*, COALESCE(w.waiting, 0) AS waiting, COALESCE(w.due_at, 0) AS due_at FROM instances i LEFT JOIN delivery_hosts w ON w.host = i.host WHERE i.host > ?", f.After)
	switch f.Kind {
	case HostsFailing:
		q.add(" AND i.failures > 0")
	case HostsDead:
		q.add(" AND i.failures > 0 AND "+mostly("i.unreachable_since <= ?"), f.Dead)
	case HostsWaiting:
		q.sql.Reset()
		q.args = nil
		q.add(`SELECT i.*, w.host, w.waiting, w.due_at FROM delivery_hosts w LEFT JOIN instances i ON i.host = w.host WHERE w.host > ? AND `+mostly("w.waiting > 0"), f.After)
	}
	order := " ORDER BY i.host"
	if f.Kind == HostsWaiting {
		order = " ORDER BY w.host"
	}
	return list[HostState](ctx, d, "hosts", q.sql.String()+order+limitOf(f.Limit), q.args...)
}

// HostState returns the state of deliveries to one host.
func (d *DB) HostState(ctx context.Context, host string) (*HostState, error) {
	row, err := value[HostState](ctx, d, "host "+host, `SELECT i.*, COALESCE(w.waiting, 0) AS waiting, COALESCE(w.due_at, 0) AS due_at
		FROM instances i LEFT JOIN delivery_hosts w ON w.host = i.host WHERE i.host = ?`, host)
	return &row, err
}

// RetryHost ends the pause of a host, makes some hundred of its deliveries due now,
// and reports whether there may be more. An unknown host is ErrNotFound.
func (d *DB) RetryHost(ctx context.Context, host string) (more bool, err error) {
	n, err := d.exec(ctx, "forget pause", "UPDATE instances SET retry_at = NULL WHERE host = ?", host)
	if err == nil && n == 0 {
		err = notFound("host %s", host)
	}
	if err != nil {
		return false, err
	}
	if n, err = d.wakeDeliveries(ctx, host); err != nil {
		return false, err
	}
	return n == sweepSize, d.hostDue(ctx, host)
}

// RetryHosts makes the deliveries of all failing hosts due and returns the
// number of hosts.
func (d *DB) RetryHosts(ctx context.Context) (int64, error) {
	var n int64
	err := d.Tx(ctx, func(tx *DB) error {
		if _, err := tx.exec(ctx, "forget pauses", "UPDATE instances SET retry_at = NULL WHERE host IN (SELECT host FROM instances WHERE failures > 0 ORDER BY host"+tx.hold()+")"); err != nil {
			return err
		}
		var err error
		now := tx.Now()
		if n, err = tx.exec(ctx, "wake hosts", "UPDATE delivery_hosts SET due_at = ? WHERE host IN (SELECT host FROM delivery_hosts WHERE holder = '' AND due_at > ? ORDER BY host"+tx.hold()+")", now, now); err != nil {
			return err
		}
		return tx.Announce(ctx, ActivityQueued, "")
	})
	return n, err
}

// ForgetHost drops the failures of a host, its gone inboxes, and some hundred of its
// deliveries. It returns their number, and whether there may be more. An unknown host
// is ErrNotFound.
func (d *DB) ForgetHost(ctx context.Context, host string) (dropped int, more bool, err error) {
	n, err := d.exec(ctx, "forget failures", `UPDATE instances SET failures = 0, retry_at = NULL, unreachable_since = NULL, last_error = '', last_error_at = NULL
		WHERE host = ?`, host)
	if err == nil && n == 0 {
		err = notFound("host %s", host)
	}
	if err != nil {
		return 0, false, err
	}
	if _, err := d.exec(ctx, "forget gone inboxes", "DELETE FROM gone_inboxes WHERE host = ?", host); err != nil {
		return 0, false, err
	}
	dropped, err = d.dropDeliveries(ctx, "id IN (SELECT id FROM deliveries WHERE host = ?"+limitOf(sweepSize)+")", host)
	if err != nil {
		return 0, false, err
	}
	return dropped, dropped == sweepSize, d.hostDue(ctx, host)
}
