package db

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Processes claim rows: jobs, hosts to deliver to, inbox items. A claim names
// its holder, which is a process, a slash and a number, since several parts of
// a process claim rows. Claims are released once the process is not in
// processes any more, or the holder has ended.

// clock is the database's clock, in microseconds, since the clocks of processes
// differ.
func (d *DB) clock() string {
	if d.Dialect() == Postgres {
		return "CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS BIGINT)"
	}
	return "CAST(unixepoch('subsec') * 1000000 AS INTEGER)"
}

// processOf returns the process of the holder in a column.
func (d *DB) processOf(column string) string {
	if d.Dialect() == Postgres {
		return "split_part(" + column + ", '/', 1)"
	}
	return "substr(" + column + ", 1, instr(" + column + " || '/', '/') - 1)"
}

// lastRunner is the last holder of a job.
func (d *DB) lastRunner() string {
	if d.Dialect() == Postgres {
		return "attempted_by[array_upper(attempted_by, 1)]"
	}
	return "attempted_by ->> '$[#-1]'"
}

// jobNow is the present in the format of the job queue.
func (d *DB) jobNow() string {
	if d.Dialect() == Postgres {
		return "now()"
	}
	return "datetime('now', 'subsec')"
}

// ProcessSeen stores a heartbeat of a process, and returns when its heartbeats
// began without a gap longer than lapse, by the database's clock. If that
// changes, others may have taken over its claims.
func (d *DB) ProcessSeen(ctx context.Context, id string, lapse time.Duration) (since Time, err error) {
	clock := d.clock()
	return value[Time](ctx, d.writing(), "keep that a process lives", `INSERT INTO processes (id, seen_at, since) VALUES (?, `+clock+`, `+clock+`)
		ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, since = CASE
			WHEN excluded.seen_at - processes.seen_at BETWEEN ? AND ? AND processes.since <= excluded.seen_at THEN processes.since
			ELSE excluded.seen_at END
		RETURNING since`, id, -lapse.Microseconds(), lapse.Microseconds())
}

// OtherProcesses reports whether a process other than id was heard within lifetime.
func (d *DB) OtherProcesses(ctx context.Context, id string, lifetime time.Duration) (bool, error) {
	return value[bool](ctx, d.writing(), "other processes", "SELECT EXISTS (SELECT 1 FROM processes WHERE id <> ? AND seen_at BETWEEN "+d.clock()+" - ? AND "+d.clock()+" + ?)",
		id, lifetime.Microseconds(), lifetime.Microseconds())
}

// ProcessGone removes a process without claims.
func (d *DB) ProcessGone(ctx context.Context, id string) error {
	_, err := d.exec(ctx, "forget process", "DELETE FROM processes WHERE id = ?", id)
	return err
}

// ForgetSilent removes the processes that were silent for lifetime, if the
// calling process itself was heard for a lifetime without a gap: after an
// outage of the database all processes have been silent.
func (d *DB) ForgetSilent(ctx context.Context, asks string, lapse, lifetime time.Duration) error {
	_, err := d.exec(ctx, "forget silent processes", `DELETE FROM processes WHERE seen_at NOT BETWEEN `+d.clock()+` - ? AND `+d.clock()+` + ?
		AND EXISTS (SELECT 1 FROM processes me WHERE me.id = ? AND me.seen_at >= `+d.clock()+` - ? AND me.since <= `+d.clock()+` - ?)`,
		lifetime.Microseconds(), lifetime.Microseconds(), asks, lapse.Microseconds(), lifetime.Microseconds())
	return err
}

// AnythingClaimed reports whether a process, this one or another, has claimed a job, a host,
// an activity or an inbox item.
func (d *DB) AnythingClaimed(ctx context.Context) (bool, error) {
	return value[bool](ctx, d.writing(), "look for claims", `SELECT EXISTS (SELECT 1 FROM river_job WHERE state = 'running')
		OR EXISTS (SELECT 1 FROM delivery_hosts WHERE holder <> '') OR EXISTS (SELECT 1 FROM activities WHERE claimed_by <> '')
		OR EXISTS (SELECT 1 FROM inbox_items WHERE claimed_by <> '')`)
}

// Revived counts the released claims.
type Revived struct{ Jobs, Hosts, Activities int64 }

// Any reports whether any claim was released.
func (r Revived) Any() bool { return r != Revived{} }

// ReviveClaims releases the claims of unknown processes and of the ended
// holders. A job without attempts left is discarded.
func (d *DB) ReviveClaims(ctx context.Context, ended []string) (r Revived, err error) {
	left := func(column string) string {
		return "(NOT EXISTS (SELECT 1 FROM processes p WHERE p.id = " + d.processOf(column) + ") OR " + column + " IN ?)"
	}
	orphaned := func(attempts string) string {
		return " WHERE " + d.inOrder("river_job", "id", "state = 'running' AND "+left(d.lastRunner())+" AND attempt "+attempts, 0)
	}
	if _, err := d.exec(ctx, "give up jobs", "UPDATE river_job SET state = 'discarded', finalized_at = "+d.jobNow()+orphaned(">= max_attempts"), ended); err != nil {
		return r, err
	}
	if r.Jobs, err = d.exec(ctx, "revive jobs", "UPDATE river_job SET state = 'available', scheduled_at = "+d.jobNow()+orphaned("< max_attempts"), ended); err != nil {
		return r, err
	}
	if r.Hosts, err = d.exec(ctx, "revive hosts", "UPDATE delivery_hosts SET holder = '', due_at = 0 WHERE "+d.inOrder("delivery_hosts", "host", "holder <> '' AND "+left("holder"), 0), ended); err != nil {
		return r, err
	}
	if _, err := d.exec(ctx, "revive distributions", "UPDATE activities SET claimed_by = '' WHERE "+d.inOrder("activities", "id", "claimed_by <> '' AND "+left("claimed_by"), 0), ended); err != nil {
		return r, err
	}
	r.Activities, err = d.exec(ctx, "revive inbox items", "UPDATE inbox_items SET claimed_by = '' WHERE "+d.inOrder("inbox_items", "id", "claimed_by <> '' AND "+left("claimed_by"), 0), ended)
	return r, err
}

// HeldJobs returns the running jobs of a holder, as far as the database knows.
func (d *DB) HeldJobs(ctx context.Context, holder string) ([]int64, error) {
	return list[int64](ctx, d, "jobs of a holder", "SELECT id FROM river_job WHERE state = 'running' AND "+d.lastRunner()+" = ?", holder)
}

// JobHeld reports whether a job is running at a holder.
func (d *DB) JobHeld(ctx context.Context, id int64, holder string) (bool, error) {
	return value[bool](ctx, d.writing(), fmt.Sprintf("job %d", id), "SELECT EXISTS (SELECT 1 FROM river_job WHERE id = ? AND state = 'running' AND "+d.lastRunner()+" = ?)", id, holder)
}

// ReleaseJobs requeues jobs that a holder claimed and never began, without
// counting an attempt.
func (d *DB) ReleaseJobs(ctx context.Context, holder string, ids []int64) error {
	_, err := d.exec(ctx, "release jobs", "UPDATE river_job SET state = 'available', scheduled_at = "+d.jobNow()+
		", attempt = CASE WHEN attempt > 0 THEN attempt - 1 ELSE 0 END WHERE "+d.inOrder("river_job", "id", "id IN ? AND state = 'running' AND "+d.lastRunner()+" = ?", 0), ids, holder)
	return err
}

// HeldHosts returns the hosts claimed by a holder.
func (d *DB) HeldHosts(ctx context.Context, holder string) ([]string, error) {
	return list[string](ctx, d, "hosts of a holder", "SELECT host FROM delivery_hosts WHERE holder = ? AND holder <> ''", holder)
}

// ReleaseHosts releases hosts of a holder.
func (d *DB) ReleaseHosts(ctx context.Context, holder string, hosts []string) error {
	_, err := d.exec(ctx, "let go of hosts", "UPDATE delivery_hosts SET holder = '', due_at = 0 WHERE "+d.inOrder("delivery_hosts", "host", "host IN ? AND holder = ?", 0), hosts, holder)
	return err
}

// HeldInboxItems returns the items claimed by a holder.
func (d *DB) HeldInboxItems(ctx context.Context, holder string) ([]int64, error) {
	return list[int64](ctx, d, "inbox items of a holder", "SELECT id FROM inbox_items WHERE claimed_by = ? AND claimed_by <> ''", holder)
}

// ReleaseInboxItems releases items of a holder.
func (d *DB) ReleaseInboxItems(ctx context.Context, holder string, ids []int64) error {
	for part := range slices.Chunk(ids, sweepSize) {
		if _, err := d.exec(ctx, "release inbox items", "UPDATE inbox_items SET claimed_by = '' WHERE "+d.inOrder("inbox_items", "id", "id IN ? AND claimed_by = ?", 0), part, holder); err != nil {
			return err
		}
	}
	return nil
}
