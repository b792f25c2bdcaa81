package view

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"svc/db"
)

// standing holds the facts about a place that a status's JSON shows, apart from
// votes and reactions.
type standing struct {
	id                                                         string
	favourited, reblogged, muted, thread, parent, marked, mine bool
	filtered                                                   string
}

// Streamed renders one status for each viewer of refs, by viewer. Viewers with
// the same relation to it share the bytes; their filters are those of unwanted. It sends
// the statements of a page, one for the viewers that voted or reacted, up to 2 for each
// of these, and one for the texts of the status if a viewer has filters.
func (v *View) Streamed(ctx context.Context, refs []db.StatusRef, unwanted *Unwanted) (map[string]json.RawMessage, error) {
	if len(refs) == 0 {
		return nil, nil
	}
	apart, err := v.apart(ctx, refs)
	if err != nil {
		return nil, err
	}
	filtered, err := unwanted.filtered(ctx, refs)
	if err != nil {
		return nil, err
	}
	out := make(map[string]json.RawMessage, len(refs))
	alike := map[standing]json.RawMessage{}
	for i := range refs {
		r := refs[i]
		viewer := r.Viewer.ID
		as := standing{ShownID(&r), r.Favourited, r.Reblogged, r.Muted, r.ThreadMuted, r.ParentVisible, r.Bookmarked, r.AccountID == viewer || r.ReblogAccountID == viewer, string(filtered[viewer])}
		if raw, ok := alike[as]; ok && !apart[viewer] {
			out[viewer] = raw
			continue
		}
		if !as.mine && !apart[viewer] {
			r.Viewer = &db.Viewer{}
		} else {
			of := *r.Viewer
			of.Relations.Filters = false // they were tried already
			r.Viewer = &of
		}
		p, err := v.prepare(ctx, []db.StatusRef{r})
		if err != nil {
			return nil, err
		}
		var raw bytes.Buffer
		if !p.writeFiltered(&raw, &r, filtered[viewer]) {
			continue // deleted since
		}
		out[viewer] = raw.Bytes()
		if !apart[viewer] {
			alike[as] = raw.Bytes()
		}
	}
	return out, nil
}

// filtered is the field of this name of one status, by viewer.
func (u *Unwanted) filtered(ctx context.Context, refs []db.StatusRef) (map[string][]byte, error) {
	var out map[string][]byte
	var texts map[string]*readings
	now := u.view.db.Now()
	for i := range refs {
		r := &refs[i]
		of := u.filters[r.Viewer.ID]
		if of == nil || len(of.all) == 0 {
			continue
		}
		if texts == nil {
			var err error
			if texts, err = u.view.readingsOf(ctx, refs[:1]); err != nil {
				return nil, err
			}
			out = map[string][]byte{}
		}
		raw, err := of.filtered(of.try(r, texts[ShownID(r)]), now)
		if err != nil {
			return nil, err
		}
		out[r.Viewer.ID] = raw
	}
	return out, nil
}

// apart returns the viewers that need a rendering of their own: they voted in
// the status's poll or reacted to it, or do not see all of its reactions.
func (v *View) apart(ctx context.Context, refs []db.StatusRef) (map[string]bool, error) {
	p, err := v.prepare(ctx, []db.StatusRef{{
		ID: refs[0].ID, Version: refs[0].Version, AccountID: refs[0].AccountID, AccountVersion: refs[0].AccountVersion, ReblogOfID: refs[0].ReblogOfID,
		ReblogVersion: refs[0].ReblogVersion, ReblogAccountID: refs[0].ReblogAccountID, ReblogAuthorVer: refs[0].ReblogAuthorVer,
	}})
	if err != nil {
		return nil, err
	}
	shown := p.statuses[ShownID(&refs[0])]
	if shown == nil || shown.extras == nil || shown.extras.poll == nil && len(shown.extras.reactions) == 0 {
		return nil, nil
	}
	var viewers []string
	out := map[string]bool{}
	for i := range refs {
		if id := refs[i].Viewer.ID; id != "" {
			viewers = append(viewers, id)
			if relations := refs[i].Viewer.Relations; len(shown.extras.reactions) > 0 && (relations.Blocks || relations.Mutes || relations.DomainBlocks) {
				out[id] = true
			}
		}
	}
	slices.Sort(viewers)
	touched, err := v.db.Touched(ctx, ShownID(&refs[0]), slices.Compact(viewers))
	for _, id := range touched {
		out[id] = true
	}
	return out, err
}
