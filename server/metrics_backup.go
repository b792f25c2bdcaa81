package server

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"svc/server/platform/backup"
)

// lastBackup is the outcome of the last svcd backup, which is another process, read on
// request.
type lastBackup struct{ s *Server }

var (
	backupTriedDesc   = prometheus.NewDesc("svc_backup_attempt_ended_timestamp_seconds", "The end of the last backup that was tried.", nil, nil)
	backupWellDesc    = prometheus.NewDesc("svc_backup_attempt_succeeded", "Is 1 if the last backup that was tried was made, else 0.", nil, nil)
	backupMadeDesc    = prometheus.NewDesc("svc_backup_ended_timestamp_seconds", "The end of the last backup that was made.", nil, nil)
	backupSecondsDesc = prometheus.NewDesc("svc_backup_duration_seconds", "How long the last backup that was made took.", nil, nil)
	backupSizeDesc    = prometheus.NewDesc("svc_backup_size_bytes", "The size of what the last backup that was made has.", nil, nil)
)

// Describe names the metrics of Collect.
func (lastBackup) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{backupTriedDesc, backupWellDesc, backupMadeDesc, backupSecondsDesc, backupSizeDesc} {
		out <- d
	}
}

// Collect reads the outcome. Before the first backup there is none.
func (l lastBackup) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), depthTimeout)
	defer cancel()
	tried, made, err := backup.Last(ctx, l.s.DB)
	if err != nil {
		l.s.log.Warn("cannot read the outcome of the last backup", "err", err)
		return
	}
	gauge := func(d *prometheus.Desc, value float64) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value)
	}
	if tried != nil {
		well := 1.0
		if tried.Failed {
			well = 0
		}
		gauge(backupTriedDesc, float64(tried.Ended.Unix()))
		gauge(backupWellDesc, well)
	}
	if made != nil {
		gauge(backupMadeDesc, float64(made.Ended.Unix()))
		gauge(backupSecondsDesc, made.Seconds)
		gauge(backupSizeDesc, float64(made.Bytes))
	}
}
