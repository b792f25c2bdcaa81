package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

// Roles returns the permission groups of a user. GET
// /api/svc/admin/users/:nickname/permission_group.
func (s *AdminUsers) Roles(ctx context.Context, nickname string) (*api.Membership, error) {
	return get[api.Membership](ctx, s.c, nil, adminPath+"/users/", nickname, "/permission_group")
}

// Role is Roles for one permission group, admin or moderator; an unknown one is
// not found. GET /api/svc/admin/users/:nickname/permission_group/:group.
func (s *AdminUsers) Role(ctx context.Context, nickname, group string) (*api.Membership, error) {
	return get[api.Membership](ctx, s.c, nil, adminPath+"/users/", nickname, "/permission_group/", group)
}

// AddRole puts users into a permission group, all or none, and returns them in
// order. POST /api/svc/admin/users/permission_group/:group.
func (s *AdminUsers) AddRole(ctx context.Context, group string, nicknames ...string) ([]api.AdminUser, error) {
	return s.changeRole(ctx, http.MethodPost, group, nicknames)
}

// RemoveRole takes users out of a permission group, all or none, and returns
// them in order; the callers themselves are refused. DELETE
// /api/svc/admin/users/permission_group/:group.
func (s *AdminUsers) RemoveRole(ctx context.Context, group string, nicknames ...string) ([]api.AdminUser, error) {
	return s.changeRole(ctx, http.MethodDelete, group, nicknames)
}

func (s *AdminUsers) changeRole(ctx context.Context, method, group string, nicknames []string) ([]api.AdminUser, error) {
	in := Request{Method: method, Body: api.Nicknames{Nicknames: nicknames}, Repeatable: true}
	answer, err := send[api.RoleChange](ctx, s.c, in, []string{adminPath + "/users/permission_group/", group})
	if err != nil {
		return nil, err
	}
	return answer.Users, nil
}

// AddRoleTo is AddRole for one user, in its older form. POST
// /api/svc/admin/users/:nickname/permission_group/:group.
func (s *AdminUsers) AddRoleTo(ctx context.Context, nickname, group string) (*api.MemberUser, error) {
	return s.changeRoleOf(ctx, http.MethodPost, nickname, group)
}

// RemoveRoleFrom is RemoveRole for one user, in its older form: an admin may
// stop being a moderator, but not an admin. DELETE
// /api/svc/admin/users/:nickname/permission_group/:group.
func (s *AdminUsers) RemoveRoleFrom(ctx context.Context, nickname, group string) (*api.MemberUser, error) {
	return s.changeRoleOf(ctx, http.MethodDelete, nickname, group)
}

func (s *AdminUsers) changeRoleOf(ctx context.Context, method, nickname, group string) (*api.MemberUser, error) {
	path := []string{adminPath + "/users/", nickname, "/permission_group/", group}
	return send[api.MemberUser](ctx, s.c, Request{Method: method, Repeatable: true}, path)
}

// Tag gives tags to users, all or none. PUT /api/svc/admin/users/tag.
func (s *AdminUsers) Tag(ctx context.Context, nicknames, tags []string) error {
	in := Request{Method: http.MethodPut, Body: api.UserTags{Nicknames: nicknames, Tags: tags}}
	return perform(ctx, s.c, in, []string{adminPath + "/users/tag"})
}

// Untag takes tags from users, all or none; tags that they have not are no
// matter. DELETE /api/svc/admin/users/tag.
func (s *AdminUsers) Untag(ctx context.Context, nicknames, tags []string) error {
	in := Request{Method: http.MethodDelete, Body: api.UserTags{Nicknames: nicknames, Tags: tags}}
	return perform(ctx, s.c, in, []string{adminPath + "/users/tag"})
}
