package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

const scheduledPath = "/api/v1/scheduled_statuses/"

// ScheduledStatuses is the caller's statuses that are to be posted later.
type ScheduledStatuses struct{ c *Client }

// List is scheduled statuses, the one that was scheduled last
// first. GET /api/v1/scheduled_statuses.
func (s *ScheduledStatuses) List(query api.PageQuery) Listing[api.ScheduledStatus] {
	return keyset[api.ScheduledStatus](s.c, query, "/api/v1/scheduled_statuses")
}

// Get returns a scheduled status. GET /api/v1/scheduled_statuses/:id.
func (s *ScheduledStatuses) Get(ctx context.Context, id string) (*api.ScheduledStatus, error) {
	return get[api.ScheduledStatus](ctx, s.c, nil, scheduledPath, id)
}

// Reschedule moves a scheduled status to another time, five minutes ahead at
// least. PUT /api/v1/scheduled_statuses/:id.
func (s *ScheduledStatuses) Reschedule(ctx context.Context, id string, form api.Reschedule) (*api.ScheduledStatus, error) {
	return send[api.ScheduledStatus](ctx, s.c, Request{Method: http.MethodPut, Body: form}, []string{scheduledPath, id})
}

// Delete removes a scheduled status and returns it as it was. DELETE
// /api/v1/scheduled_statuses/:id.
func (s *ScheduledStatuses) Delete(ctx context.Context, id string) (*api.ScheduledStatus, error) {
	return send[api.ScheduledStatus](ctx, s.c, Request{Method: http.MethodDelete}, []string{scheduledPath, id})
}
