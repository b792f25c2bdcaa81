package server

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/riverqueue/river"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/jobs"
	"svc/server/rules/push"
)

// thorough allows a job over large tables more time for a statement than
// others.
func thorough(ctx context.Context) context.Context { return db.Within(ctx, time.Minute) }

// eventsKept is the time for which events are kept.
const eventsKept = 20 * time.Minute

// perform has do take the arguments of each job of its kind.
func perform[T river.JobArgs](w *river.Workers, do func(context.Context, T) error) {
	river.AddWorker(w, river.WorkFunc(func(ctx context.Context, j *river.Job[T]) error { return do(ctx, j.Args) }))
}

// workers binds each kind of job to the function that does it, for one runner.
func (s *Server) workers(r *runner) *river.Workers {
	w := river.NewWorkers()
	perform(w, s.Social.FanOut)
	perform(w, s.Social.Unfollowed)
	perform(w, s.Social.Unlisted)
	perform(w, s.Social.Untagged)
	perform(w, s.Social.Settle)
	perform(w, s.Social.DeleteRest)
	perform(w, s.Social.ChangeReblogs)
	perform(w, s.Social.AdoptReplies)
	perform(w, s.Social.MergeThreads)
	perform(w, s.Social.ForgetVotes)
	perform(w, s.Social.ChangeNotifications)
	perform(w, s.Auth.ForgetApp)
	perform(w, func(ctx context.Context, _ jobs.Reindex) error {
		return s.Social.Reindex(thorough(ctx))
	})
	perform(w, func(ctx context.Context, _ jobs.MeasureMedia) error {
		return s.Media.MeasureOld(db.Yielding(thorough(ctx)))
	})
	perform(w, s.Social.PublishScheduled)
	perform(w, s.Social.ExpireStatus)
	perform(w, s.Social.TurnAnnouncements)
	perform(w, s.Social.ForgetAnnouncement)
	perform(w, func(ctx context.Context, _ jobs.Due) error {
		return errors.Join(s.Social.Due(ctx), s.DB.FoldTallies(ctx), s.DB.KeepCounts(ctx), s.DB.SweepEvents(ctx, db.At(s.now().Add(-eventsKept))))
	})
	perform(w, s.backlinks.Check)
	perform(w, s.cards.Fetch)
	perform(w, func(ctx context.Context, _ jobs.Sweep) error {
		ctx = thorough(ctx)
		return errors.Join(s.Social.Sweep(ctx), s.Moderation.Sweep(ctx), s.cards.Sweep(ctx), s.Signup.Sweep(ctx), s.Auth.Sweep(ctx), s.Archive.Sweep(ctx), s.Delivery.Sweep(ctx), s.Ingest.Sweep(ctx), s.Remote.Sweep(ctx), s.Push.Sweep(ctx), s.sweepTasks(ctx))
	})
	perform(w, func(ctx context.Context, args jobs.EraseAccount) error {
		done, err := s.Social.EraseAccount(db.Yielding(thorough(ctx)), args)
		if err == nil && !done {
			return river.JobSnooze(0) // to the end of the queue
		}
		return err
	})
	perform(w, s.checkDatabase)
	perform(w, func(ctx context.Context, _ jobs.SweepMedia) error {
		return s.Media.Sweep(thorough(ctx))
	})
	perform(w, func(ctx context.Context, args jobs.TellProfile) error {
		return s.Outbox.TellProfile(ctx, s.DB, args)
	})
	perform(w, func(ctx context.Context, args jobs.TellTally) error {
		return s.Outbox.TellTally(ctx, s.DB, args)
	})
	perform(w, func(ctx context.Context, args jobs.StealEmoji) error {
		return s.Emojis.Steal(ctx, s.Outgoing, args.URLs)
	})
	perform(w, func(ctx context.Context, args jobs.WarmMedia) error {
		return s.Proxy.Warm(ctx, args.URLs)
	})
	perform(w, s.Moderation.KeepFiles)
	perform(w, s.Ingest.FetchThread)
	perform(w, s.Ingest.FetchReplies)
	perform(w, s.Ingest.FetchFeatured)
	perform(w, s.Social.ForgetReached)
	river.AddWorker(w, &backups{s: s})
	river.AddWorker(w, &pruning{s: s})
	river.AddWorker(w, &tasks{s: s})
	perform(w, func(ctx context.Context, args jobs.Push) error {
		err := s.Push.Send(ctx, args)
		if pause := new(push.Pause); errors.As(err, &pause) {
			return river.JobSnooze(pause.For)
		}
		return err
	})
	s.mailWorkers(w, r)
	perform(w, s.Social.FollowMoved)
	perform(w, s.Social.TellSubscribers)
	perform(w, s.Social.EndPoll)
	perform(w, s.Social.AcceptWaiting)
	perform(w, s.Social.Import)
	perform(w, func(ctx context.Context, _ jobs.DigestNewUsers) error {
		return s.Signup.DigestNewUsers(ctx)
	})
	perform(w, func(ctx context.Context, _ jobs.CountActivity) error {
		return s.DB.CountActivity(thorough(ctx))
	})
	return w
}

// backups makes archives, which may take longer than other jobs.
type backups struct {
	river.WorkerDefaults[jobs.MakeBackup]
	s *Server
}

// Work does one.
func (b *backups) Work(ctx context.Context, j *river.Job[jobs.MakeBackup]) error {
	return b.s.Archive.Make(thorough(ctx), j.Args)
}

// Timeout is how long one may take.
func (*backups) Timeout(*river.Job[jobs.MakeBackup]) time.Duration { return 2 * time.Hour }

// pruning removes old remote statuses for most of an hour, if there are so many.
type pruning struct {
	river.WorkerDefaults[jobs.PruneRemotePosts]
	s *Server
}

// Work does a part.
func (p *pruning) Work(ctx context.Context, _ *river.Job[jobs.PruneRemotePosts]) error {
	removed, err := p.s.Social.PruneOn(db.Yielding(ctx), pruneFor)
	if removed > 0 {
		p.s.log.InfoContext(ctx, "pruned old posts of other servers", "removed", removed)
	}
	return err
}

// Timeout is how long one may take.
func (*pruning) Timeout(*river.Job[jobs.PruneRemotePosts]) time.Duration { return pruneEvery }

const (
	pruneEvery = time.Hour
	pruneFor   = 50 * time.Minute // the next goes on where it ended
)

// queues returns the number of concurrent jobs of each queue, from the
// settings.
func queues(s *config.Settings) map[string]river.QueueConfig {
	q := &s.Queues
	return map[string]river.QueueConfig{
		river.QueueDefault:    {MaxWorkers: q.Background},
		jobs.QueueMail:        {MaxWorkers: q.Mailer},
		jobs.QueueFetch:       {MaxWorkers: q.Fetcher},
		jobs.QueueScheduled:   {MaxWorkers: q.Scheduled},
		jobs.QueueExpiry:      {MaxWorkers: q.Expiration},
		jobs.QueueBackup:      {MaxWorkers: q.Backup},
		jobs.QueueAttachments: {MaxWorkers: q.Attachments},
		jobs.QueuePush:        {MaxWorkers: q.Push},
	}
}

// byTheClock are the jobs for modules of the crontab.
var byTheClock = map[string]river.JobArgs{"Svc.Workers.Cron.NewUsersDigestWorker": jobs.DigestNewUsers{}}

// timetable is the periodic jobs, each in one process of all: fixed ones, and
// those of the settings.
func timetable(s *config.Settings) []*river.PeriodicJob {
	always := []*river.PeriodicJob{
		river.NewPeriodicJob(river.PeriodicInterval(24*time.Hour),
			func() (river.JobArgs, *river.InsertOpts) { return jobs.Reindex{}, nil },
			&river.PeriodicJobOpts{RunOnStart: true}),
		river.NewPeriodicJob(river.PeriodicInterval(24*time.Hour),
			func() (river.JobArgs, *river.InsertOpts) { return jobs.MeasureMedia{}, nil },
			&river.PeriodicJobOpts{RunOnStart: true}),
		river.NewPeriodicJob(river.PeriodicInterval(time.Minute),
			func() (river.JobArgs, *river.InsertOpts) { return jobs.Due{}, nil },
			&river.PeriodicJobOpts{RunOnStart: true}),
		river.NewPeriodicJob(river.PeriodicInterval(time.Hour),
			func() (river.JobArgs, *river.InsertOpts) { return jobs.Sweep{}, nil },
			&river.PeriodicJobOpts{RunOnStart: true}),
		river.NewPeriodicJob(river.PeriodicInterval(time.Hour),
			func() (river.JobArgs, *river.InsertOpts) { return jobs.CountActivity{}, nil },
			&river.PeriodicJobOpts{RunOnStart: true}),
		river.NewPeriodicJob(river.PeriodicInterval(time.Hour),
			func() (river.JobArgs, *river.InsertOpts) { return jobs.SweepMedia{}, nil },
			&river.PeriodicJobOpts{RunOnStart: true}),
		river.NewPeriodicJob(river.PeriodicInterval(time.Hour),
			func() (river.JobArgs, *river.InsertOpts) { return jobs.CheckDatabase{}, nil }, nil),
		river.NewPeriodicJob(river.PeriodicInterval(pruneEvery),
			func() (river.JobArgs, *river.InsertOpts) { return jobs.PruneRemotePosts{}, nil },
			&river.PeriodicJobOpts{RunOnStart: true}),
	}
	for _, entry := range s.Timetable() {
		if args, ok := byTheClock[entry.Module]; ok {
			always = append(always, river.NewPeriodicJob(entry.Schedule, func() (river.JobArgs, *river.InsertOpts) { return args, nil }, nil))
		}
	}
	return always
}

// work starts a job runner and returns the function that stops it.
func (s *Server) work(ctx context.Context) (stop func(context.Context) error, err error) {
	r, err := s.newRunner(ctx)
	if err != nil {
		return nil, err
	}
	// The holder ends once none of its jobs runs any more.
	end := func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
		defer cancel()
		if _, err := r.held(ctx, r.holder.ID()); err != nil { // records the ended jobs
			s.log.WarnContext(ctx, "cannot store job outcomes", "err", err)
		}
		return r.holder.End(ctx)
	}
	settings := s.Settings.Load()
	client, err := river.NewClient(r, &river.Config{
		ID:                   r.holder.ID(),
		Queues:               queues(settings),
		Workers:              s.workers(r),
		PeriodicJobs:         timetable(settings),
		Logger:               slog.New(quieter{s.log.Handler()}),
		JobTimeout:           5 * time.Minute,
		FetchPollInterval:    fetchAnyway,
		RescueStuckJobsAfter: ages,
		ReindexerSchedule:    reindexing(s.DB.Dialect()),
		Middleware:           s.jobMiddleware(),
	})
	if err == nil {
		err = client.Start(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, end(ctx))
	}
	return func(ctx context.Context) error {
		err := client.Stop(ctx)
		if ctx.Err() != nil {
			// Jobs that did not end in time go back to their queue.
			stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
			defer cancel()
			err = client.StopAndCancel(stop)
		}
		return errors.Join(err, end(ctx))
	}, nil
}

// lastWords bounds the end of a runner after its jobs were given up.
const lastWords = 5 * time.Second

// reindexing is the time at which the job runner rebuilds its indexes, nil for
// each night. It names those that it has on PostgreSQL; SQLite has other ones,
// which do not grow beyond their content.
func reindexing(dialect db.Dialect) river.PeriodicSchedule {
	if dialect == db.Postgres {
		return nil
	}
	return never{}
}

// never is a schedule without a time.
type never struct{}

// Next returns a time in the far future.
func (never) Next(now time.Time) time.Time { return now.AddDate(100, 0, 0) }

// quieter logs only the job runner's warnings and failures.
type quieter struct{ slog.Handler }

func (q quieter) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && q.Handler.Enabled(ctx, l)
}

// Handle drops one warning: of a runner that is stopped while it sets up its
// timetable. The next runner sets it up again.
func (q quieter) Handle(ctx context.Context, r slog.Record) error {
	if strings.Contains(r.Message, "PeriodicJobEnqueuer: ") {
		stopped := false
		r.Attrs(func(a slog.Attr) bool {
			stopped = a.Key == "error" && strings.Contains(a.Value.String(), context.Canceled.Error())
			return !stopped
		})
		if stopped {
			return nil
		}
	}
	return q.Handler.Handle(ctx, r)
}

func (q quieter) WithAttrs(a []slog.Attr) slog.Handler { return quieter{q.Handler.WithAttrs(a)} }
func (q quieter) WithGroup(n string) slog.Handler      { return quieter{q.Handler.WithGroup(n)} }
