package db

import "context"

// checkedQueues compares the queue of deliveries with its hosts, and the head of
// events with their numbers. A delivery without an activity is among the rows.
func (d *DB) checkedQueues() []checked {
	const (
		waiting = "(SELECT COUNT(*) FROM deliveries w WHERE w.host = t.host)"
		last    = "(SELECT COALESCE(MAX(e.seq), 0) FROM events e)"
	)
	out := []checked{
		{area: CheckQueues, table: "deliveries", key: []string{"id"}, faults: []fault{{
			column: "host", says: "waits for a host that nobody delivers to",
			wrong:  "NOT EXISTS (SELECT 1 FROM delivery_hosts h WHERE h.host = t.host)",
			repair: addHost,
		}}},
		{area: CheckQueues, table: "delivery_hosts", key: []string{"host"}, chunk: countChunk, faults: []fault{counter("delivery_hosts", "waiting", "", waiting)}},
	}
	if d.pool.dialect == Postgres { // SQLite numbers events itself
		out = append(out, checked{area: CheckQueues, table: "event_head", key: []string{"one"}, faults: []fault{{
			column: "seq", wrong: "t.seq < " + last, kept: "t.seq", counted: last, mend: "UPDATE event_head SET seq = " + last,
		}}})
	}
	return out
}

// addHost queues the host of a delivery.
func addHost(ctx context.Context, tx *DB, key []any) error {
	_, err := tx.exec(ctx, "add host", `INSERT INTO delivery_hosts (host, priority, due_at, waiting)
		SELECT host, MIN(priority), 0, COUNT(*) FROM deliveries WHERE host = (SELECT w.host FROM deliveries w WHERE w.id = ?)
		GROUP BY host ON CONFLICT DO NOTHING`, key...)
	return err
}
