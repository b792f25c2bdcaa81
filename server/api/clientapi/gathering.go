package clientapi

import (
	"context"
	"slices"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/api/web"
	"svc/server/rules/auth"
)

// maxRounds bounds the reads of one page: filters of the viewer may leave it
// short.
const maxRounds = 5

// readTimeline reads a page of a timeline for a viewer.
type readTimeline func(ctx context.Context, v db.Viewer, p db.Page) (db.Timeline, error)

// timeline answers with a page of a timeline, to which the caller's filters for
// these places apply, and the links to its neighbours. A page that stays short
// though there is more has a link to where to go on.
func (a *shared) timeline(c *gin.Context, places int64, read readTimeline) error {
	ctx := c.Request.Context()
	g, err := a.gather(ctx, web.Caller(c), web.Page(c, statusPage, statusPageMax), places, read)
	if err != nil {
		return err
	}
	raw, err := a.View.Statuses(ctx, g.refs)
	if err != nil {
		return err
	}
	web.Links(c, a.Site.Base, g.newest, g.oldest)
	defer a.View.Release(raw)
	return web.OK(c, raw)
}

// gathered is a page for the viewer, newest first, and the ids of the newest
// and oldest status that were read for it; "" for none.
type gathered struct {
	refs           []db.StatusRef
	newest, oldest string
}

// gather reads a timeline until a page is full, it ends, or maxRounds are over.
func (a *shared) gather(ctx context.Context, caller *auth.Identity, page db.Page, places int64, read readTimeline) (gathered, error) {
	var g gathered
	v := a.View.Viewer(caller)
	unwanted, err := a.View.Unwanted(ctx, []*auth.Identity{caller}, places)
	if err != nil {
		return g, err
	}
	upward := page.MinID != ""
	var first, end string
	for p, round := page, 0; round < maxRounds; round++ {
		t, err := read(ctx, v, p)
		if err != nil {
			return g, err
		}
		if len(t.Refs) > 0 && first == "" {
			first = edge(t.Refs, !upward)
		}
		more := t.Next
		if len(t.Refs) >= p.Limit {
			more = edge(t.Refs, upward)
		}
		switch {
		case more != "":
			end = more
		case len(t.Refs) > 0:
			end = edge(t.Refs, upward)
		}
		refs, err := unwanted.LeaveOut(ctx, t.Refs)
		if err != nil {
			return g, err
		}
		if room := page.Limit - len(g.refs); len(refs) >= room {
			// The rest comes on the next page.
			if upward {
				refs = refs[len(refs)-room:]
			} else {
				refs = refs[:room]
			}
			end, more = edge(refs, upward), ""
		}
		if upward {
			g.refs = append(slices.Clone(refs), g.refs...)
			p.MinID = more
		} else {
			g.refs = append(g.refs, refs...)
			p.MaxID = more
		}
		if more == "" {
			break
		}
	}
	if first == "" {
		first = end
	}
	g.newest, g.oldest = first, end
	if upward {
		g.newest, g.oldest = end, first
	}
	return g, nil
}

// edge returns the id of the newest or oldest status of a page.
func edge(refs []db.StatusRef, newest bool) string {
	if newest {
		return refs[0].ID
	}
	return refs[len(refs)-1].ID
}
