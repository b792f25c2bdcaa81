package clientapi

import (
	"context"
	"errors"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
)

// Reactions is GET /api/v1/svc/statuses/:id/reactions, with or without an
// emoji. The list is empty if the instance hides reactions, or if the caller
// may not see the status.
func (a *Statuses) Reactions(c *gin.Context) error {
	var q api.ReactionQuery
	if err := web.BindQuery(c, &q); err != nil {
		return err
	}
	ctx, viewer, emoji := c.Request.Context(), a.View.Viewer(web.Caller(c)), c.Param("emoji")
	viewer.WithMuted = q.WithMuted
	none := func() error { return web.OK(c, []struct{}{}) }
	if !a.Settings.Load().Instance.ShowReactions {
		return none()
	}
	status, err := a.DB.VisibleStatus(ctx, viewer, c.Param("id"))
	if err == nil && status.ReblogOfID != nil {
		status, err = a.DB.VisibleStatus(ctx, viewer, *status.ReblogOfID)
	}
	if errors.Is(err, db.ErrNotFound) {
		return none()
	}
	if err != nil {
		return err
	}
	var counts []db.ReactionCount
	for _, r := range status.Reactions {
		if emoji == "" || r.Emoji == emoji {
			counts = append(counts, r)
		}
	}
	if len(counts) == 0 {
		return none()
	}
	who, err := a.DB.Reactors(ctx, viewer, status.ID, emoji)
	if err != nil {
		return err
	}
	raw, err := a.View.Reactions(ctx, viewer, status.ID, counts, who)
	if err != nil {
		return err
	}
	return web.OK(c, raw)
}

// React is PUT /api/v1/svc/statuses/:id/reactions/:emoji.
func (a *Statuses) React(c *gin.Context) error { return a.reactWith(c, a.Social.React) }

// Unreact is DELETE /api/v1/svc/statuses/:id/reactions/:emoji.
func (a *Statuses) Unreact(c *gin.Context) error { return a.reactWith(c, a.Social.Unreact) }

func (a *Statuses) reactWith(c *gin.Context, do func(ctx context.Context, by *db.Account, id, emoji string) (*db.Status, error)) error {
	status, err := do(c.Request.Context(), web.Caller(c).Account, c.Param("id"), c.Param("emoji"))
	if err != nil {
		return err
	}
	return a.status(c, status.ID)
}
