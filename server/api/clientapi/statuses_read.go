package clientapi

import (
	"context"
	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
)

// Get is GET /api/v1/statuses/:id.
func (a *Statuses) Get(c *gin.Context) error {
	var q api.OneStatusQuery
	if err := web.BindQuery(c, &q); err != nil {
		return err
	}
	viewer := a.View.Viewer(web.Caller(c))
	viewer.WithMuted = bool(q.WithMuted)
	raw, err := a.View.FullStatus(c.Request.Context(), viewer, c.Param("id"))
	if err != nil {
		return err
	}
	return web.OK(c, raw)
}

// ByID is GET /api/v1/statuses?ids[]: up to 100, in the order asked.
func (a *Statuses) ByID(c *gin.Context) error {
	var q struct {
		IDs       []string `json:"ids"`
		ID        []string `json:"id"`
		WithMuted api.Bool `json:"with_muted"`
	}
	if err := web.BindQuery(c, &q); err != nil {
		return err
	}
	if q.IDs == nil && q.ID == nil {
		return web.Missing("ids")
	}
	if q.IDs = append(q.IDs, q.ID...); len(q.IDs) > 100 {
		q.IDs = q.IDs[:100]
	}
	viewer := a.View.Viewer(web.Caller(c))
	viewer.WithMuted = bool(q.WithMuted)
	refs, err := a.DB.StatusRefs(c.Request.Context(), viewer, q.IDs)
	if err != nil {
		return err
	}
	byID := make(map[string]db.StatusRef, len(refs))
	for _, r := range refs {
		byID[r.ID] = r
	}
	ordered := make([]db.StatusRef, 0, len(refs))
	for _, id := range q.IDs {
		if r, ok := byID[id]; ok {
			ordered = append(ordered, r)
			delete(byID, id)
		}
	}
	raw, err := a.View.Statuses(c.Request.Context(), ordered)
	if err != nil {
		return err
	}
	return web.OK(c, raw)
}

// Card is GET /api/v1/statuses/:id/card: null for a status without one.
func (a *Statuses) Card(c *gin.Context) error {
	ctx, viewer := c.Request.Context(), a.View.Viewer(web.Caller(c))
	status, err := a.DB.VisibleStatus(ctx, viewer, c.Param("id"))
	if err == nil && status.ReblogOfID != nil {
		status, err = a.DB.VisibleStatus(ctx, viewer, *status.ReblogOfID)
	}
	if err != nil {
		return err
	}
	card, err := a.View.Card(ctx, status)
	if err != nil {
		return err
	}
	return web.OK(c, card)
}

// RebloggedBy is GET /api/v1/statuses/:id/reblogged_by.
func (a *Statuses) RebloggedBy(c *gin.Context) error { return a.actors(c, a.DB.RebloggedBy) }

// FavouritedBy is GET /api/v1/statuses/:id/favourited_by: an empty list if the
// instance hides reactions.
func (a *Statuses) FavouritedBy(c *gin.Context) error {
	if !a.Settings.Load().Instance.ShowReactions {
		return web.OK(c, []struct{}{})
	}
	return a.actors(c, a.DB.FavouritedBy)
}

func (a *Statuses) actors(c *gin.Context, who func(context.Context, db.Viewer, string, int) ([]db.Account, error)) error {
	ctx, viewer := c.Request.Context(), a.View.Viewer(web.Caller(c))
	status, err := a.DB.VisibleStatus(ctx, viewer, c.Param("id"))
	if err != nil {
		return err
	}
	id := status.ID
	if status.ReblogOfID != nil {
		id = *status.ReblogOfID
	}
	rows, err := who(ctx, viewer, id, web.Page(c, accountPage, accountPageMax).Limit)
	if err != nil {
		return err
	}
	raw, err := a.View.Accounts(ctx, rows)
	if err != nil {
		return err
	}
	return web.OK(c, raw)
}
