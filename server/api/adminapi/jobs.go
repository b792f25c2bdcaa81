package adminapi

import (
	"strconv"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/view"
	"svc/server/api/web"
	"svc/server/federation/delivery"
)

// Jobs answers requests about failed jobs and the queues.
type Jobs struct {
	DB       *db.DB
	Delivery *delivery.Service
}

// Jobs are the handlers of failed jobs and the queues.
func (p *Parts) Jobs() Jobs { return Jobs{p.DB, p.Delivery} }

// Queues is GET /jobs/queues.
func (a Jobs) Queues(c *gin.Context) error {
	if err := web.Scope(c); err != nil {
		return err
	}
	rows, err := a.Delivery.Queues(c.Request.Context())
	if err != nil {
		return err
	}
	out := api.Queues{}
	for i := range rows {
		out.Queues = append(out.Queues, view.Queue(&rows[i]))
	}
	return web.OK(c, out)
}

// List is GET /jobs: those that failed.
func (a Jobs) List(c *gin.Context) error {
	var in struct {
		Queue  string `json:"queue"`
		Before *int64 `json:"before"`
		Limit  *int64 `json:"limit"`
	}
	if err := web.BindQuery(c, &in); err != nil {
		return err
	}
	limit, before := sized(in.Limit), int64(0)
	if in.Before != nil {
		before = *in.Before
	}
	rows, err := a.DB.FailedJobs(c.Request.Context(), in.Queue, before, limit)
	if err != nil {
		return err
	}
	out := api.Jobs{}
	for i := range rows {
		out.Jobs = append(out.Jobs, view.Job(&rows[i]))
	}
	if len(rows) == limit {
		out.Next = rows[limit-1].ID
	}
	return web.OK(c, out)
}

// Retry is POST /jobs/:id/retry.
func (a Jobs) Retry(c *gin.Context) error {
	if err := web.Scope(c); err != nil {
		return err
	}
	id, err := strconv.ParseInt(c.Param("id"), 10, 64)
	if err != nil {
		return db.ErrNotFound
	}
	if err := a.Delivery.RetryJob(c.Request.Context(), web.Caller(c).Account, id); err != nil {
		return err
	}
	return web.OK(c, api.Empty{})
}

// RetryQueue is POST /jobs/retry: all that failed in a queue.
func (a Jobs) RetryQueue(c *gin.Context) error {
	var in struct {
		Queue string `json:"queue" binding:"required"`
	}
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	n, err := a.Delivery.RetryQueue(c.Request.Context(), web.Caller(c).Account, in.Queue)
	if err != nil {
		return err
	}
	return web.OK(c, api.Retried{Retried: n})
}
