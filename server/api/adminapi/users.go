package adminapi

import (
	"context"
	"strings"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
	"svc/server/platform/hosts"
)

const userPage = 50

// Users is GET /users.
func (a *API) Users(c *gin.Context) error {
	var in struct {
		Query      any `json:"query"`
		Name       any `json:"name"`
		Email      any `json:"email"`
		Tags       any `json:"tags"`
		ActorTypes any `json:"actor_types"`
		Filters    any `json:"filters"`
		Page       any `json:"page"`
		PageSize   any `json:"page_size"`
	}
	if err := web.BindAny(c, &in); err != nil {
		return err
	}
	p := &params{}
	f := db.UserFilter{
		Name: p.text(in.Name), Email: p.text(in.Email), Tags: p.list(in.Tags), ActorTypes: p.list(in.ActorTypes),
	}
	a.userQuery(&f, p.text(in.Query))
	for word := range strings.SplitSeq(p.text(in.Filters), ",") {
		userFilter(&f, word)
	}
	page := p.page(in.Page, in.PageSize, userPage)
	if p.bad {
		return bad()
	}
	rows, total, err := a.DB.AdminUsers(c.Request.Context(), f, page)
	if err != nil {
		return err
	}
	return web.OK(c, api.UserList{Users: a.View.AdminUsers(rows), Count: int(total), PageSize: page.Size})
}

// userQuery looks for a part of a nickname, for accounts of a host, or for both in
// one handle. Local nicknames are kept without our host.
func (a *API) userQuery(f *db.UserFilter, query string) {
	nick, host, full := hosts.Handle(query)
	switch own := a.Site.Host; {
	case full && host == own:
		f.Query, f.Local = nick, true
	case !full && hosts.Same(nick, own):
		f.Local = true
	default:
		f.Query = a.local(query)
	}
}

func userFilter(f *db.UserFilter, word string) {
	switch word {
	case "local":
		f.Local = true
	case "external":
		f.External = true
	case "active":
		f.Active = true
	case "deactivated":
		f.Deactivated = true
	case "need_approval":
		f.NeedApprove = true
	case "unconfirmed":
		f.Unconfirmed = true
	case "is_admin":
		f.Admins = true
	case "is_moderator":
		f.Moderators = true
	}
}

// User is GET /users/:nickname_or_id.
func (a *API) User(c *gin.Context) error {
	account, err := a.account(c)
	if err != nil {
		return err
	}
	users, err := a.users(c.Request.Context(), account.ID)
	if err != nil {
		return err
	}
	return web.OK(c, users[0])
}

// account is whom a part of the path names, by id or nickname.
func (a *API) account(c *gin.Context) (*db.Account, error) {
	handle, err := web.Path(c, "nickname_or_id")
	if err != nil {
		return nil, err
	}
	return a.DB.FindAccount(c.Request.Context(), a.found(c.Request.Context(), handle))
}

// users renders accounts in the order of their ids.
func (a *API) users(ctx context.Context, ids ...string) ([]api.AdminUser, error) {
	rows, err := a.DB.AdminUsersByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	byID := make(map[string]*db.AdminUser, len(rows))
	for i := range rows {
		byID[rows[i].ID] = &rows[i]
	}
	out := make([]api.AdminUser, len(ids))
	for i, id := range ids {
		if byID[id] == nil {
			return nil, db.ErrNotFound
		}
		out[i] = a.View.AdminUser(byID[id])
	}
	return out, nil
}

// ToggleActivation is PATCH /users/:nickname/toggle_activation.
func (a *API) ToggleActivation(c *gin.Context) error {
	nickname, err := web.Path(c, "nickname")
	if err != nil {
		return err
	}
	ctx := c.Request.Context()
	id, err := a.Moderation.Toggle(ctx, web.Caller(c).Account, a.found(ctx, nickname))
	if err != nil {
		return err
	}
	users, err := a.users(ctx, id)
	if err != nil {
		return err
	}
	return web.OK(c, users[0])
}

// ActivateUsers is PATCH /users/activate.
func (a *API) ActivateUsers(c *gin.Context) error { return a.each(c, a.Moderation.Activate) }

// DeactivateUsers is PATCH /users/deactivate.
func (a *API) DeactivateUsers(c *gin.Context) error { return a.each(c, a.Moderation.Deactivate) }

// ApproveUsers is PATCH /users/approve.
func (a *API) ApproveUsers(c *gin.Context) error { return a.each(c, a.Moderation.Approve) }

// each does something to the accounts of the parameter nicknames, and answers
// with them in its order.
func (a *API) each(c *gin.Context, do func(ctx context.Context, by *db.Account, nicknames ...string) ([]string, error)) error {
	sent, err := a.nicknames(c, bad())
	if err != nil {
		return err
	}
	ctx := c.Request.Context()
	ids, err := do(ctx, web.Caller(c).Account, a.allFound(ctx, sent)...)
	if err != nil {
		return err
	}
	users, err := a.users(ctx, ids...)
	if err != nil {
		return err
	}
	return web.OK(c, api.Users{Users: users})
}

// nicknames is the parameter of this name, as it was sent, for callers with the
// scope.
func (a *API) nicknames(c *gin.Context, refusal error) ([]string, error) {
	var in struct {
		Nicknames any `json:"nicknames"`
	}
	if err := web.BindAny(c, &in); err != nil {
		return nil, err
	}
	p := &params{}
	sent, ok := p.names(in.Nicknames)
	if !ok || p.bad {
		return nil, refusal
	}
	return sent, nil
}

// locals is local for each.
func (a *API) locals(nicknames []string) []string {
	out := make([]string, len(nicknames))
	for i, n := range nicknames {
		out[i] = a.local(n)
	}
	return out
}
