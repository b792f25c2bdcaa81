package client

import (
	"context"
	"iter"
	"net/http"

	"svc/client/api"
)

// AdminStatuses is statuses as admins see them.
type AdminStatuses struct{ c *Client }

// List returns a page of all statuses, newest first. GET
// /api/svc/admin/statuses.
func (s *AdminStatuses) List(ctx context.Context, query api.StatusQuery) ([]api.AdminStatus, error) {
	return list[api.AdminStatus](ctx, s.c, query, adminPath+"/statuses")
}

// All walks all statuses, newest first, each once.
func (s *AdminStatuses) All(ctx context.Context, query api.StatusQuery) iter.Seq2[api.AdminStatus, error] {
	return s.walk(query, func(query api.StatusQuery) ([]api.AdminStatus, error) { return s.List(ctx, query) })
}

// OfUser returns a page of a user's statuses, newest first. GET
// /api/svc/admin/users/:nickname_or_id/statuses.
func (s *AdminStatuses) OfUser(ctx context.Context, nicknameOrID string, query api.StatusQuery) ([]api.AdminStatus, error) {
	return list[api.AdminStatus](ctx, s.c, query, adminPath+"/users/", nicknameOrID, "/statuses")
}

// AllOfUser walks a user's statuses, newest first, each once.
func (s *AdminStatuses) AllOfUser(ctx context.Context, nicknameOrID string, query api.StatusQuery) iter.Seq2[api.AdminStatus, error] {
	return s.walk(query, func(query api.StatusQuery) ([]api.AdminStatus, error) {
		return s.OfUser(ctx, nicknameOrID, query)
	})
}

// OfInstance returns a page of a server's statuses, newest first; host may be
// the own one. GET /api/svc/admin/instances/:instance/statuses.
func (s *AdminStatuses) OfInstance(ctx context.Context, host string, query api.StatusQuery) ([]api.AdminStatus, error) {
	return list[api.AdminStatus](ctx, s.c, query, adminPath+"/instances/", host, "/statuses")
}

// AllOfInstance walks a server's statuses, newest first, each once.
func (s *AdminStatuses) AllOfInstance(ctx context.Context, host string, query api.StatusQuery) iter.Seq2[api.AdminStatus, error] {
	return s.walk(query, func(query api.StatusQuery) ([]api.AdminStatus, error) {
		return s.OfInstance(ctx, host, query)
	})
}

// walk goes by page numbers; these lists tell no total.
func (s *AdminStatuses) walk(query api.StatusQuery, fetch func(api.StatusQuery) ([]api.AdminStatus, error)) iter.Seq2[api.AdminStatus, error] {
	if query.PageSize <= 0 {
		query.PageSize = walkSize
	}
	id := func(s api.AdminStatus) string { return s.ID }
	return Walk(max(1, int(query.Page)), int(query.PageSize), id, func(page int) ([]api.AdminStatus, int, error) {
		query.Page = api.Int(page)
		items, err := fetch(query)
		return items, -1, err
	})
}

// Get returns a status, whatever its visibility. GET
// /api/svc/admin/statuses/:id.
func (s *AdminStatuses) Get(ctx context.Context, id string) (*api.AdminStatus, error) {
	return get[api.AdminStatus](ctx, s.c, nil, adminPath+"/statuses/", id)
}

// Update changes a status's visibility, or marks it sensitive or not. PUT
// /api/svc/admin/statuses/:id.
func (s *AdminStatuses) Update(ctx context.Context, id string, form api.StatusUpdate) (*api.Status, error) {
	return send[api.Status](ctx, s.c, call{method: http.MethodPut, body: form}, []string{adminPath + "/statuses/", id})
}

// Delete removes a status for good. DELETE /api/svc/admin/statuses/:id.
func (s *AdminStatuses) Delete(ctx context.Context, id string) error {
	return run(ctx, s.c, call{method: http.MethodDelete}, []string{adminPath + "/statuses/", id}, nil)
}
