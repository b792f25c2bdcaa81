package clientapi

import (
	"context"
	"slices"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/api/web"
	"svc/server/platform/text"
	"svc/server/rules/auth"
)

// maxRounds is how often a timeline is read on when the viewer's filters leave a
// page short.
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

// gathered is a page as it is shown, newest first, and the ids of the newest and
// oldest status read for it: "" when there was none.
type gathered struct {
	refs           []db.StatusRef
	newest, oldest string
}

// gather reads a timeline until a page is full, it ends, or maxRounds are over.
func (a *shared) gather(ctx context.Context, caller *auth.Identity, page db.Page, places int64, read readTimeline) (gathered, error) {
	var g gathered
	v := a.View.Viewer(caller)
	unwanted, err := a.unwanted(ctx, caller, places)
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
		refs, err := unwanted.leaveOut(ctx, t.Refs)
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

// edge is the id of the newest or oldest of a page.
func edge(refs []db.StatusRef, newest bool) string {
	if newest {
		return refs[0].ID
	}
	return refs[len(refs)-1].ID
}

// unwanted leaves statuses out that a viewer does not want, by rules that no query
// has.
type unwanted struct {
	db        *db.DB
	viewer    db.Viewer
	phrases   []text.Phrase
	contained bool // leave out replies to statuses that the viewer cannot see
}

// unwanted collects the rules of the caller for places, with a statement where they
// have filters that the server applies.
func (a *shared) unwanted(ctx context.Context, caller *auth.Identity, places int64) (*unwanted, error) {
	u := &unwanted{db: a.DB, viewer: a.View.Viewer(caller)}
	if u.viewer.ID == "" {
		return u, nil
	}
	u.contained = places&(db.FilterHome|db.FilterPublic) != 0 && !caller.Account.SkipThreadContainment && !a.Settings.Load().Instance.SkipThreadContainment
	if !u.viewer.Relations.Filters {
		return u, nil
	}
	filters, err := a.DB.IrreversibleFilters(ctx, []string{u.viewer.ID}, places)
	for _, f := range filters {
		u.phrases = append(u.phrases, text.NewPhrase(f.Phrase, f.WholeWord))
	}
	return u, err
}

// leaveOut returns refs without unwanted statuses. The viewer's own stay.
func (u *unwanted) leaveOut(ctx context.Context, refs []db.StatusRef) ([]db.StatusRef, error) {
	if len(refs) == 0 || len(u.phrases) == 0 && !u.contained {
		return refs, nil
	}
	var texts map[string]db.StatusText
	var lost map[string]bool
	var err error
	if len(u.phrases) > 0 {
		if texts, err = u.db.StatusTexts(ctx, shownIDs(refs)); err != nil {
			return nil, err
		}
	}
	if u.contained {
		if lost, err = u.db.Uncontained(ctx, u.viewer, shownIDs(refs)); err != nil {
			return nil, err
		}
	}
	out := make([]db.StatusRef, 0, len(refs))
	for _, r := range refs {
		id, author := shownID(&r), r.AccountID
		if r.ReblogOfID != "" {
			author = r.ReblogAccountID
		}
		if author != u.viewer.ID && (lost[id] || u.filtered(texts[id])) {
			continue
		}
		out = append(out, r)
	}
	return out, nil
}

func (u *unwanted) filtered(t db.StatusText) bool {
	if len(u.phrases) == 0 {
		return false
	}
	all := t.SpoilerText + "\n" + text.Plain(t.Content)
	for _, option := range t.Options {
		all += "\n" + option.Title
	}
	lowered := text.Lower(all)
	return slices.ContainsFunc(u.phrases, func(p text.Phrase) bool { return p.In(lowered) })
}

// shownID is the status that a place shows: the reblogged one of a reblog.
func shownID(r *db.StatusRef) string {
	if r.ReblogOfID != "" {
		return r.ReblogOfID
	}
	return r.ID
}

func shownIDs(refs []db.StatusRef) []string {
	ids := make([]string, len(refs))
	for i := range refs {
		ids[i] = shownID(&refs[i])
	}
	return ids
}
