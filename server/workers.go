package server

import (
	"context"
	"log/slog"
	"time"

	"github.com/riverqueue/river"

	"svc/server/jobs"
)

// workers binds each kind of job to the function that does it.
func (s *Server) workers() *river.Workers {
	w := river.NewWorkers()
	river.AddWorker(w, river.WorkFunc(func(ctx context.Context, j *river.Job[jobs.FanOut]) error {
		return s.Social.FanOut(ctx, j.Args)
	}))
	river.AddWorker(w, river.WorkFunc(func(ctx context.Context, j *river.Job[jobs.Unfollowed]) error {
		return s.Social.Unfollowed(ctx, j.Args)
	}))
	river.AddWorker(w, river.WorkFunc(func(ctx context.Context, _ *river.Job[jobs.Sweep]) error {
		return s.Social.Sweep(ctx)
	}))
	return w
}

// timetable is what runs by the clock, in one process of all.
func timetable() []*river.PeriodicJob {
	return []*river.PeriodicJob{
		river.NewPeriodicJob(river.PeriodicInterval(time.Hour),
			func() (river.JobArgs, *river.InsertOpts) { return jobs.Sweep{}, nil },
			&river.PeriodicJobOpts{RunOnStart: true}),
	}
}

// work starts the job runner and returns how to stop it.
func (s *Server) work(ctx context.Context) (stop func(context.Context) error, err error) {
	client, err := river.NewClient(s.DB.JobDriver(), &river.Config{
		Queues:               map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 4}},
		Workers:              s.workers(),
		PeriodicJobs:         timetable(),
		Logger:               slog.New(quieter{s.log.Handler()}),
		JobTimeout:           5 * time.Minute,
		RescueStuckJobsAfter: 10 * time.Minute,
	})
	if err != nil {
		return nil, err
	}
	if err := client.Start(ctx); err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		err := client.Stop(ctx)
		if ctx.Err() != nil {
			// What did not end in time goes back to its queue.
			end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			return client.StopAndCancel(end)
		}
		return err
	}, nil
}

// quieter tells of the job runner's warnings and failures only.
type quieter struct{ slog.Handler }

func (q quieter) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && q.Handler.Enabled(ctx, l)
}

func (q quieter) WithAttrs(a []slog.Attr) slog.Handler { return quieter{q.Handler.WithAttrs(a)} }
func (q quieter) WithGroup(n string) slog.Handler      { return quieter{q.Handler.WithGroup(n)} }
