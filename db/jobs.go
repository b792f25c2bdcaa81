package db

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/riverqueue/river/rivertype"
)

// JobQueue counts the jobs of a queue by state.
type JobQueue struct {
	Queue     string
	Available int64 // waiting for a worker
	Scheduled int64 // waiting for their time
	Running   int64
	Retryable int64 // failed, to be tried again
	Discarded int64 // failed for good
	OldestAt  int64 // when the oldest that waits for a worker was to begin, in microseconds; 0 for none
}

// FailedJob is a failed job that will be retried, or was given up.
type FailedJob struct {
	ID          int64
	Queue       string
	Kind        string
	State       string // retryable or discarded
	Attempt     int
	MaxAttempts int
	Error       string // the last
	CreatedAt   int64  // microseconds, as the next
	ScheduledAt int64  // when it is tried again
}

// jobTime returns a column of the job queue in microseconds.
func (d *DB) jobTime(column string) string {
	if d.Dialect() == Postgres {
		return "CAST(EXTRACT(EPOCH FROM " + column + ") * 1000000 AS BIGINT)"
	}
	return "CAST(unixepoch(" + column + ", 'subsec') * 1000000 AS INTEGER)"
}

// JobQueues returns the queues with jobs, by name.
func (d *DB) JobQueues(ctx context.Context) ([]JobQueue, error) {
	count := func(state string) string {
		return "SUM(CASE WHEN state = '" + state + "' THEN 1 ELSE 0 END) AS " + state + ", "
	}
	return list[JobQueue](ctx, d, "count jobs", "SELECT queue, "+count("available")+count("scheduled")+count("running")+count("retryable")+count("discarded")+
		"COALESCE(MIN(CASE WHEN state = 'available' THEN "+d.jobTime("scheduled_at")+` END), 0) AS oldest_at FROM river_job
		WHERE state IN ('available', 'scheduled', 'running', 'retryable', 'discarded') GROUP BY queue ORDER BY queue`)
}

// FailedJobs returns up to limit failed jobs with ids below before (0 for all),
// newest first, of one queue or, for "", of all.
func (d *DB) FailedJobs(ctx context.Context, queue string, before int64, limit int) ([]FailedJob, error) {
	cond, args := "", []any{}
	if queue != "" {
		cond, args = cond+" AND queue = ?", append(args, queue)
	}
	if before > 0 {
		cond, args = cond+" AND id < ?", append(args, before)
	}
	return d.failedJobs(ctx, cond+" ORDER BY id DESC"+limitOf(limit), args...)
}

// FailedJob returns a failed job by its number.
func (d *DB) FailedJob(ctx context.Context, id int64) (*FailedJob, error) {
	rows, err := d.failedJobs(ctx, " AND id = ?", id)
	if err == nil && len(rows) == 0 {
		err = notFound("failed job %d", id)
	}
	if err != nil {
		return nil, err
	}
	return &rows[0], nil
}

func (d *DB) failedJobs(ctx context.Context, cond string, args ...any) ([]FailedJob, error) {
	last := `errors ->> '$[#-1].error'`
	if d.Dialect() == Postgres {
		last = `errors[array_upper(errors, 1)] ->> 'error'`
	}
	return list[FailedJob](ctx, d, "failed jobs", "SELECT id, queue, kind, CAST(state AS TEXT) AS state, attempt, max_attempts, COALESCE("+last+", '') AS error, "+
		d.jobTime("created_at")+" AS created_at, "+d.jobTime("scheduled_at")+" AS scheduled_at FROM river_job WHERE state IN ('retryable', 'discarded')"+
		cond, args...)
}

// EmitJob emits a change of a failed job: Added, Changed or Gone.
func (d *DB) EmitJob(ctx context.Context, id int64, what string) error {
	return d.Emit(ctx, Event{Kind: EventJob, Subject: strconv.FormatInt(id, 10), Data: what})
}

// RetryJob makes a failed job run as soon as possible.
func (d *DB) RetryJob(ctx context.Context, id int64) error {
	return d.Tx(ctx, func(tx *DB) error {
		sqlTx, err := tx.SQLTx()
		if err != nil {
			return fmt.Errorf("retry job %d: %w", id, err)
		}
		client, err := tx.JobInserter()
		if err != nil {
			return fmt.Errorf("retry job %d: %w", id, err)
		}
		job, err := client.JobGetTx(ctx, sqlTx, id)
		if errors.Is(err, rivertype.ErrNotFound) || err == nil && job.State != rivertype.JobStateRetryable && job.State != rivertype.JobStateDiscarded {
			return fmt.Errorf("failed job %d: %w", id, ErrNotFound)
		}
		if err != nil {
			return fmt.Errorf("retry job %d: %w", id, err)
		}
		if _, err := client.JobRetryTx(ctx, sqlTx, id); err != nil {
			return fmt.Errorf("retry job %d: %w", id, err)
		}
		return tx.EmitJob(ctx, id, Gone)
	})
}

// InboxDepth returns the number of queued inbox items and the arrival of the
// oldest.
func (d *DB) InboxDepth(ctx context.Context) (n int64, oldest Time, err error) {
	type depth struct {
		N      int64
		Oldest Time
	}
	row, err := value[depth](ctx, d, "count what came in", `SELECT (SELECT COUNT(*) FROM inbox_items) AS n, (SELECT received_at FROM inbox_items ORDER BY id LIMIT 1) AS oldest`)
	return row.N, row.Oldest, err
}
