package clientapi

import (
	"context"
	"strconv"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
)

// List is GET /api/v1/announcements: those that are shown now, the first published first.
func (a *Announcements) List(c *gin.Context) error {
	var q api.AnnouncementQuery
	if err := web.BindQuery(c, &q); err != nil {
		return err
	}
	ctx, me := c.Request.Context(), web.Caller(c).Account.ID
	rows, err := a.DB.ShownAnnouncements(ctx, me, a.Now(), q.WithDismissed != nil && !bool(*q.WithDismissed))
	if err != nil {
		return err
	}
	out, err := a.View.Announcements(ctx, me, rows)
	if err != nil {
		return err
	}
	return web.OK(c, out)
}

// Dismiss is POST /api/v1/announcements/:id/dismiss.
func (a *Announcements) Dismiss(c *gin.Context) error {
	return a.change(c, a.Social.DismissAnnouncement)
}

// React is PUT /api/v1/announcements/:id/reactions/:name.
func (a *Announcements) React(c *gin.Context) error {
	return a.change(c, func(ctx context.Context, by *db.Account, id int64) error {
		return a.Social.ReactToAnnouncement(ctx, by, id, c.Param("name"))
	})
}

// Unreact is DELETE /api/v1/announcements/:id/reactions/:name.
func (a *Announcements) Unreact(c *gin.Context) error {
	return a.change(c, func(ctx context.Context, by *db.Account, id int64) error {
		return a.Social.UnreactToAnnouncement(ctx, by, id, c.Param("name"))
	})
}

// change does something with the announcement in the path.
func (a *Announcements) change(c *gin.Context, do func(ctx context.Context, by *db.Account, id int64) error) error {
	id, err := strconv.ParseInt(c.Param("id"), 10, 64)
	if err != nil {
		return db.ErrNotFound
	}
	if err := do(c.Request.Context(), web.Caller(c).Account, id); err != nil {
		return err
	}
	return web.OK(c, api.Empty{})
}
