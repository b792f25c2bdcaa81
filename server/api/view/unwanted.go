package view

import (
	"context"

	"svc/db"
	"svc/server/rules/auth"
)

// Unwanted leaves out statuses that viewers do not want, by rules that no query
// has: filters, and thread containment.
type Unwanted struct {
	view      *View
	places    int64
	filters   map[string]*filters // by viewer
	contained map[string]bool     // viewers who see no replies to statuses that they cannot see
}

// Unwanted collects the rules of viewers for places, with up to 3 statements if any of
// them has filters that are not kept.
func (v *View) Unwanted(ctx context.Context, viewers []*auth.Identity, places int64) (*Unwanted, error) {
	u := &Unwanted{view: v, places: places}
	contained := places&(db.FilterHome|db.FilterPublic) != 0 && !v.settings.Load().Instance.SkipThreadContainment
	var filtering map[string]int64
	for _, viewer := range viewers {
		a := auth.AccountOf(viewer)
		if a == nil {
			continue
		}
		if contained && !a.SkipThreadContainment {
			if u.contained == nil {
				u.contained = map[string]bool{}
			}
			u.contained[a.ID] = true
		}
		if viewer.Relations.Filters {
			if filtering == nil {
				filtering = map[string]int64{}
			}
			filtering[a.ID] = viewer.Relations.FilterVersion
		}
	}
	var err error
	u.filters, err = v.filtersOf(ctx, filtering)
	return u, err
}

// LeaveOut returns refs without those that their viewers do not want. Viewers'
// own statuses stay. It sends a statement if there are filters that hide and texts that
// are not kept, and one for each viewer of contained threads.
func (u *Unwanted) LeaveOut(ctx context.Context, refs []db.StatusRef) ([]db.StatusRef, error) {
	hiding := u.hiding()
	if len(refs) == 0 || len(hiding) == 0 && len(u.contained) == 0 {
		return refs, nil
	}
	var (
		texts map[string]*readings
		lost  = map[string]map[string]bool{}
	)
	if len(hiding) > 0 {
		var err error
		if texts, err = u.view.readingsOf(ctx, refs); err != nil {
			return nil, err
		}
	}
	out := make([]db.StatusRef, 0, len(refs))
	for _, r := range refs {
		viewer, id, own := r.Viewer.ID, ShownID(&r), author(&r) == r.Viewer.ID
		if !own && u.contained[viewer] && lost[viewer] == nil {
			var err error
			if lost[viewer], err = u.view.db.Uncontained(ctx, *r.Viewer, shownTo(refs, viewer)); err != nil {
				return nil, err
			}
		}
		hidden := lost[viewer][id]
		for _, f := range hiding[viewer] {
			hidden = hidden || f.matches(&r, texts[id])
		}
		if own || !hidden {
			out = append(out, r)
		}
	}
	return out, nil
}

// hiding returns the filters that leave statuses out, by viewer.
func (u *Unwanted) hiding() map[string][]*filter {
	var out map[string][]*filter
	now := u.view.db.Now()
	for viewer, of := range u.filters {
		for i := range of.all {
			if f := &of.all[i]; f.hides(u.places, now) {
				if out == nil {
					out = map[string][]*filter{}
				}
				out[viewer] = append(out[viewer], f)
			}
		}
	}
	return out
}

// ShownID is the status that a place shows: the reblogged one of a reblog.
func ShownID(r *db.StatusRef) string {
	if r.ReblogOfID != "" {
		return r.ReblogOfID
	}
	return r.ID
}

// shownTo returns the statuses that refs show to a viewer.
func shownTo(refs []db.StatusRef, viewer string) []string {
	var ids []string
	for i := range refs {
		if refs[i].Viewer.ID == viewer {
			ids = append(ids, ShownID(&refs[i]))
		}
	}
	return ids
}
