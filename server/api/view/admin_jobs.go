package view

import (
	"time"

	"svc/client/api"
	"svc/db"
)

// Job renders a failed job.
func Job(j *db.FailedJob) api.Job {
	return api.Job{
		ID: j.ID, Queue: j.Queue, Kind: j.Kind, State: j.State, Attempt: j.Attempt, MaxAttempts: j.MaxAttempts, Error: j.Error,
		CreatedAt: micros(j.CreatedAt), RetryAt: micros(j.ScheduledAt),
	}
}

// Queue renders the counts of a queue.
func Queue(q *db.JobQueue) api.Queue {
	return api.Queue{
		Queue: q.Queue, Available: q.Available, Scheduled: q.Scheduled, Running: q.Running, Retryable: q.Retryable, Discarded: q.Discarded,
		OldestAt: micros(q.OldestAt),
	}
}

// micros is a time of a row that keeps microseconds, nil for none.
func micros(n int64) *api.Time {
	if n <= 0 {
		return nil
	}
	return api.At(time.UnixMicro(n).UTC())
}
