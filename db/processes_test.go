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
	"svc/server/jobs"
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
		r.began <- j.ID
		<-ctx.Done()
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

// leave has the process die over a job that it tried so often.
func (r *runner) leave(attempts int) (id int64) {
	r.t.Helper()
	if err := r.client.Start(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	if err := r.d.Tx(r.t.Context(), func(tx *db.DB) error { return jobs.Enqueue(r.t.Context(), tx, jobs.CountActivity{}) }); err != nil {
		r.t.Fatal(err)
	}
	id = <-r.began
	if err := r.client.StopAndCancel(context.Background()); err != nil {
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
		dead, living := newRunner(t, d, "dead"), newRunner(t, d, "living")
		tried, spent, running := dead.leave(1), dead.leave(25), living.leave(1)
		states := func() map[int64]rivertype.JobState {
			out := map[int64]rivertype.JobState{}
			for _, id := range []int64{tried, spent, running} {
				job, err := dead.client.JobGet(ctx, id)
				if err != nil {
					t.Fatal(err)
				}
				out[id] = job.State
			}
			return out
		}
		for _, name := range []string{"dead", "living"} {
			if err := d.ProcessSeen(ctx, name); err != nil {
				t.Fatal(err)
			}
		}
		past := d.Now().Add(-time.Minute)
		if n, err := d.ReviveJobs(ctx, past); err != nil || n != 0 {
			t.Errorf("%d jobs of the living are revived, %v", n, err)
		}
		if err := d.ProcessGone(ctx, "dead"); err != nil {
			t.Fatal(err)
		}
		if n, err := d.ReviveJobs(ctx, past); err != nil || n != 1 {
			t.Errorf("%d jobs of the dead are revived, %v", n, err)
		}
		want := map[int64]rivertype.JobState{
			tried: rivertype.JobStateAvailable, spent: rivertype.JobStateDiscarded, running: rivertype.JobStateRunning,
		}
		if diff := cmp.Diff(want, states()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		// Who is silent for long has died too.
		if n, err := d.ReviveJobs(ctx, d.Now().Add(time.Second)); err != nil || n != 1 || states()[running] != rivertype.JobStateAvailable {
			t.Errorf("%d jobs of the silent are revived, %v", n, err)
		}
	})
}
