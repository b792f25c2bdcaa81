package clientapi

import (
	"context"
	"fmt"
	"slices"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/web"
)

// Context is GET /api/v1/statuses/:id/context: the chain of parents above, and
// the tree of replies below in the order to read. What the caller may not or
// does not want to see is left out; what hangs on it stays.
func (a *API) Context(c *gin.Context) error {
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
	unwanted, err := a.unwanted(ctx, caller, db.FilterThread)
	if err != nil {
		return err
	}
	if thread, err = unwanted.leaveOut(ctx, thread); err != nil {
		return err
	}
	places, err := a.places(ctx, thread, of)
	if err != nil {
		return err
	}
	above, below := around(places, thread, of)
	raw, err := a.View.Context(ctx, above, below)
	if err != nil {
		return err
	}
	defer a.View.Release(raw)
	return web.OK(c, raw)
}

// places is the shape of a thread. The statuses that are shown tell it, unless
// one of them answers what is not among them.
func (a *API) places(ctx context.Context, thread []db.StatusRef, of db.StatusRef) ([]db.ThreadPlace, error) {
	shown := make(map[string]bool, len(thread)+1)
	for i := range thread {
		shown[thread[i].ID] = true
	}
	shown[of.ID], shown[""] = true, true
	whole := shown[of.InReplyToID]
	out := make([]db.ThreadPlace, len(thread))
	for i := range thread {
		out[i] = db.ThreadPlace{ID: thread[i].ID, InReplyToID: thread[i].InReplyToID}
		whole = whole && shown[thread[i].InReplyToID]
	}
	if whole {
		return out, nil
	}
	return a.DB.ThreadPlaces(ctx, of.ID)
}

// ref is the place of a status that the viewer may see; any other is
// db.ErrNotFound.
func (a *API) ref(ctx context.Context, viewer db.Viewer, id string) (db.StatusRef, error) {
	refs, err := a.DB.StatusRefs(ctx, viewer, []string{id})
	if err == nil && len(refs) == 0 {
		err = fmt.Errorf("status %s: %w", id, db.ErrNotFound)
	}
	if err != nil {
		return db.StatusRef{}, err
	}
	return refs[0], nil
}

// around splits a thread into the parents of a status, the root first, and the
// replies below it, each followed by its own. Only shown ones are returned.
func around(places []db.ThreadPlace, shown []db.StatusRef, of db.StatusRef) (above, below []db.StatusRef) {
	parents := make(map[string]string, len(places))
	children := make(map[string][]string, len(places))
	for _, p := range places {
		parents[p.ID] = p.InReplyToID
		if p.InReplyToID != "" {
			children[p.InReplyToID] = append(children[p.InReplyToID], p.ID)
		}
	}
	refs := make(map[string]*db.StatusRef, len(shown))
	for i := range shown {
		refs[shown[i].ID] = &shown[i]
	}
	seen := map[string]bool{of.ID: true}
	for id := of.InReplyToID; id != "" && !seen[id]; id = parents[id] {
		seen[id] = true
		if r := refs[id]; r != nil {
			above = append(above, *r)
		}
	}
	slices.Reverse(above)
	// A stack, newest on the bottom: a reply, then all below it, then its sibling.
	stack := reversed(children[of.ID])
	for len(stack) > 0 {
		id := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[id] {
			continue
		}
		seen[id] = true
		if r := refs[id]; r != nil {
			below = append(below, *r)
		}
		stack = append(stack, reversed(children[id])...)
	}
	return above, below
}

func reversed(in []string) []string {
	out := slices.Clone(in)
	slices.Reverse(out)
	return out
}
