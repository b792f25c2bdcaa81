package server

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"svc/db"
	"svc/server/federation/delivery"
)

// depthTimeout bounds the counting of waiting deliveries.
const depthTimeout = 5 * time.Second

// deliveryMetrics are the deliveries of this process, and the waiting ones of
// all processes.
func deliveryMetrics(s *Server) []prometheus.Collector {
	counter := func(name, help string, read func(delivery.Counts) int64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, func() float64 { return float64(read(s.Delivery.Counts())) })
	}
	return []prometheus.Collector{
		counter("svc_deliveries_total", "Activities that an inbox of another server took.", func(c delivery.Counts) int64 { return c.Delivered }),
		counter("svc_delivery_failures_total", "Tries to deliver that failed; most are made again.", func(c delivery.Counts) int64 { return c.Failed }),
		counter("svc_deliveries_dropped_total", "Deliveries that were given up or refused.", func(c delivery.Counts) int64 { return c.Dropped }),
		queueDepth{s},
	}
}

// queueDepth is the number of waiting deliveries, counted on request.
type queueDepth struct{ s *Server }

var (
	waitingDesc       = prometheus.NewDesc("svc_deliveries_waiting", "Deliveries that wait, of all processes.", nil, nil)
	hostsDesc         = prometheus.NewDesc("svc_delivery_hosts", "Other servers that something waits for.", nil, nil)
	undistributedDesc = prometheus.NewDesc("svc_activities_undistributed", "Activities whose recipients are still to be found.", nil, nil)
)

// Describe names the metrics of Collect.
func (queueDepth) Describe(out chan<- *prometheus.Desc) {
	out <- waitingDesc
	out <- hostsDesc
	out <- undistributedDesc
}

// Collect counts.
func (q queueDepth) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), depthTimeout)
	defer cancel()
	depth, err := q.s.DB.DeliveryDepth(ctx)
	if err != nil {
		depth = db.QueueDepth{}
		q.s.log.Warn("cannot count the delivery queue", "err", err)
	}
	out <- prometheus.MustNewConstMetric(waitingDesc, prometheus.GaugeValue, float64(depth.Deliveries))
	out <- prometheus.MustNewConstMetric(hostsDesc, prometheus.GaugeValue, float64(depth.Hosts))
	out <- prometheus.MustNewConstMetric(undistributedDesc, prometheus.GaugeValue, float64(depth.Undistributed))
}
