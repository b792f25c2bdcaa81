package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

// AdminStatuses is statuses as admins see them.
type AdminStatuses struct{ c *Client }

// List is all statuses, newest first. GET /api/svc/admin/statuses.
func (s *AdminStatuses) List(query api.StatusQuery) Listing[api.AdminStatus] {
	return s.list(query, adminPath+"/statuses")
}

// OfUser is a user's statuses, newest first. GET
// /api/svc/admin/users/:nickname_or_id/statuses.
func (s *AdminStatuses) OfUser(nicknameOrID string, query api.StatusQuery) Listing[api.AdminStatus] {
	return s.list(query, adminPath+"/users/", nicknameOrID, "/statuses")
}

// OfInstance is the statuses of one server, newest first; host may be the own
// one. GET /api/svc/admin/instances/:instance/statuses.
func (s *AdminStatuses) OfInstance(host string, query api.StatusQuery) Listing[api.AdminStatus] {
	return s.list(query, adminPath+"/instances/", host, "/statuses")
}

// list is by page number; the server does not count these statuses.
func (s *AdminStatuses) list(query api.StatusQuery, path ...string) Listing[api.AdminStatus] {
	read := func(statuses []api.AdminStatus) ([]api.AdminStatus, int) { return statuses, -1 }
	id := func(s api.AdminStatus) string { return s.ID }
	return numbered(s.c, query, read, id, path...)
}

// Get returns a status of any visibility. GET /api/svc/admin/statuses/:id.
func (s *AdminStatuses) Get(ctx context.Context, id string) (*api.AdminStatus, error) {
	return get[api.AdminStatus](ctx, s.c, nil, adminPath+"/statuses/", id)
}

// Context returns the thread of a status. GET /api/svc/admin/statuses/:id/context.
func (s *AdminStatuses) Context(ctx context.Context, id string, query api.AdminContextQuery) (*api.AdminContext, error) {
	return get[api.AdminContext](ctx, s.c, values(query), adminPath+"/statuses/", id, "/context")
}

// Update changes a status's visibility, or marks it sensitive or not. PUT
// /api/svc/admin/statuses/:id.
func (s *AdminStatuses) Update(ctx context.Context, id string, form api.StatusUpdate) (*api.Status, error) {
	return send[api.Status](ctx, s.c, Request{Method: http.MethodPut, Body: form}, []string{adminPath + "/statuses/", id})
}

// Delete removes a status for good. DELETE /api/svc/admin/statuses/:id.
func (s *AdminStatuses) Delete(ctx context.Context, id string) error {
	return perform(ctx, s.c, Request{Method: http.MethodDelete}, []string{adminPath + "/statuses/", id})
}
