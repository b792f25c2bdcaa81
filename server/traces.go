package server

import (
	"context"
	"maps"

	"github.com/gin-gonic/gin"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"svc/server/api/web"
	"svc/server/platform/tracing"
)

// traceRequests makes a span of each request, named by its route. Streams have
// none, which last as long as their clients stay, and neither have the probes.
func traceRequests(traces *tracing.Traces, routes []Route) gin.HandlerFunc {
	silent := streamPaths(routes)
	maps.Copy(silent, web.Probes)
	return func(c *gin.Context) {
		route := c.FullPath()
		if silent[route] {
			return
		}
		r, status := c.Request, 0 // unless it is answered to its end
		ctx, span := traces.Request(r.Context(), knownMethod(r.Method), route)
		defer func() { span.Answered(status) }()
		c.Request = r.WithContext(ctx)
		c.Next()
		r.MultipartForm = c.Request.MultipartForm // the server removes its files
		c.Request = r
		status = c.Writer.Status()
	}
}

// jobMiddleware is what surrounds each job.
func (s *Server) jobMiddleware() []rivertype.Middleware {
	all := []rivertype.Middleware{river.WorkerMiddlewareFunc(s.metrics.countJob), river.WorkerMiddlewareFunc(s.wait)}
	if s.traces != nil {
		all = append(all, river.WorkerMiddlewareFunc(s.traceJob))
	}
	return all
}

// traceJob does a job in a span of its own.
func (s *Server) traceJob(ctx context.Context, job *rivertype.JobRow, do func(context.Context) error) error {
	err := errJobPanic // unless do returns
	ctx, span := s.traces.Job(ctx, job.Kind, job.Queue, job.Attempt)
	defer func() { span.Failed(jobOutcome(job, err)) }()
	err = do(ctx)
	return err
}
