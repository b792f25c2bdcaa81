package ingest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/federation/mrf"
	"svc/server/federation/remote"
	"svc/server/platform/fault"
	"svc/server/platform/tracing"
)

// pauses are the pauses after failed attempts; the last one repeats.
var pauses = [...]time.Duration{time.Second, 15 * time.Second, 2 * time.Minute, 15 * time.Minute, time.Hour}

// work processes an item until its outcome is stored: done, dropped, or
// postponed. While the database is away no attempt is counted.
func (s *Service) work(ctx context.Context, e *engine, it *item) {
	for away := false; ; away = true {
		err := s.once(ctx, it)
		if !db.IsTemporary(err) {
			if err != nil {
				s.log.ErrorContext(ctx, "cannot remove a finished activity", "item", it.row.ID, "err", err)
			}
			return
		}
		if !away {
			s.log.WarnContext(ctx, "activity waits for the database", "item", it.row.ID, "err", err)
		}
		select {
		case <-e.stopped:
			return
		case <-time.After(lull):
		}
	}
}

// once processes an item, and stores the outcome.
func (s *Service) once(ctx context.Context, it *item) error {
	ctx, span := s.traces.Activity(ctx, it.row.Attempt+1)
	outcome := "failed" // unless it ends
	defer func() { span.Processed(outcome, outcome == "failed") }()
	tried, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	err := s.attempt(tried, it, span)
	outcome = outcomeOf(err)
	ctx, cancel = context.WithTimeout(ctx, recording)
	defer cancel()
	if reason, ends := final(err); ends {
		s.log.InfoContext(ctx, "dropped an activity", "reason", truncate(reason), "actor", quote(it.row.Actor), "host", quote(it.row.Host))
		err = nil
	}
	switch {
	case errors.Is(err, errTaken):
		s.log.WarnContext(ctx, "another process took over an activity", "item", it.row.ID)
		return nil
	case db.IsTemporary(err) && tried.Err() == nil:
		return err
	case err == nil:
		return s.end(ctx, it)
	}
	return s.postpone(ctx, it, err)
}

// outcomeOf names the outcome of a try in traces.
func outcomeOf(err error) string {
	var d *delayed
	_, ends := final(err)
	switch {
	case err == nil:
		return "done"
	case errors.Is(err, errTaken):
		return "taken"
	case ends:
		return "dropped"
	case errors.As(err, &d):
		return "delayed"
	}
	return "failed"
}

// end removes an item. A committed one removed its row itself.
func (s *Service) end(ctx context.Context, it *item) error {
	err := s.db.DeleteInboxItem(ctx, it.row.ID, it.row.ClaimedBy)
	if err == nil || errors.Is(err, db.ErrNotFound) {
		s.load.add(it.row.Host, -1, -it.row.Size)
		return nil
	}
	return err
}

// attempt is take, with panics as errors.
func (s *Service) attempt(ctx context.Context, it *item, span tracing.Span) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	in, err := s.incoming(ctx, it)
	if err != nil {
		return err
	}
	span.Processes(in.Activity.Type())
	return s.Process(ctx, in)
}

// final reports whether an error ends an activity for good, and why.
func final(err error) (reason string, ok bool) {
	var (
		d *dropped
		r *mrf.Rejection
		f *fault.Error
	)
	switch {
	case err == nil, db.IsTemporary(err), fault.Is(err, fault.KindUnavailable):
		return "", false
	case errors.As(err, &d), errors.As(err, &r), errors.As(err, &f), errors.Is(err, activitypub.ErrMalformed),
		errors.Is(err, remote.ErrGone), errors.Is(err, remote.ErrRefused), errors.Is(err, db.ErrNotFound) && !errors.Is(err, errTaken):
		return err.Error(), true
	}
	return "", false
}

// postpone schedules another attempt of an activity, or gives it up.
func (s *Service) postpone(ctx context.Context, it *item, why error) error {
	var d *delayed
	if !errors.As(why, &d) {
		s.log.WarnContext(ctx, "activity failed", "err", why, "actor", quote(it.row.Actor), "attempt", it.row.Attempt+1)
	}
	if it.row.Attempt+1 >= s.settings.Load().Retries.Incoming {
		s.log.WarnContext(ctx, "gave up an activity", "reason", truncate(why.Error()), "actor", quote(it.row.Actor), "attempts", it.row.Attempt+1)
		return s.end(ctx, it)
	}
	pause := pauses[min(it.row.Attempt, len(pauses)-1)]
	pause += time.Duration((rand.Float64() - 0.5) * 0.4 * float64(pause))
	return s.db.PostponeInboxItem(ctx, it.row.ID, it.row.ClaimedBy, db.At(s.now().Add(pause)), truncate(why.Error()))
}

// quote and truncate make remote text fit for a log line.
func quote(text string) string { return fmt.Sprintf("%.200q", text) }

func truncate(text string) string {
	if len(text) > 500 {
		text = text[:500]
	}
	return text
}
