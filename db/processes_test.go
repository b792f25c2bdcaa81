package db_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/jobs"
)

// runner is a process that runs jobs until it is killed.
type runner struct {
	t      *testing.T
	d      *db.DB
	client *river.Client[*sql.Tx]
	began  chan int64
}

func newRunner(t *testing.T, d *db.DB, name string) *runner {
	t.Helper()
	r := &runner{t: t, d: d, began: make(chan int64)}
	workers := river.NewWorkers()
	river.AddWorker(workers, river.WorkFunc(func(ctx context.Context, j *river.Job[jobs.CountActivity]) error {
		select { // on a slow machine the job is due again while the client stops
		case r.began <- j.ID:
			<-ctx.Done()
		case <-ctx.Done():
		}
		return ctx.Err()
	}))
	var err error
	r.client, err = river.NewClient(d.JobDriver(), &river.Config{
		ID: name, Workers: workers, Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 1}}, TestOnly: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// leave makes the process die over a job after so many attempts.
func (r *runner) leave(attempts int) (id int64) {
	r.t.Helper()
	if err := r.client.Start(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	if err := r.d.Tx(r.t.Context(), func(tx *db.DB) error { return jobs.Enqueue(r.t.Context(), tx, jobs.CountActivity{}) }); err != nil {
		r.t.Fatal(err)
	}
	id = <-r.began
	stop, cancel := context.WithTimeout(r.t.Context(), time.Minute)
	defer cancel()
	if err := r.client.StopAndCancel(stop); err != nil {
		r.t.Fatal(err)
	}
	if err := dbtest.Exec(r.t, r.d, "UPDATE river_job SET state = 'running', finalized_at = NULL, attempt = ? WHERE id = ?", attempts, id); err != nil {
		r.t.Fatal(err)
	}
	return id
}

func TestJobsOfTheDeadAreRevivedAndNoOthers(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		dead, living, over := newRunner(t, d, "dead/1"), newRunner(t, d, "living/1"), newRunner(t, d, "living/2")
		tried, spent, running, left := dead.leave(1), dead.leave(25), living.leave(1), over.leave(1)
		states := func() map[int64]rivertype.JobState {
			out := map[int64]rivertype.JobState{}
			for _, id := range []int64{tried, spent, running, left} {
				job, err := dead.client.JobGet(ctx, id)
				if err != nil {
					t.Fatal(err)
				}
				out[id] = job.State
			}
			return out
		}
		for _, name := range []string{"dead", "living"} {
			if _, err := d.ProcessSeen(ctx, name, time.Minute); err != nil {
				t.Fatal(err)
			}
		}
		if r, err := d.ReviveClaims(ctx, nil); err != nil || r.Any() {
			t.Errorf("of the living are revived %+v, %v", r, err)
		}
		if err := d.ProcessGone(ctx, "dead"); err != nil {
			t.Fatal(err)
		}
		if r, err := d.ReviveClaims(ctx, []string{"living/2"}); err != nil || r != (db.Revived{Jobs: 2}) {
			t.Errorf("of the dead, and of a holder that ended, are revived %+v, %v", r, err)
		}
		want := map[int64]rivertype.JobState{
			tried: rivertype.JobStateAvailable, spent: rivertype.JobStateDiscarded, running: rivertype.JobStateRunning, left: rivertype.JobStateAvailable,
		}
		if diff := cmp.Diff(want, states()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if held, err := d.HeldJobs(ctx, "living/1"); err != nil || len(held) != 1 || held[0] != running {
			t.Errorf("a holder has %v, %v", held, err)
		}
		// A job that its holder never began is put back, and counts no attempt.
		if err := d.ReleaseJobs(ctx, "living/1", []int64{running, tried}); err != nil {
			t.Fatal(err)
		}
		if job, err := dead.client.JobGet(ctx, running); err != nil || job.State != rivertype.JobStateAvailable || job.Attempt != 0 {
			t.Errorf("the job is %s after %d attempts, %v", job.State, job.Attempt, err)
		}
	})
}

// ages moves the times of a process back by the database's clock.
func ages(t *testing.T, d *db.DB, id string, seen, since time.Duration) {
	t.Helper()
	if err := dbtest.Exec(t, d, "UPDATE processes SET seen_at = seen_at - ?, since = since - ? WHERE id = ?", seen.Microseconds(), since.Microseconds(), id); err != nil {
		t.Fatal(err)
	}
}

func TestTheSilentAreForgottenByThoseWhoWereHeard(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const lapse, lifetime = 15 * time.Second, 30 * time.Second
		for name, tt := range map[string]struct {
			since, seen time.Duration // of the calling process
			silent      time.Duration // of the other process
			forgotten   bool
		}{
			"silent for too long":              {since: time.Hour, silent: 31 * time.Second, forgotten: true},
			"silent for a while":               {since: time.Hour, silent: 29 * time.Second},
			"seen in a future that never was":  {since: time.Hour, silent: -time.Hour, forgotten: true},
			"who asks is new, or was away too": {since: 29 * time.Second, silent: time.Minute},
			"who asks is silent too":           {since: time.Hour, seen: 16 * time.Second, silent: time.Minute},
		} {
			for _, id := range []string{"asks", "other"} {
				if err := d.ProcessGone(t.Context(), id); err != nil {
					t.Fatal(err)
				}
				if _, err := d.ProcessSeen(t.Context(), id, lapse); err != nil {
					t.Fatal(err)
				}
			}
			ages(t, d, "asks", tt.seen, tt.since)
			ages(t, d, "other", tt.silent, 0)
			if err := d.ForgetSilent(t.Context(), "asks", lapse, lifetime); err != nil {
				t.Fatal(err)
			}
			var left int
			if err := d.Writer().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM processes WHERE id = 'other'").Scan(&left); err != nil {
				t.Fatal(err)
			}
			if (left == 0) != tt.forgotten {
				t.Errorf("%s: %d are left", name, left)
			}
		}
	})
}

func TestAGapMovesSinceWhenAProcessIsHeard(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const lapse = 15 * time.Second
		heard := func() db.Time {
			t.Helper()
			since, err := d.ProcessSeen(t.Context(), "me", lapse)
			if err != nil {
				t.Fatal(err)
			}
			return since
		}
		first := heard()
		ages(t, d, "me", 14*time.Second, 0)
		if since := heard(); since != first {
			t.Errorf("heard since %s after a short gap, want %s", since, first)
		}
		for _, gap := range []time.Duration{16 * time.Second, -time.Hour} {
			before := heard()
			ages(t, d, "me", gap, gap)
			if since := heard(); since == before.Add(-gap) {
				t.Errorf("heard since %s, without a gap of %s", since, gap)
			}
		}
		if err := d.ProcessGone(t.Context(), "me"); err != nil {
			t.Fatal(err)
		}
		if since := heard(); since == first {
			t.Error("a process that others forgot is heard since before")
		}
	})
}
