package adminapi

import (
	"context"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
	"svc/server/platform/fault"
	"svc/server/rules/moderation"
)

// Roles is GET /users/:nickname/permission_group. Its path has the name of the
// other routes' parameter there; what stands in it is a nickname.
func (a *API) Roles(c *gin.Context) error {
	return a.membership(c)
}

// Role is GET /users/:nickname/permission_group/:permission_group.
func (a *API) Role(c *gin.Context) error {
	if err := web.Scope(c); err != nil {
		return err
	}
	if _, err := moderation.RoleNamed(c.Param("permission_group")); err != nil {
		return err
	}
	return a.membership(c)
}

func (a *API) membership(c *gin.Context) error {
	nickname, err := web.Path(c, "nickname_or_id")
	if err != nil {
		return err
	}
	account, err := a.DB.AccountByNickname(c.Request.Context(), a.found(c.Request.Context(), nickname))
	if err != nil {
		return err
	}
	return web.OK(c, api.Membership{IsAdmin: account.IsAdmin, IsModerator: account.IsModerator})
}

// AddRole is POST /users/permission_group/:permission_group.
func (a *API) AddRole(c *gin.Context) error { return a.changeRole(c, true, a.Moderation.Grant) }

// RemoveRole is DELETE /users/permission_group/:permission_group.
func (a *API) RemoveRole(c *gin.Context) error { return a.changeRole(c, false, a.Moderation.Revoke) }

// AddRoleTo is POST /users/:nickname/permission_group/:permission_group.
func (a *API) AddRoleTo(c *gin.Context) error { return a.changeRoleOf(c, a.grantOne) }

// RemoveRoleFrom is DELETE /users/:nickname/permission_group/:permission_group.
func (a *API) RemoveRoleFrom(c *gin.Context) error {
	return a.changeRoleOf(c, a.Moderation.RevokeOne)
}

func (a *API) grantOne(ctx context.Context, by *db.Account, role moderation.Role, nickname string) ([]string, error) {
	return a.Moderation.Grant(ctx, by, role, nickname)
}

// changeRole changes a permission group for the accounts of the parameter
// nicknames, and answers with them in its order.
func (a *API) changeRole(c *gin.Context, in bool, change func(ctx context.Context, by *db.Account, role moderation.Role, nicknames ...string) ([]string, error)) error {
	nicknames, err := a.nicknames(c, fault.Malformed("Invalid parameters"))
	if err != nil {
		return err
	}
	role, err := moderation.RoleNamed(c.Param("permission_group"))
	if err != nil {
		return err
	}
	ctx := c.Request.Context()
	ids, err := change(ctx, web.Caller(c).Account, role, a.allFound(ctx, nicknames)...)
	if err != nil {
		return err
	}
	users, err := a.users(ctx, ids...)
	if err != nil {
		return err
	}
	if len(users) == 1 {
		return web.OK(c, member(users[0]))
	}
	out := api.RoleChange{Users: users}
	if role == moderation.Admins {
		out.IsAdmin = &in
	} else {
		out.IsModerator = &in
	}
	return web.OK(c, out)
}

func (a *API) changeRoleOf(c *gin.Context, change func(ctx context.Context, by *db.Account, role moderation.Role, nickname string) ([]string, error)) error {
	if err := web.Scope(c); err != nil {
		return err
	}
	role, err := moderation.RoleNamed(c.Param("permission_group"))
	if err != nil {
		return err
	}
	nickname, err := web.Path(c, "nickname")
	if err != nil {
		return err
	}
	ctx := c.Request.Context()
	ids, err := change(ctx, web.Caller(c).Account, role, a.found(ctx, nickname))
	if err != nil {
		return err
	}
	users, err := a.users(ctx, ids...)
	if err != nil {
		return err
	}
	return web.OK(c, member(users[0]))
}

// member is a user with his permission groups once more at top level.
func member(u api.AdminUser) api.MemberUser {
	return api.MemberUser{AdminUser: u, Membership: api.Membership{IsAdmin: u.Roles.Admin, IsModerator: u.Roles.Moderator}}
}
