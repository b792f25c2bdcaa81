package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

const filtersPath = "/api/v1/filters/"

// Filters is the phrases that the caller does not want to read.
type Filters struct{ c *Client }

// List returns the caller's filters. GET /api/v1/filters.
func (s *Filters) List(ctx context.Context) ([]api.Filter, error) {
	return whole[api.Filter](ctx, s.c, struct{}{}, "/api/v1/filters")
}

// Get returns one filter. GET /api/v1/filters/:id.
func (s *Filters) Get(ctx context.Context, id string) (*api.Filter, error) {
	return get[api.Filter](ctx, s.c, nil, filtersPath, id)
}

// Create makes a filter. POST /api/v1/filters.
func (s *Filters) Create(ctx context.Context, form api.NewFilter, opts ...CallOption) (*api.Filter, error) {
	return send[api.Filter](ctx, s.c, Request{Method: http.MethodPost, Body: form}, []string{"/api/v1/filters"}, opts...)
}

// Update changes a filter; nil fields keep their values. PUT
// /api/v1/filters/:id.
func (s *Filters) Update(ctx context.Context, id string, form api.NewFilter) (*api.Filter, error) {
	return send[api.Filter](ctx, s.c, Request{Method: http.MethodPut, Body: form, Repeatable: true}, []string{filtersPath, id})
}

// Delete removes a filter. DELETE /api/v1/filters/:id.
func (s *Filters) Delete(ctx context.Context, id string) error {
	return perform(ctx, s.c, Request{Method: http.MethodDelete}, []string{filtersPath, id})
}
