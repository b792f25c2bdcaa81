package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"svc/client/settings/term"
	"svc/db"
	"svc/server/platform/config"
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

func TestJobsThatFailAreCounted(t *testing.T) {
	job := &rivertype.JobRow{Kind: "example", Attempt: 2, MaxAttempts: 3}
	last := &rivertype.JobRow{Kind: "example", Attempt: 3, MaxAttempts: 3}
	failed := errors.New("failed")
	for _, c := range []struct {
		job  *rivertype.JobRow
		err  error
		want string
	}{
		{job, nil, ""}, {last, nil, ""}, {job, river.JobSnooze(0), ""}, {job, failed, jobRetried}, {last, failed, jobGivenUp}, {job, river.JobCancel(failed), jobGivenUp},
	} {
		if got := jobOutcome(c.job, c.err); got != c.want {
			t.Errorf("attempt %d, %v: %q", c.job.Attempt, c.err, got)
		}
	}
	m := &metrics{jobs: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "jobs"}, []string{"kind", "outcome"})}
	if err := m.countJob(t.Context(), last, func(context.Context) error { return failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
	func() {
		defer func() { _ = recover() }()
		_ = m.countJob(t.Context(), job, func(context.Context) error { panic("a panic") })
	}()
	known := prometheus.NewRegistry()
	known.MustRegister(m.jobs)
	got := httptest.NewRecorder()
	promhttp.HandlerFor(known, promhttp.HandlerOpts{}).ServeHTTP(got, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	for _, line := range []string{`jobs{kind="example",outcome="given_up"} 1`, `jobs{kind="example",outcome="retried"} 1`} {
		if !strings.Contains(got.Body.String(), line) {
			t.Errorf("%s is not in %s", line, got.Body)
		}
	}
}

// On SQLite the job runner has other indexes than those that it names.
func TestTheJobRunnerRebuildsNoIndexesOfSQLite(t *testing.T) {
	now := time.Now()
	if s := reindexing(db.SQLite); s == nil || s.Next(now).Sub(now) < 10*365*24*time.Hour {
		t.Error("it does")
	}
	if reindexing(db.Postgres) != nil {
		t.Error("on PostgreSQL its own times are changed")
	}
}
