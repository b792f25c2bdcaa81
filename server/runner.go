package server

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"

	"svc/db"
	"svc/server/platform/alive"
)

// ages is the age of a running job that the job runner would count as stuck. It
// is never reached: package alive decides whether a process lives, and a job
// that ended while the database was away must not run again.
const ages = 100 * 365 * 24 * time.Hour

// The bounds of outcomes that wait for the database.
const (
	awayPause = 5 * time.Second
	awayMost  = 24 * time.Hour // after which a job that never finds it counts its attempts
)

// runner holds the jobs of a job runner. As the driver of its database it sees
// each job begin and end. It keeps the outcome of a job until the database has
// stored it.
type runner struct {
	riverdriver.Driver[*sql.Tx]
	db     *db.DB
	log    *slog.Logger
	holder *alive.Holder

	mu    sync.Mutex
	jobs  map[int64]alive.Lease // begun, by id, with the lease in which it was claimed
	ended map[int64]ending      // of those, outcomes that are not stored yet

	queues map[string]*rivertype.Queue // by name
}

// newRunner returns one that holds jobs from now on.
func (s *Server) newRunner(ctx context.Context) (*runner, error) {
	r := &runner{Driver: s.DB.JobDriver(), db: s.DB, log: s.log, jobs: map[int64]alive.Lease{}, ended: map[int64]ending{}, queues: map[string]*rivertype.Queue{}}
	var err error
	// Runners look for jobs by themselves.
	r.holder, err = alive.Hold(ctx, s.process, alive.Claims[int64]{Held: r.held, Knows: r.knows, Release: s.DB.ReleaseJobs}, func() {})
	return r, err
}

// GetExecutor returns the executor through which the job runner uses the
// database.
func (r *runner) GetExecutor() riverdriver.Executor {
	return executor{r.Driver.GetExecutor(), r}
}

func (r *runner) knows(id int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, begun := r.jobs[id]
	return begun
}

// held returns the jobs that the database says run here, once it knows of those
// that have ended.
func (r *runner) held(ctx context.Context, holder string) ([]int64, error) {
	ids, err := r.db.HeldJobs(ctx, holder)
	if err != nil {
		return nil, err
	}
	here := map[int64]bool{}
	for _, id := range ids {
		here[id] = true
	}
	params := &riverdriver.JobSetStateIfRunningManyParams{}
	r.mu.Lock()
	for id, e := range r.ended {
		if here[id] {
			e.appendTo(params)
		} else { // recorded after all, or taken over
			delete(r.ended, id)
			delete(r.jobs, id)
		}
	}
	r.mu.Unlock()
	if len(params.ID) == 0 {
		return ids, nil
	}
	if _, err := r.store(ctx, params); err != nil {
		return nil, err
	}
	r.recorded(params.ID)
	r.log.InfoContext(ctx, "stored job outcomes after a database outage", "jobs", len(params.ID))
	return ids, nil
}

// store stores the outcomes of jobs, and events of jobs that fail or fail no
// longer. A failure is stored together with its event. A success is stored
// first, since nothing depends on its event.
func (r *runner) store(ctx context.Context, params *riverdriver.JobSetStateIfRunningManyParams) (rows []*rivertype.JobRow, err error) {
	if !slices.ContainsFunc(params.State, failed) {
		rows, err = r.Driver.GetExecutor().JobSetStateIfRunningMany(ctx, params)
		if err == nil {
			if err := tellFailures(ctx, r.db, rows); err != nil {
				r.log.WarnContext(ctx, "cannot tell that jobs fail no longer", "err", err)
			}
		}
		return rows, err
	}
	err = r.db.Tx(ctx, func(tx *db.DB) error {
		sqlTx, err := tx.SQLTx()
		if err != nil {
			return err
		}
		if rows, err = r.Driver.UnwrapExecutor(sqlTx).JobSetStateIfRunningMany(ctx, params); err != nil {
			return err
		}
		return tellFailures(ctx, tx, rows)
	})
	return rows, err
}

// failed reports whether jobs of a state are listed as failed.
func failed(state rivertype.JobState) bool {
	return state == rivertype.JobStateRetryable || state == rivertype.JobStateDiscarded
}

// tellFailures stores events of jobs that are listed as failed, now or before. A
// first failure is followed by the next attempt at once, and not listed.
func tellFailures(ctx context.Context, d *db.DB, rows []*rivertype.JobRow) error {
	for _, row := range rows {
		what := db.Gone
		switch {
		case failed(row.State) && len(row.Errors) <= 2:
			what = db.Added
		case failed(row.State):
			what = db.Changed
		case len(row.Errors) < 2:
			continue
		}
		if err := d.EmitJob(ctx, row.ID, what); err != nil {
			return err
		}
	}
	return nil
}

// recorded forgets jobs with a stored outcome.
func (r *runner) recorded(ids []int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range ids {
		delete(r.ended, id)
		delete(r.jobs, id)
	}
}

// lost returns the jobs that other processes have taken over meanwhile. They may have since
// the lease was last good, even if no heartbeat has told yet that it is lost.
func (r *runner) lost(ctx context.Context, ids []int64) (map[int64]bool, error) {
	out := map[int64]bool{}
	r.mu.Lock()
	for _, id := range ids {
		if lease, begun := r.jobs[id]; begun && !lease.Good() {
			out[id] = true
		}
	}
	r.mu.Unlock()
	if len(out) == 0 {
		return out, nil
	}
	held, err := r.db.HeldJobs(ctx, r.holder.ID())
	for _, id := range held {
		delete(out, id)
	}
	return out, err
}

// claimed returns ctx for an irreversible effect of a job, once the database
// has confirmed that the job is still this runner's.
func (r *runner) claimed(ctx context.Context, id int64) (context.Context, error) {
	lease, err := r.holder.Confirm(ctx)
	if err != nil {
		return nil, err
	}
	held, err := r.db.JobHeld(ctx, id, r.holder.ID())
	if err == nil && !held {
		err = alive.ErrLost
	}
	return alive.Under(ctx, lease), err
}

// ending is how a job ended.
type ending struct {
	riverdriver.JobSetStateIfRunningManyParams
}

// endingOf is the i-th of some.
func endingOf(p *riverdriver.JobSetStateIfRunningManyParams, i int) ending {
	var e ending
	e.ID, e.Attempt, e.ErrData, e.FinalizedAt = p.ID[i:i+1:i+1], p.Attempt[i:i+1:i+1], p.ErrData[i:i+1:i+1], p.FinalizedAt[i:i+1:i+1]
	e.MetadataDoMerge, e.MetadataUpdates = p.MetadataDoMerge[i:i+1:i+1], p.MetadataUpdates[i:i+1:i+1]
	e.ScheduledAt, e.State, e.Now, e.Schema = p.ScheduledAt[i:i+1:i+1], p.State[i:i+1:i+1], p.Now, p.Schema
	return e
}

func (e ending) appendTo(p *riverdriver.JobSetStateIfRunningManyParams) {
	p.ID, p.Attempt, p.ErrData = append(p.ID, e.ID...), append(p.Attempt, e.Attempt...), append(p.ErrData, e.ErrData...)
	p.FinalizedAt, p.ScheduledAt, p.State = append(p.FinalizedAt, e.FinalizedAt...), append(p.ScheduledAt, e.ScheduledAt...), append(p.State, e.State...)
	p.MetadataDoMerge, p.MetadataUpdates = append(p.MetadataDoMerge, e.MetadataDoMerge...), append(p.MetadataUpdates, e.MetadataUpdates...)
	p.Now, p.Schema = e.Now, e.Schema
}

// executor sees the claims and outcomes of the job runner.
type executor struct {
	riverdriver.Executor
	r *runner
}

// JobGetAvailable claims jobs, while it is sure that the process is heard.
func (e executor) JobGetAvailable(ctx context.Context, params *riverdriver.JobGetAvailableParams) (*riverdriver.JobGetAvailableResult, error) {
	lease := e.r.holder.Lease()
	if !lease.Good() {
		return &riverdriver.JobGetAvailableResult{}, nil
	}
	waiting, err := e.r.db.DueWork(ctx)
	if err != nil || !slices.Contains(waiting.Queues, params.Queue) {
		return &riverdriver.JobGetAvailableResult{}, err
	}
	claimed, err := e.Executor.JobGetAvailable(ctx, params)
	if err != nil {
		return nil, err
	}
	e.r.mu.Lock()
	defer e.r.mu.Unlock()
	for _, row := range claimed.Jobs {
		e.r.jobs[row.ID] = lease
		delete(e.r.ended, row.ID)
	}
	return claimed, nil
}

// QueueGet returns a queue as it was found first. The job runner looks every two seconds
// whether somebody has paused it, which nothing here does.
func (e executor) QueueGet(ctx context.Context, params *riverdriver.QueueGetParams) (*rivertype.Queue, error) {
	e.r.mu.Lock()
	known := e.r.queues[params.Name]
	e.r.mu.Unlock()
	if known != nil {
		return known, nil
	}
	found, err := e.Executor.QueueGet(ctx, params)
	if err == nil {
		e.r.mu.Lock()
		e.r.queues[params.Name] = found
		e.r.mu.Unlock()
	}
	return found, err
}

// JobSetStateIfRunningMany stores the outcomes of jobs, or keeps them until
// that is possible. Jobs that another process took over are left to it.
func (e executor) JobSetStateIfRunningMany(ctx context.Context, params *riverdriver.JobSetStateIfRunningManyParams) ([]*rivertype.JobRow, error) {
	lost, err := e.r.lost(ctx, params.ID)
	ours := params
	if len(lost) > 0 {
		ours = &riverdriver.JobSetStateIfRunningManyParams{Now: params.Now, Schema: params.Schema}
		for i, id := range params.ID {
			if !lost[id] {
				endingOf(params, i).appendTo(ours)
			}
		}
	}
	var rows []*rivertype.JobRow
	if err == nil && len(ours.ID) > 0 {
		rows, err = e.r.store(ctx, ours)
	}
	if err == nil {
		e.r.recorded(params.ID)
		return rows, nil
	}
	e.r.mu.Lock()
	defer e.r.mu.Unlock()
	for i, id := range params.ID {
		if _, begun := e.r.jobs[id]; begun {
			e.r.ended[id] = endingOf(params, i)
		}
	}
	return rows, err
}

// LeaderAttemptElect hides an outage of the database: a runner that loses an
// election tries again soon, but after a failed attempt it waits for minutes.
func (e executor) LeaderAttemptElect(ctx context.Context, params *riverdriver.LeaderElectParams) (*riverdriver.Leader, error) {
	elected, err := e.Executor.LeaderAttemptElect(ctx, params)
	if err != nil && !errors.Is(err, rivertype.ErrNotFound) && ctx.Err() == nil {
		e.r.log.WarnContext(ctx, "cannot look up the runner of scheduled jobs", "err", err)
		return nil, rivertype.ErrNotFound // another was elected
	}
	return elected, err
}

// wait carries out a job, and waits while the database is away, without
// counting an attempt.
func (s *Server) wait(ctx context.Context, j *rivertype.JobRow, do func(context.Context) error) error {
	err := do(ctx)
	if db.IsTemporary(err) && time.Since(j.CreatedAt) < awayMost {
		s.log.WarnContext(ctx, "job waits for the database", "kind", j.Kind, "job", j.ID, "err", err)
		return river.JobSnooze(awayPause)
	}
	return err
}
