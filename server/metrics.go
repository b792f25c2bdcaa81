package server

import (
	"context"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"svc/server/api/streaming"
	"svc/server/api/web"
	"svc/server/platform/config"
)

// metrics counts the work of this process for monitoring, at the path of the
// settings, and at an address of the operator's choice.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	jobs     *prometheus.CounterVec
	known    *prometheus.Registry // all of them
	handler  http.Handler
}

func newMetrics(s *Server, version string) *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "svc_http_requests_total", Help: "Requests that were answered, by route and status.",
		}, []string{"method", "route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "svc_http_request_duration_seconds", Help: "How long answers took that are no streams, by method.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"method"}),
		jobs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "svc_job_failures_total", Help: "Jobs of this process that failed, by kind and by what became of them: retried or given_up.",
		}, []string{"kind", "outcome"}),
	}
	build := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "svc_build_info", Help: "Is 1, and names the version.", ConstLabels: prometheus.Labels{"version": version},
	}, func() float64 { return 1 })
	directory := prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "svc_directory_failures_total", Help: "Sign-ins at which the directory failed.",
	}, func() float64 { return float64(s.Auth.DirectoryFailures()) })
	untold := prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "svc_streaming_events_skipped_total", Help: "Events that could not be told to streams of this process, though the database answered.",
	}, func() float64 { return float64(s.streaming.Skipped()) })
	waited := prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "svc_database_wait_seconds_total", Help: "How long work waited for a connection to the database or, with SQLite, for its turn to write.",
	}, func() float64 { _, took := s.DB.WriterWaits(); return took.Seconds() })
	known := prometheus.NewRegistry()
	m.known = known
	known.MustRegister(deliveryMetrics(s)...)
	known.MustRegister(mediaMetrics(s)...)
	known.MustRegister(pushMetrics(s)...)
	known.MustRegister(streamMetrics(s)...)
	known.MustRegister(lastCheck{s}, lastBackup{s}, jobQueues{s})
	known.MustRegister(m.requests, m.seconds, m.jobs, build, directory, untold, waited, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), collectors.NewDBStatsCollector(s.DB.Writer(), "svc"))
	m.handler = promhttp.HandlerFor(known, promhttp.HandlerOpts{})
	return m
}

// streamMetrics count the open streams.
func streamMetrics(s *Server) (out []prometheus.Collector) {
	for _, t := range streaming.Transports() {
		out = append(out, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "svc_streams", Help: "Open streams of this process, by transport.", ConstLabels: prometheus.Labels{"transport": t.String()},
		}, func() float64 { return float64(s.streaming.CountOf(t)) }))
	}
	return out
}

// count counts a request once it is answered. All paths without a route count
// as one, and so do all unknown methods: strangers choose both. How long a stream
// lasted says nothing of the server.
func (m *metrics) count(now func() time.Time, routes []Route) gin.HandlerFunc {
	streams := streamPaths(routes)
	return func(c *gin.Context) {
		start := now()
		route, method, status := c.FullPath(), knownMethod(c.Request.Method), "aborted" // unless it is answered to its end
		if route == "" {
			route = "none"
		}
		defer func() {
			m.requests.WithLabelValues(method, route, status).Inc()
			if !streams[route] {
				m.seconds.WithLabelValues(method).Observe(now().Sub(start).Seconds())
			}
		}()
		c.Next()
		status = strconv.Itoa(c.Writer.Status())
	}
}

// streamPaths are the paths of streams.
func streamPaths(routes []Route) map[string]bool {
	paths := map[string]bool{}
	for _, r := range routes {
		if r.Access == Stream {
			paths[r.Path] = true
		}
	}
	return paths
}

// knownMethod is a method, or "other" for all that no client has.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// export answers at the path of the settings, if these admit the caller.
func (m *metrics) export(settings *config.Live) gin.HandlerFunc {
	return func(c *gin.Context) {
		s := &settings.Load().Metrics
		if !s.Enabled || c.Request.Method != http.MethodGet || c.Request.URL.Path != s.Path {
			return
		}
		c.Abort()
		if len(s.Whitelist) > 0 {
			addr, err := netip.ParseAddr(web.RemoteAddr(c))
			if err != nil || !slices.ContainsFunc(config.Networks(s.Whitelist), func(p netip.Prefix) bool { return p.Contains(addr) }) {
				c.AbortWithStatusJSON(http.StatusForbidden, gin.H{"error": "Forbidden"})
				return
			}
		}
		if user, password, ok := s.Login(); ok {
			gotUser, gotPassword, _ := c.Request.BasicAuth()
			if !same(gotUser, user) || !same(gotPassword, password) {
				c.Header("WWW-Authenticate", `Basic realm="metrics"`)
				c.AbortWithStatusJSON(http.StatusUnauthorized, gin.H{"error": "Invalid credentials."})
				return
			}
		}
		web.NoStore(c)
		c.Status(http.StatusOK) // no route has this path
		m.handler.ServeHTTP(c.Writer, c.Request)
	}
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// exportAt answers at an address of its own until ctx ends. It has no
// authentication: any client that reaches the address may see the metrics.
func (m *metrics) exportAt(ctx context.Context, address string) (where net.Addr, done <-chan error, err error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", m.handler)
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute}
	failed := make(chan error, 1)
	go func() {
		defer close(failed)
		if err := srv.Serve(l); ctx.Err() == nil {
			failed <- err
		}
	}()
	context.AfterFunc(ctx, func() { _ = srv.Close() })
	return l.Addr(), failed, nil
}
