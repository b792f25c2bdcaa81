package adminapi

import (
	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/api/view"
	"svc/server/api/web"
	"svc/server/platform/config"
	"svc/server/platform/hosts"
	"svc/server/platform/rights"
	"svc/server/rules/moderation"
)

const statusPage = 20

// Statuses answers requests about statuses.
type Statuses struct {
	DB         *db.DB
	View       *view.View
	Moderation *moderation.Service
	Site       config.Site
	Rights     *rights.Service
	people     people
}

// Statuses are the handlers of statuses.
func (p *Parts) Statuses() Statuses {
	return Statuses{p.DB, p.View, p.Moderation, p.Site, p.Rights, p.people()}
}

// List is GET /statuses.
func (a Statuses) List(c *gin.Context) error {
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
	return a.list(c, f, numbered(in.Page, in.PageSize, statusPage))
}

func (a Statuses) list(c *gin.Context, f db.AdminStatusFilter, page db.NumberedPage) error {
	refs, err := a.DB.AdminStatuses(c.Request.Context(), f, page)
	if err != nil {
		return err
	}
	raw, err := a.View.AdminStatuses(c.Request.Context(), refs, a.people.readsMail(c))
	if err != nil {
		return err
	}
	return web.OK(c, raw)
}

// listOf reads the parameters of the lists that accept arbitrary names.
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
	return db.AdminStatusFilter{All: p.isTrue(in.Godmode), Reblogs: p.isTrue(in.WithReblogs)}, p.page(in.Page, in.PageSize, usual), nil
}

// OfUser is GET /users/:nickname_or_id/statuses.
func (a Statuses) OfUser(c *gin.Context) error {
	f, page, err := listOf(c, statusPage)
	if err != nil {
		return err
	}
	account, err := a.people.account(c)
	if err != nil {
		return err
	}
	f.AccountID = account.ID
	return a.list(c, f, page)
}

// OfInstance is GET /instances/:instance/statuses.
func (a Statuses) OfInstance(c *gin.Context) error {
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
		return a.list(c, f, page)
	}
	known, err := a.DB.KnowsHost(c.Request.Context(), host)
	switch {
	case err != nil:
		return err
	case !known:
		return db.ErrNotFound
	}
	f.Host = host
	return a.list(c, f, page)
}

// Show is GET /statuses/:id.
func (a Statuses) Show(c *gin.Context) error {
	id, err := web.Path(c, "id")
	if err != nil {
		return err
	}
	ref, err := a.DB.AdminStatusRef(c.Request.Context(), id)
	if err != nil {
		return err
	}
	raw, err := a.View.AdminStatus(c.Request.Context(), ref, a.people.readsMail(c))
	if err != nil {
		return err
	}
	return web.OK(c, raw)
}

// Context is GET /statuses/:id/context. Deleted statuses are shown to who may see reports,
// from these.
func (a Statuses) Context(c *gin.Context) error {
	var in struct {
		Godmode bool `json:"godmode" binding:"exact"`
	}
	if err := web.BindQuery(c, &in); err != nil {
		return err
	}
	id, err := web.Path(c, "id")
	if err != nil {
		return err
	}
	copies := a.Rights.Check(web.Caller(c).Account, rights.Reports) == nil
	thread, err := a.DB.AdminContext(c.Request.Context(), id, in.Godmode, copies)
	if err != nil {
		return err
	}
	raw, err := a.View.AdminContext(c.Request.Context(), thread, a.people.readsMail(c))
	if err != nil {
		return err
	}
	return web.OK(c, raw)
}

// Update is PUT /statuses/:id.
func (a Statuses) Update(c *gin.Context) error {
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

// Delete is DELETE /statuses/:id.
func (a Statuses) Delete(c *gin.Context) error {
	id, err := web.Path(c, "id")
	if err != nil {
		return err
	}
	if err := a.Moderation.DeleteStatus(c.Request.Context(), web.Caller(c).Account, id); err != nil {
		return err
	}
	return web.OK(c, struct{}{})
}
