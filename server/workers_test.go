package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/server/config"
	"svc/server/config/term"
)

func TestTheJobRunnersComplaintsAreKeptButForOne(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(quieter{slog.NewTextHandler(&out, &slog.HandlerOptions{
		Level: slog.LevelInfo,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	})}).With("by", "river")
	stopped := fmt.Errorf("begin: %w", context.Canceled).Error()
	log.Info("started")
	log.Error("maintenance.PeriodicJobEnqueuer: Error starting transaction", "error", stopped)
	log.Error("PeriodicJobEnqueuer: Error starting transaction", "error", errors.New("disk full").Error())
	log.Error("Producer: failed", "error", stopped)
	want := `level=ERROR msg="PeriodicJobEnqueuer: Error starting transaction" by=river error="disk full"
level=ERROR msg="Producer: failed" by=river error="begin: context canceled"
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestTheTimetableHasWhatTheCrontabKnows(t *testing.T) {
	s := config.DefaultSettings()
	usual := len(timetable(&s))
	s.Crontab = term.ListOf()
	without := len(timetable(&s))
	s.Crontab = term.ListOf(
		term.TupleOf(term.String("0 6 * * *"), term.Module("Svc.Workers.Cron.NewUsersDigestWorker")),
		term.TupleOf(term.String("0 18 * * *"), term.Module("Svc.Workers.Cron.NewUsersDigestWorker")),
		term.TupleOf(term.String("0 0 * * *"), term.Module("Svc.Workers.Cron.Unknown")),
	)
	if twice := len(timetable(&s)); usual != without+1 || twice != without+2 {
		t.Errorf("%d entries by default, %d without a crontab, %d with two", usual, without, twice)
	}
}
