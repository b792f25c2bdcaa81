package server

import (
	"context"
	"errors"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river/rivertype"

	"svc/db"
	"svc/server/platform/jobs"
	"svc/server/platform/media"
	"svc/server/rules/push"
)

// mediaMetrics are how often the media store failed this process.
func mediaMetrics(s *Server) []prometheus.Collector {
	counter := func(operation string, read func(media.Failures) int64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "svc_media_store_failures_total", Help: "What the media store failed at, by operation: put, open, read or delete.",
			ConstLabels: prometheus.Labels{"operation": operation},
		}, func() float64 { return float64(read(s.Media.Failures())) })
	}
	return []prometheus.Collector{
		counter("put", func(f media.Failures) int64 { return f.Put }),
		counter("open", func(f media.Failures) int64 { return f.Open }),
		counter("read", func(f media.Failures) int64 { return f.Read }),
		counter("delete", func(f media.Failures) int64 { return f.Delete }),
	}
}

// pushMetrics count the outcomes of the messages to devices.
func pushMetrics(s *Server) []prometheus.Collector {
	var out []prometheus.Collector
	for _, o := range push.Outcomes() {
		out = append(out, prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "svc_push_messages_total", Help: "Messages to devices, by outcome: sent, delayed, gone or dropped.",
			ConstLabels: prometheus.Labels{"outcome": o.String()},
		}, func() float64 { return float64(s.Push.Count(o)) }))
	}
	return out
}

// jobQueues are the jobs of all processes, counted on request.
type jobQueues struct{ s *Server }

var jobsDesc = prometheus.NewDesc("svc_jobs", "Jobs of all processes, by queue and state.", []string{"queue", "state"}, nil)

// Describe names the metric of Collect.
func (jobQueues) Describe(out chan<- *prometheus.Desc) { out <- jobsDesc }

// Collect counts. A queue without jobs counts 0, so that an alarm can end.
func (j jobQueues) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), depthTimeout)
	defer cancel()
	found, err := j.s.DB.JobQueues(ctx)
	if err != nil {
		j.s.log.Warn("cannot count the jobs", "err", err)
		return
	}
	queues := map[string]db.JobQueue{}
	for _, name := range jobs.Queues() {
		queues[name] = db.JobQueue{}
	}
	for _, q := range found {
		queues[q.Queue] = q
	}
	for name, q := range queues {
		for state, n := range map[string]int64{
			"available": q.Available, "scheduled": q.Scheduled, "running": q.Running, "retryable": q.Retryable, "discarded": q.Discarded,
		} {
			out <- prometheus.MustNewConstMetric(jobsDesc, prometheus.GaugeValue, float64(n), name, state)
		}
	}
}

// Outcomes of jobs that failed.
const (
	jobRetried = "retried"
	jobGivenUp = "given_up"
)

var errJobPanic = errors.New("panic")

// countJob does a job, and counts its failure.
func (m *metrics) countJob(ctx context.Context, job *rivertype.JobRow, do func(context.Context) error) error {
	err := errJobPanic // unless do returns
	defer func() {
		if outcome := jobOutcome(job, err); outcome != "" {
			m.jobs.WithLabelValues(job.Kind, outcome).Inc()
		}
	}()
	err = do(ctx)
	return err
}

// jobOutcome is the outcome of a job that ended in err; "" if it did not fail.
func jobOutcome(job *rivertype.JobRow, err error) string {
	var (
		snoozed  *rivertype.JobSnoozeError
		canceled *rivertype.JobCancelError
	)
	switch {
	case err == nil, errors.As(err, &snoozed):
		return ""
	case errors.As(err, &canceled), job.Attempt >= job.MaxAttempts:
		return jobGivenUp
	}
	return jobRetried
}
