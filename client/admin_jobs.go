package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"svc/client/api"
)

// AdminJobs is the background jobs of the server.
type AdminJobs struct{ c *Client }

// Queues returns how much there is of each kind. GET
// /api/svc/admin/jobs/queues.
func (s *AdminJobs) Queues(ctx context.Context) ([]api.Queue, error) {
	answer, err := get[api.Queues](ctx, s.c, nil, adminPath+"/jobs/queues")
	if err != nil {
		return nil, err
	}
	return answer.Queues, nil
}

// List is the jobs that failed, the newest first. GET /api/svc/admin/jobs.
func (s *AdminJobs) List(query api.JobQuery) Listing[api.Job] {
	return listing(s.c, query, "limit", func(a api.Jobs, _ *Response) part[api.Job] {
		p := part[api.Job]{items: a.Jobs, total: -1}
		if a.Next != 0 {
			p.next = url.Values{"before": {strconv.FormatInt(a.Next, 10)}}
		}
		return p
	}, adminPath+"/jobs")
}

// Retry has one job done again. POST /api/svc/admin/jobs/:id/retry.
func (s *AdminJobs) Retry(ctx context.Context, id int64) error {
	in := Request{Method: http.MethodPost, Repeatable: true}
	return perform(ctx, s.c, in, []string{adminPath + "/jobs/", strconv.FormatInt(id, 10), "/retry"})
}

// RetryQueue has all that failed in a queue done again, and returns how much
// that is. POST /api/svc/admin/jobs/retry.
func (s *AdminJobs) RetryQueue(ctx context.Context, queue string) (int64, error) {
	in := Request{Method: http.MethodPost, Body: api.QueueName{Queue: queue}, Repeatable: true}
	answer, err := send[api.Retried](ctx, s.c, in, []string{adminPath + "/jobs/retry"})
	if err != nil {
		return 0, err
	}
	return answer.Retried, nil
}
