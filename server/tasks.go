package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"svc/db"
	"svc/server/platform/jobs"
)

// SQLite has one writer. A command that changes much beside a serving process would
// hold it whenever it can, from outside of the queue of those who wait; so the serving
// process does such work as a job, with pauses, and the command waits for the result.

// TaskKind is bulk work that a command asks the serving process for.
type TaskKind string

// The tasks, and what they return.
const (
	TaskPrune  TaskKind = "prune"  // PruneReport
	TaskRepair TaskKind = "repair" // CheckReport
)

// PruneReport is the result of svcd prune.
type PruneReport struct {
	Removed int `json:"removed"`
}

const (
	taskLook  = 200 * time.Millisecond
	taskBegun = time.Minute     // in which a serving process begins a task
	taskTime  = 6 * time.Hour   // of one task
	tasksKept = 48 * time.Hour  // after which their results are swept
	tasksAway = 5 * time.Second // after which a task without a serving process is given up
)

// Ask has the process that serves this SQLite database carry out a task, and reads its
// result into out. Without such a process, and on PostgreSQL, it does nothing and
// returns false: the caller does the work itself.
func Ask(ctx context.Context, d *db.DB, kind TaskKind, out any) (asked bool, err error) {
	if served, err := d.Served(); err != nil || !served {
		return false, err
	}
	t := &db.Task{Kind: string(kind)}
	err = d.Tx(ctx, func(tx *db.DB) error {
		if err := tx.CreateTask(ctx, t); err != nil {
			return err
		}
		return jobs.Enqueue(ctx, tx, jobs.RunTask{ID: t.ID})
	})
	if err != nil {
		return true, err
	}
	ctx, cancel := context.WithTimeout(ctx, taskTime)
	defer cancel()
	asking, served := time.Now(), time.Now()
	for {
		select {
		case <-ctx.Done():
			return true, fmt.Errorf("the service goes on with the work: %w", ctx.Err())
		case <-time.After(taskLook):
		}
		if t, err = d.Task(ctx, t.ID); err != nil {
			return true, err
		}
		if !t.EndedAt.IsZero() {
			break
		}
		there, err := d.Served()
		if err != nil {
			return true, err
		}
		if there {
			served = time.Now()
		}
		switch {
		case time.Since(served) > tasksAway:
			return true, errors.New("the service has stopped; it goes on with the work when it starts again")
		case t.BegunAt.IsZero() && time.Since(asking) > taskBegun:
			return true, errors.New("the service has not begun with the work, and does it later")
		}
	}
	if t.Result != "" {
		err = json.Unmarshal([]byte(t.Result), out)
	}
	if t.Error != "" {
		err = errors.New(t.Error)
	}
	return true, err
}

// tasks carries out tasks, which may take longer than other jobs.
type tasks struct {
	river.WorkerDefaults[jobs.RunTask]
	s *Server
}

// Work does one. A task that is interrupted is done again from its beginning: each may
// be repeated.
func (w *tasks) Work(ctx context.Context, j *river.Job[jobs.RunTask]) error {
	t, err := w.s.DB.BeginTask(ctx, j.Args.ID)
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	result, err := w.s.carryOut(db.Yielding(ctx), TaskKind(t.Kind))
	if ctx.Err() != nil || errors.Is(err, db.ErrUnavailable) {
		return errors.Join(err, ctx.Err())
	}
	failure := ""
	if err != nil {
		failure = err.Error()
		w.s.log.WarnContext(ctx, "a task failed", "task", t.Kind, "err", err)
	}
	raw, err := json.Marshal(result)
	if err != nil {
		return err
	}
	return w.s.DB.EndTask(ctx, t.ID, string(raw), failure)
}

// Timeout is how long one may take.
func (*tasks) Timeout(*river.Job[jobs.RunTask]) time.Duration { return taskTime }

func (s *Server) carryOut(ctx context.Context, kind TaskKind) (any, error) {
	switch kind {
	case TaskPrune:
		removed, err := s.Social.Prune(ctx)
		return PruneReport{removed}, err
	case TaskRepair:
		return Check(ctx, s.Settings.Load(), s.DB, s.stores, true)
	}
	return nil, fmt.Errorf("the service knows no task %q", kind)
}

// sweepTasks removes old tasks.
func (s *Server) sweepTasks(ctx context.Context) error {
	return s.DB.Steps(ctx, func(tx *db.DB) (bool, error) {
		return tx.SweepTasks(ctx, db.At(s.now().Add(-tasksKept)), 100)
	})
}
