package adminapi

import (
	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/api/web"
	"svc/server/platform/hosts"
)

const statusPage = 20

// Statuses is GET /statuses.
func (a *API) Statuses(c *gin.Context) error {
	var in struct {
		Page        *int64 `json:"page"`
		PageSize    *int64 `json:"page_size"`
		LocalOnly   bool   `json:"local_only" binding:"exact"`
		Godmode     bool   `json:"godmode" binding:"exact"`
		WithReblogs bool   `json:"with_reblogs" binding:"exact"`
	}
	if err := web.BindQuery(c, &in); err != nil {
		return err
	}
	f := db.AdminStatusFilter{Local: in.LocalOnly, All: in.Godmode, Reblogs: in.WithReblogs}
	return a.statuses(c, f, numbered(in.Page, in.PageSize, statusPage))
}

func (a *API) statuses(c *gin.Context, f db.AdminStatusFilter, page db.NumberedPage) error {
	refs, err := a.DB.AdminStatuses(c.Request.Context(), f, page)
	if err != nil {
		return err
	}
	raw, err := a.View.AdminStatuses(c.Request.Context(), refs)
	if err != nil {
		return err
	}
	return web.OK(c, raw)
}

// listOf reads the parameters of the lists that take whatever comes.
func listOf(c *gin.Context, usual int) (db.AdminStatusFilter, db.NumberedPage, error) {
	var in struct {
		Page        any `json:"page"`
		PageSize    any `json:"page_size"`
		Godmode     any `json:"godmode"`
		WithReblogs any `json:"with_reblogs"`
	}
	if err := web.BindAny(c, &in); err != nil {
		return db.AdminStatusFilter{}, db.NumberedPage{}, err
	}
	p := &params{}
	return db.AdminStatusFilter{All: p.truth(in.Godmode), Reblogs: p.truth(in.WithReblogs)}, p.page(in.Page, in.PageSize, usual), nil
}

// UserStatuses is GET /users/:nickname_or_id/statuses.
func (a *API) UserStatuses(c *gin.Context) error {
	f, page, err := listOf(c, statusPage)
	if err != nil {
		return err
	}
	account, err := a.account(c)
	if err != nil {
		return err
	}
	f.AccountID = account.ID
	return a.statuses(c, f, page)
}

// InstanceStatuses is GET /instances/:instance/statuses.
func (a *API) InstanceStatuses(c *gin.Context) error {
	f, page, err := listOf(c, statusPage)
	if err != nil {
		return err
	}
	host, err := web.Path(c, "instance")
	if err != nil {
		return err
	}
	host = hosts.Clean(host)
	if f.Local = host == a.Site.Host; f.Local {
		return a.statuses(c, f, page)
	}
	known, err := a.DB.KnowsHost(c.Request.Context(), host)
	switch {
	case err != nil:
		return err
	case !known:
		return db.ErrNotFound
	}
	f.Host = host
	return a.statuses(c, f, page)
}

// Status is GET /statuses/:id.
func (a *API) Status(c *gin.Context) error {
	id, err := web.Path(c, "id")
	if err != nil {
		return err
	}
	ref, err := a.DB.AdminStatusRef(c.Request.Context(), id)
	if err != nil {
		return err
	}
	raw, err := a.View.AdminStatus(c.Request.Context(), ref)
	if err != nil {
		return err
	}
	return web.OK(c, raw)
}

// UpdateStatus is PUT /statuses/:id.
func (a *API) UpdateStatus(c *gin.Context) error {
	var in struct {
		Visibility *string `json:"visibility" binding:"filled"`
		Sensitive  *bool   `json:"sensitive" binding:"exact"`
	}
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	id, err := web.Path(c, "id")
	if err != nil {
		return err
	}
	ctx := c.Request.Context()
	if err := a.Moderation.UpdateStatus(ctx, web.Caller(c).Account, id, in.Sensitive, in.Visibility); err != nil {
		return err
	}
	raw, err := a.View.AnyStatus(ctx, id)
	if err != nil {
		return err
	}
	return web.OK(c, raw)
}

// DeleteStatus is DELETE /statuses/:id.
func (a *API) DeleteStatus(c *gin.Context) error {
	id, err := web.Path(c, "id")
	if err != nil {
		return err
	}
	if err := a.Moderation.DeleteStatus(c.Request.Context(), web.Caller(c).Account, id); err != nil {
		return err
	}
	return web.OK(c, struct{}{})
}
