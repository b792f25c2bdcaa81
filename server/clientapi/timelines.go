package clientapi

import (
	"context"
	"fmt"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/fault"
	"svc/server/web"
)

// Page sizes of lists of statuses.
const (
	statusPage    = 20
	statusPageMax = 40
)

type timelineQuery struct {
	Local               api.Bool `json:"local"`
	Remote              api.Bool `json:"remote"`
	OnlyMedia           api.Bool `json:"only_media"`
	WithMuted           api.Bool `json:"with_muted"`
	ExcludeVisibilities []string `json:"exclude_visibilities"`
	ReplyVisibility     string   `json:"reply_visibility"`
}

func bindTimeline(c *gin.Context) (db.TimelineFilter, error) {
	var q timelineQuery
	if err := web.BindQuery(c, &q); err != nil {
		return db.TimelineFilter{}, err
	}
	return db.TimelineFilter{
		Local: bool(q.Local), Remote: bool(q.Remote), OnlyMedia: bool(q.OnlyMedia), WithMuted: bool(q.WithMuted),
		ExcludeVisibilities: q.ExcludeVisibilities, ReplyVisibility: q.ReplyVisibility,
	}, nil
}

// HomeTimeline is GET /api/v1/timelines/home.
func (a *API) HomeTimeline(c *gin.Context) error {
	f, err := bindTimeline(c)
	if err != nil {
		return err
	}
	f.OnlyMedia, f.Remote = false, false
	refs, err := a.DB.HomeTimeline(c.Request.Context(), a.View.Viewer(web.Caller(c)), f, web.Page(c, statusPage, statusPageMax))
	if err != nil {
		return err
	}
	return a.statuses(c, refs)
}

// PublicTimeline is GET /api/v1/timelines/public.
func (a *API) PublicTimeline(c *gin.Context) error {
	f, err := bindTimeline(c)
	if err != nil {
		return err
	}
	s := a.Settings.Load()
	restriction := s.Restrict.TimelinesFederated
	if f.Local {
		restriction = s.Restrict.TimelinesLocal
	}
	if web.Caller(c) == nil && s.Restricts(restriction) {
		return fault.Unauthenticated("authorization required for timeline view")
	}
	refs, err := a.DB.PublicTimeline(c.Request.Context(), a.View.Viewer(web.Caller(c)), f, web.Page(c, statusPage, statusPageMax))
	if err != nil {
		return err
	}
	return a.statuses(c, refs)
}

// AccountStatuses is GET /api/v1/accounts/:id/statuses; the id may be a
// nickname.
func (a *API) AccountStatuses(c *gin.Context) error {
	var q struct {
		Pinned              api.Bool `json:"pinned"`
		Tagged              string   `json:"tagged"`
		OnlyMedia           api.Bool `json:"only_media"`
		ExcludeReblogs      api.Bool `json:"exclude_reblogs"`
		ExcludeReplies      api.Bool `json:"exclude_replies"`
		ExcludeVisibilities []string `json:"exclude_visibilities"`
	}
	if err := web.BindQuery(c, &q); err != nil {
		return err
	}
	account, err := a.profile(c)
	if err != nil {
		return err
	}
	refs, err := a.DB.AccountStatuses(c.Request.Context(), a.View.Viewer(web.Caller(c)), account.ID, db.AccountFilter{
		ExcludeReblogs: bool(q.ExcludeReblogs), ExcludeReplies: bool(q.ExcludeReplies), OnlyMedia: bool(q.OnlyMedia),
		Pinned: bool(q.Pinned), Tagged: lower(q.Tagged), ExcludeVisibilities: q.ExcludeVisibilities,
	}, web.Page(c, statusPage, statusPageMax))
	if err != nil {
		return err
	}
	return a.statuses(c, refs)
}

// statuses answers with a page of statuses and the links to its neighbours.
func (a *API) statuses(c *gin.Context, refs []db.StatusRef) error {
	raw, err := a.View.Statuses(c.Request.Context(), refs)
	if err != nil {
		return err
	}
	if len(refs) > 0 {
		web.Links(c, a.Base, refs[0].ID, refs[len(refs)-1].ID)
	}
	defer a.View.Release(raw)
	return web.OK(c, raw)
}

// Status is GET /api/v1/statuses/:id.
func (a *API) Status(c *gin.Context) error {
	raw, err := a.View.Status(c.Request.Context(), web.Caller(c), c.Param("id"))
	if err != nil {
		return err
	}
	return web.OK(c, raw)
}

// StatusesByID is GET /api/v1/statuses?ids[]: up to 100, in the order asked.
func (a *API) StatusesByID(c *gin.Context) error {
	var q struct {
		IDs []string `json:"ids" binding:"required"`
	}
	if err := web.BindQuery(c, &q); err != nil {
		return err
	}
	if len(q.IDs) > 100 {
		q.IDs = q.IDs[:100]
	}
	refs, err := a.DB.StatusRefs(c.Request.Context(), a.View.Viewer(web.Caller(c)), q.IDs)
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

// Context is GET /api/v1/statuses/:id/context: the chain of parents above, and
// the tree of replies below in the order to read.
func (a *API) Context(c *gin.Context) error {
	ctx, viewer, id := c.Request.Context(), a.View.Viewer(web.Caller(c)), c.Param("id")
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
	above, below := around(thread, of)
	raw, err := a.View.Context(ctx, above, below)
	if err != nil {
		return err
	}
	defer a.View.Release(raw)
	return web.OK(c, raw)
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
// replies below it, each followed by its own.
func around(thread []db.StatusRef, of db.StatusRef) (above, below []db.StatusRef) {
	byID := make(map[string]int, len(thread))
	children := make(map[string][]int, len(thread))
	for i, r := range thread {
		byID[r.ID] = i
		if r.InReplyToID != "" {
			children[r.InReplyToID] = append(children[r.InReplyToID], i)
		}
	}
	seen := map[string]bool{of.ID: true}
	for parent := of.InReplyToID; parent != "" && !seen[parent]; {
		seen[parent] = true
		i, ok := byID[parent]
		if !ok {
			break
		}
		above = append(above, thread[i])
		parent = thread[i].InReplyToID
	}
	for i, j := 0, len(above)-1; i < j; i, j = i+1, j-1 {
		above[i], above[j] = above[j], above[i]
	}
	// A stack, newest on the bottom: a reply, then all below it, then its sibling.
	stack := reversed(children[of.ID])
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[thread[i].ID] {
			continue
		}
		seen[thread[i].ID] = true
		below = append(below, thread[i])
		stack = append(stack, reversed(children[thread[i].ID])...)
	}
	return above, below
}

func reversed(in []int) []int {
	out := make([]int, len(in))
	for i, n := range in {
		out[len(in)-1-i] = n
	}
	return out
}

// RebloggedBy is GET /api/v1/statuses/:id/reblogged_by.
func (a *API) RebloggedBy(c *gin.Context) error { return a.actors(c, a.DB.RebloggedBy) }

// FavouritedBy is GET /api/v1/statuses/:id/favourited_by: nobody where the
// instance does not show reactions.
func (a *API) FavouritedBy(c *gin.Context) error {
	if !a.Settings.Load().Instance.ShowReactions {
		return web.OK(c, []struct{}{})
	}
	return a.actors(c, a.DB.FavouritedBy)
}

func (a *API) actors(c *gin.Context, who func(context.Context, db.Viewer, string, int) ([]db.Account, error)) error {
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
	raw, err := a.View.Accounts(rows)
	if err != nil {
		return err
	}
	return web.OK(c, raw)
}
