package client

import (
	"context"
	"iter"
	"net/http"

	"svc/client/api"
)

// AdminUsers is every account, local and remote, as admins see it.
type AdminUsers struct{ c *Client }

// List returns a page of users by nickname, and the number of all that match.
// GET /api/svc/admin/users.
func (s *AdminUsers) List(ctx context.Context, query api.UserQuery) (*api.UserList, error) {
	return get[api.UserList](ctx, s.c, values(query), adminPath+"/users")
}

// All walks the users by nickname, from the query's page on, each once.
func (s *AdminUsers) All(ctx context.Context, query api.UserQuery) iter.Seq2[api.AdminUser, error] {
	if query.PageSize <= 0 {
		query.PageSize = walkSize
	}
	// Servers without serial numbers still have nicknames.
	id := func(u api.AdminUser) string { return u.Nickname }
	return numbered(max(1, int(query.Page)), int(query.PageSize), id, func(page int) ([]api.AdminUser, int, error) {
		query.Page = api.Int(page)
		answer, err := s.List(ctx, query)
		if err != nil {
			return nil, 0, err
		}
		return answer.Users, answer.Count, nil
	})
}

// Get returns a user by nickname, serial number or account id. GET
// /api/svc/admin/users/:nickname_or_id.
func (s *AdminUsers) Get(ctx context.Context, nicknameOrID string) (*api.AdminUser, error) {
	return get[api.AdminUser](ctx, s.c, nil, adminPath+"/users/", nicknameOrID)
}

// Toggle activates a deactivated user and deactivates an active one; it is
// never retried. PATCH /api/svc/admin/users/:nickname/toggle_activation.
func (s *AdminUsers) Toggle(ctx context.Context, nickname string) (*api.AdminUser, error) {
	path := []string{adminPath + "/users/", nickname, "/toggle_activation"}
	return send[api.AdminUser](ctx, s.c, call{method: http.MethodPatch}, path)
}

// Activate lets users in again, all or none, and returns them in order. PATCH
// /api/svc/admin/users/activate.
func (s *AdminUsers) Activate(ctx context.Context, nicknames ...string) ([]api.AdminUser, error) {
	return s.patch(ctx, "/users/activate", nicknames)
}

// Deactivate shuts users out, all or none, and returns them in order. PATCH
// /api/svc/admin/users/deactivate.
func (s *AdminUsers) Deactivate(ctx context.Context, nicknames ...string) ([]api.AdminUser, error) {
	return s.patch(ctx, "/users/deactivate", nicknames)
}

func (s *AdminUsers) patch(ctx context.Context, path string, nicknames []string) ([]api.AdminUser, error) {
	in := call{method: http.MethodPatch, body: api.Nicknames{Nicknames: nicknames}, repeatable: true}
	answer, err := send[api.Users](ctx, s.c, in, []string{adminPath + path})
	if err != nil {
		return nil, err
	}
	return answer.Users, nil
}
