package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

const (
	filtersV2Path      = "/api/v2/filters/"
	filterKeywordsPath = "/api/v2/filters/keywords/"
	filterStatusesPath = "/api/v2/filters/statuses/"
)

// FiltersV2 is what the caller does not want to read, with keywords and statuses.
type FiltersV2 struct{ c *Client }

// List returns the caller's filters, by id. GET /api/v2/filters.
func (s *FiltersV2) List(ctx context.Context) ([]api.FilterV2, error) {
	return whole[api.FilterV2](ctx, s.c, struct{}{}, "/api/v2/filters")
}

// Get returns one filter. GET /api/v2/filters/:id.
func (s *FiltersV2) Get(ctx context.Context, id string) (*api.FilterV2, error) {
	return get[api.FilterV2](ctx, s.c, nil, filtersV2Path, id)
}

// Create makes a filter. POST /api/v2/filters.
func (s *FiltersV2) Create(ctx context.Context, form api.FilterV2Form, opts ...CallOption) (*api.FilterV2, error) {
	return send[api.FilterV2](ctx, s.c, Request{Method: http.MethodPost, Body: form}, []string{"/api/v2/filters"}, opts...)
}

// Update changes a filter; nil fields keep their values. PUT /api/v2/filters/:id.
func (s *FiltersV2) Update(ctx context.Context, id string, form api.FilterV2Form) (*api.FilterV2, error) {
	return send[api.FilterV2](ctx, s.c, Request{Method: http.MethodPut, Body: form}, []string{filtersV2Path, id})
}

// Delete removes a filter with all that it has. DELETE /api/v2/filters/:id.
func (s *FiltersV2) Delete(ctx context.Context, id string) error {
	return perform(ctx, s.c, Request{Method: http.MethodDelete}, []string{filtersV2Path, id})
}

// Keywords returns the keywords of a filter. GET /api/v2/filters/:id/keywords.
func (s *FiltersV2) Keywords(ctx context.Context, id string) ([]api.FilterKeyword, error) {
	return whole[api.FilterKeyword](ctx, s.c, struct{}{}, filtersV2Path, id, "/keywords")
}

// AddKeyword adds a keyword to a filter. POST /api/v2/filters/:id/keywords.
func (s *FiltersV2) AddKeyword(ctx context.Context, id string, form api.FilterKeywordForm, opts ...CallOption) (*api.FilterKeyword, error) {
	return send[api.FilterKeyword](ctx, s.c, Request{Method: http.MethodPost, Body: form}, []string{filtersV2Path, id, "/keywords"}, opts...)
}

// Keyword returns a keyword. GET /api/v2/filters/keywords/:id.
func (s *FiltersV2) Keyword(ctx context.Context, id string) (*api.FilterKeyword, error) {
	return get[api.FilterKeyword](ctx, s.c, nil, filterKeywordsPath, id)
}

// UpdateKeyword changes a keyword; nil fields keep their values. PUT
// /api/v2/filters/keywords/:id.
func (s *FiltersV2) UpdateKeyword(ctx context.Context, id string, form api.FilterKeywordForm) (*api.FilterKeyword, error) {
	return send[api.FilterKeyword](ctx, s.c, Request{Method: http.MethodPut, Body: form, Repeatable: true}, []string{filterKeywordsPath, id})
}

// RemoveKeyword removes a keyword. DELETE /api/v2/filters/keywords/:id.
func (s *FiltersV2) RemoveKeyword(ctx context.Context, id string) error {
	return perform(ctx, s.c, Request{Method: http.MethodDelete}, []string{filterKeywordsPath, id})
}

// Statuses returns the statuses of a filter. GET /api/v2/filters/:id/statuses.
func (s *FiltersV2) Statuses(ctx context.Context, id string) ([]api.FilterStatus, error) {
	return whole[api.FilterStatus](ctx, s.c, struct{}{}, filtersV2Path, id, "/statuses")
}

// AddStatus adds a status to a filter. POST /api/v2/filters/:id/statuses.
func (s *FiltersV2) AddStatus(ctx context.Context, id, statusID string, opts ...CallOption) (*api.FilterStatus, error) {
	return send[api.FilterStatus](ctx, s.c, Request{Method: http.MethodPost, Body: api.FilterStatusForm{StatusID: statusID}}, []string{filtersV2Path, id, "/statuses"}, opts...)
}

// Status returns a status of a filter. GET /api/v2/filters/statuses/:id.
func (s *FiltersV2) Status(ctx context.Context, id string) (*api.FilterStatus, error) {
	return get[api.FilterStatus](ctx, s.c, nil, filterStatusesPath, id)
}

// RemoveStatus removes a status from its filter. DELETE /api/v2/filters/statuses/:id.
func (s *FiltersV2) RemoveStatus(ctx context.Context, id string) error {
	return perform(ctx, s.c, Request{Method: http.MethodDelete}, []string{filterStatusesPath, id})
}
