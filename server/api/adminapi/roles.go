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

// Roles answers requests about permission groups.
type Roles struct {
	DB         *db.DB
	Moderation *moderation.Service
	people     people
}

// Roles are the handlers of permission groups.
func (p *Parts) Roles() Roles { return Roles{p.DB, p.Moderation, p.people()} }

// List is GET /users/:nickname/permission_group. The parameter has the name of
// the other routes at this place, but is a nickname.
func (a Roles) List(c *gin.Context) error {
	return a.membership(c)
}

// Show is GET /users/:nickname/permission_group/:permission_group.
func (a Roles) Show(c *gin.Context) error {
	if err := web.Scope(c); err != nil {
		return err
	}
	if _, err := moderation.RoleNamed(c.Param("permission_group")); err != nil {
		return err
	}
	return a.membership(c)
}

func (a Roles) membership(c *gin.Context) error {
	nickname, err := web.Path(c, "nickname_or_id")
	if err != nil {
		return err
	}
	account, err := a.DB.AccountByNickname(c.Request.Context(), a.people.found(c.Request.Context(), nickname))
	if err != nil {
		return err
	}
	return web.OK(c, api.Membership{IsAdmin: account.IsAdmin, IsModerator: account.IsModerator})
}

// Add is POST /users/permission_group/:permission_group.
func (a Roles) Add(c *gin.Context) error { return a.change(c, true, a.Moderation.Grant) }

// Remove is DELETE /users/permission_group/:permission_group.
func (a Roles) Remove(c *gin.Context) error { return a.change(c, false, a.Moderation.Revoke) }

// AddTo is POST /users/:nickname/permission_group/:permission_group.
func (a Roles) AddTo(c *gin.Context) error { return a.changeOne(c, a.grantOne) }

// RemoveFrom is DELETE /users/:nickname/permission_group/:permission_group.
func (a Roles) RemoveFrom(c *gin.Context) error {
	return a.changeOne(c, a.Moderation.RevokeOne)
}

func (a Roles) grantOne(ctx context.Context, by *db.Account, role moderation.Role, nickname string) ([]string, error) {
	return a.Moderation.Grant(ctx, by, role, nickname)
}

// changeRole changes a permission group for the accounts of the parameter
// nicknames, and answers with them in its order.
func (a Roles) change(c *gin.Context, in bool, change func(ctx context.Context, by *db.Account, role moderation.Role, nicknames ...string) ([]string, error)) error {
	nicknames, err := nicknames(c, fault.Malformed("Invalid parameters"))
	if err != nil {
		return err
	}
	role, err := moderation.RoleNamed(c.Param("permission_group"))
	if err != nil {
		return err
	}
	ctx := c.Request.Context()
	ids, err := change(ctx, web.Caller(c).Account, role, a.people.allFound(ctx, nicknames)...)
	if err != nil {
		return err
	}
	users, err := a.people.users(c, ids...)
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

func (a Roles) changeOne(c *gin.Context, change func(ctx context.Context, by *db.Account, role moderation.Role, nickname string) ([]string, error)) error {
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
	ids, err := change(ctx, web.Caller(c).Account, role, a.people.found(ctx, nickname))
	if err != nil {
		return err
	}
	users, err := a.people.users(c, ids...)
	if err != nil {
		return err
	}
	return web.OK(c, member(users[0]))
}

// member is a user with their permission groups once more at top level.
func member(u api.AdminUser) api.MemberUser {
	return api.MemberUser{AdminUser: u, Membership: api.Membership{IsAdmin: u.Roles.Admin, IsModerator: u.Roles.Moderator}}
}
