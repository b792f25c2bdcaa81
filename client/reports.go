package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

// Reports is complaints to the moderators.
type Reports struct{ c *Client }

// Create reports an account. It is retried only with an IdempotencyKey. POST
// /api/v1/reports.
func (s *Reports) Create(ctx context.Context, form api.NewReport, opts ...CallOption) (*api.Report, error) {
	return send[api.Report](ctx, s.c, Request{Method: http.MethodPost, Body: form}, []string{"/api/v1/reports"}, opts...)
}
