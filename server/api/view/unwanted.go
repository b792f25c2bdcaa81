package view

import (
	"context"
	"slices"

	"svc/db"
	"svc/server/platform/text"
	"svc/server/rules/auth"
	"svc/server/rules/notify"
)

// Unwanted leaves out statuses that viewers do not want, by rules that no query
// has: filters, and thread containment.
type Unwanted struct {
	db        *db.DB
	phrases   map[string][]text.Phrase // by viewer
	contained map[string]bool          // viewers who see no replies to statuses that they cannot see
}

// Unwanted collects the rules of viewers for places, with a statement if any of
// them has filters that the server applies.
func (v *View) Unwanted(ctx context.Context, viewers []*auth.Identity, places int64) (*Unwanted, error) {
	u := &Unwanted{db: v.db}
	contained := places&(db.FilterHome|db.FilterPublic) != 0 && !v.settings.Load().Instance.SkipThreadContainment
	var filtering []string
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
			filtering = append(filtering, a.ID)
		}
	}
	filters, err := v.db.IrreversibleFilters(ctx, filtering, places)
	if len(filters) > 0 {
		u.phrases = map[string][]text.Phrase{}
	}
	for _, f := range filters {
		u.phrases[f.AccountID] = append(u.phrases[f.AccountID], text.NewPhrase(f.Phrase, f.WholeWord))
	}
	return u, err
}

// LeaveOut returns refs without those that their viewers do not want. Viewers'
// own statuses stay. It sends a statement if there are filters, and one for each
// viewer of contained threads.
func (u *Unwanted) LeaveOut(ctx context.Context, refs []db.StatusRef) ([]db.StatusRef, error) {
	if len(refs) == 0 || len(u.phrases) == 0 && len(u.contained) == 0 {
		return refs, nil
	}
	var (
		texts map[string][]*text.Reading
		lost  = map[string]map[string]bool{}
	)
	if len(u.phrases) > 0 {
		var err error
		if texts, err = u.texts(ctx, refs); err != nil {
			return nil, err
		}
	}
	out := make([]db.StatusRef, 0, len(refs))
	for _, r := range refs {
		viewer, id, author := r.Viewer.ID, ShownID(&r), r.AccountID
		if r.ReblogOfID != "" {
			author = r.ReblogAccountID
		}
		if author != viewer && u.contained[viewer] && lost[viewer] == nil {
			var err error
			if lost[viewer], err = u.db.Uncontained(ctx, *r.Viewer, shownTo(refs, viewer)); err != nil {
				return nil, err
			}
		}
		matches := func(p text.Phrase) bool { return slices.ContainsFunc(texts[id], p.In) }
		if author == viewer || !lost[viewer][id] && !slices.ContainsFunc(u.phrases[viewer], matches) {
			out = append(out, r)
		}
	}
	return out, nil
}

// texts returns the texts that filters apply to, by status.
func (u *Unwanted) texts(ctx context.Context, refs []db.StatusRef) (map[string][]*text.Reading, error) {
	ids := make([]string, len(refs))
	for i := range refs {
		ids[i] = ShownID(&refs[i])
	}
	slices.Sort(ids)
	rows, err := u.db.StatusTexts(ctx, slices.Compact(ids))
	out := make(map[string][]*text.Reading, len(rows))
	for id, t := range rows {
		out[id] = notify.Readings(t)
	}
	return out, err
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
