package clientapi

import (
	"context"
	"fmt"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/api/web"
	"svc/server/rules/auth"
)

// Context is GET /api/v1/statuses/:id/context: the chain of parents above, and
// the tree of replies below in reading order. Statuses that the caller may not
// or does not want to see are left out; replies to them stay.
func (a *Statuses) Context(c *gin.Context) error {
	ctx, caller, id := c.Request.Context(), web.Caller(c), c.Param("id")
	viewer := a.View.Viewer(caller)
	of, err := a.ref(ctx, viewer, id)
	if err == nil && of.ReblogOfID != "" {
		of, err = a.ref(ctx, viewer, of.ReblogOfID)
	}
	if err != nil {
		return err
	}
	thread, err := a.DB.Thread(ctx, viewer, of.ID)
	if err != nil {
		return err
	}
	unwanted, err := a.View.Unwanted(ctx, []*auth.Identity{caller}, db.FilterThread)
	if err != nil {
		return err
	}
	if thread, err = unwanted.LeaveOut(ctx, thread); err != nil {
		return err
	}
	above, below, err := a.DB.SplitThread(ctx, thread, of)
	if err != nil {
		return err
	}
	raw, err := a.View.Context(ctx, above, below)
	if err != nil {
		return err
	}
	defer a.View.Release(raw)
	return web.OK(c, raw)
}

// ref is the place of a status that the viewer may see; any other is
// db.ErrNotFound.
func (a *Statuses) ref(ctx context.Context, viewer db.Viewer, id string) (db.StatusRef, error) {
	refs, err := a.DB.StatusRefs(ctx, viewer, []string{id})
	if err == nil && len(refs) == 0 {
		err = fmt.Errorf("status %s: %w", id, db.ErrNotFound)
	}
	if err != nil {
		return db.StatusRef{}, err
	}
	return refs[0], nil
}
