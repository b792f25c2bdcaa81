package server

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"svc/db"
)

// lastCheck is the result of the last complete check of the database, read on
// request.
type lastCheck struct{ s *Server }

var (
	findingsDesc = prometheus.NewDesc("svc_check_findings", "Rows that contradict others in the last complete check of the database, by area.", []string{"area"}, nil)
	checkedDesc  = prometheus.NewDesc("svc_check_ended_timestamp_seconds", "The end of the last complete check of the database.", nil, nil)
)

// Describe names the metrics of Collect.
func (lastCheck) Describe(out chan<- *prometheus.Desc) {
	out <- findingsDesc
	out <- checkedDesc
}

// Collect reads the result. Before the first check there is none.
func (l lastCheck) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), depthTimeout)
	defer cancel()
	w, err := l.s.DB.CheckWalk(ctx)
	if err != nil {
		l.s.log.Warn("cannot read the result of the last check", "err", err)
		return
	}
	if w.EndedAt == 0 {
		return
	}
	for _, area := range db.CheckAreas() {
		out <- prometheus.MustNewConstMetric(findingsDesc, prometheus.GaugeValue, float64(w.Result[area]), area)
	}
	out <- prometheus.MustNewConstMetric(checkedDesc, prometheus.GaugeValue, float64(w.EndedAt))
}
