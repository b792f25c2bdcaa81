package client

import (
	"context"
	"net/http"
	"strconv"

	"svc/client/api"
)

// AdminJobs is the work that the server does by itself.
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

// List returns a page of what failed. GET /api/svc/admin/jobs.
func (s *AdminJobs) List(ctx context.Context, query api.JobQuery) (*api.Jobs, error) {
	return get[api.Jobs](ctx, s.c, values(query), adminPath+"/jobs")
}

// Retry has one job done again. POST /api/svc/admin/jobs/:id/retry.
func (s *AdminJobs) Retry(ctx context.Context, id int64) error {
	in := call{method: http.MethodPost, repeatable: true}
	return run(ctx, s.c, in, []string{adminPath + "/jobs/", strconv.FormatInt(id, 10), "/retry"}, nil)
}

// RetryQueue has all that failed in a queue done again, and returns how much
// that is. POST /api/svc/admin/jobs/retry.
func (s *AdminJobs) RetryQueue(ctx context.Context, queue string) (int64, error) {
	in := call{method: http.MethodPost, body: api.QueueName{Queue: queue}, repeatable: true}
	answer, err := send[api.Retried](ctx, s.c, in, []string{adminPath + "/jobs/retry"})
	if err != nil {
		return 0, err
	}
	return answer.Retried, nil
}
