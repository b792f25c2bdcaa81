package view

import (
	"context"
	"encoding/json"
	"slices"

	"svc/client/api"
	"svc/db"
	"svc/server/platform/text"
	"svc/server/rules/notify"
	"svc/server/rules/social"
)

// FilterPlaces are the names of the bits of a filter's contexts, from the lowest.
var FilterPlaces = []string{"home", "notifications", "public", "thread", "account"}

// Phrase renders a keyword as a filter of the first version of the API.
func Phrase(f *db.Filter, k *db.FilterKeyword) api.Filter {
	head := filterHead(f)
	return api.Filter{
		ID: itoa(k.Number), Phrase: k.Keyword, Context: head.Context, ExpiresAt: head.ExpiresAt, Irreversible: f.Irreversible, WholeWord: k.WholeWord,
	}
}

// Filter renders a filter.
func Filter(f *db.Filter) api.FilterV2 {
	out := api.FilterV2{FilterHead: filterHead(f)}
	for i := range f.Keywords {
		out.Keywords = append(out.Keywords, FilterKeyword(&f.Keywords[i]))
	}
	for i := range f.Statuses {
		out.Statuses = append(out.Statuses, FilterStatus(&f.Statuses[i]))
	}
	return out
}

func filterHead(f *db.Filter) api.FilterHead {
	out := api.FilterHead{ID: itoa(f.Number), Title: f.Title, ExpiresAt: api.At(f.ExpiresAt.Time), FilterAction: string(social.ActionOf(f))}
	for i, place := range FilterPlaces {
		if f.Contexts&(1<<i) != 0 {
			out.Context = append(out.Context, place)
		}
	}
	return out
}

// FilterKeyword renders a keyword of a filter.
func FilterKeyword(k *db.FilterKeyword) api.FilterKeyword {
	return api.FilterKeyword{ID: itoa(k.Number), Keyword: k.Keyword, WholeWord: k.WholeWord}
}

// FilterStatus renders a status of a filter.
func FilterStatus(s *db.FilterStatus) api.FilterStatus {
	return api.FilterStatus{ID: itoa(s.Number), StatusID: s.StatusID}
}

// How many viewers have their filters kept ready, and how many statuses their texts:
// some 1 kB each. And how many places are kept with what the filters of a viewer match
// there: some 200 bytes each.
const (
	keptFilters  = 1000
	keptReadings = 4000
	keptTried    = 20_000
)

// filters are the filters of a viewer, ready to be tried.
type filters struct {
	version int64 // of db.Relations
	all     []filter
}

type filter struct {
	row      db.Filter
	phrases  []text.Phrase // of the keywords
	statuses map[string]bool
}

// readings are the texts of a status at a version, in the form that filters compare.
type readings struct {
	version int64
	texts   []*text.Reading
}

// place is a status of a page as a viewer sees it.
type place struct{ viewer, id string }

// tried are the matches of a viewer's filters in a place, for versions of both.
type tried struct {
	filters, text int64
	found         []match
}

// match is the result of a filter, by its index. It may have expired.
type match struct {
	filter int
	result *api.FilterResult
}

// newFilters makes rows ready.
func newFilters(version int64, rows []db.Filter) *filters {
	out := &filters{version: version, all: make([]filter, len(rows))}
	for i, row := range rows {
		f := &out.all[i]
		f.row = row
		for _, k := range row.Keywords {
			f.phrases = append(f.phrases, text.NewPhrase(k.Keyword, k.WholeWord))
		}
		for _, s := range row.Statuses {
			if f.statuses == nil {
				f.statuses = map[string]bool{}
			}
			f.statuses[s.StatusID] = true
		}
	}
	return out
}

// filtersOf returns the filters of viewers, given with the versions of their filters: in
// up to 3 statements for those that are not kept or whose version is not known.
func (v *View) filtersOf(ctx context.Context, viewers map[string]int64) (map[string]*filters, error) {
	if len(viewers) == 0 {
		return nil, nil
	}
	out := make(map[string]*filters, len(viewers))
	var missing []string
	for id, version := range viewers {
		if kept, ok := v.filters.Get(id); ok && version > 0 && kept.version == version {
			out[id] = kept
		} else {
			missing = append(missing, id)
		}
	}
	slices.Sort(missing)
	rows, err := v.db.LiveFilters(ctx, missing)
	if err != nil {
		return nil, err
	}
	for _, id := range missing {
		of := rows
		if n := slices.IndexFunc(rows, func(f db.Filter) bool { return f.AccountID != id }); n >= 0 {
			of = rows[:n]
		}
		rows = rows[len(of):]
		out[id] = newFilters(viewers[id], of)
		if viewers[id] > 0 {
			v.filters.Add(id, out[id])
		}
	}
	return out, nil
}

// readingsOf returns the texts that filters look at of the statuses that refs show, by
// status: in a statement for those that are not kept.
func (v *View) readingsOf(ctx context.Context, refs []db.StatusRef) (map[string]*readings, error) {
	out := make(map[string]*readings, len(refs))
	var missing []string
	for i := range refs {
		id, version := refs[i].ID, refs[i].Version
		if refs[i].ReblogOfID != "" {
			id, version = refs[i].ReblogOfID, refs[i].ReblogVersion
		}
		if kept, ok := v.readings.Get(id); ok && kept.version >= version {
			out[id] = kept
		} else {
			missing = append(missing, id)
		}
	}
	slices.Sort(missing)
	rows, err := v.db.StatusTexts(ctx, slices.Compact(missing))
	if err != nil {
		return nil, err
	}
	for id, row := range rows {
		r := &readings{version: row.Version}
		for _, t := range notify.Readings(row) {
			r.texts = append(r.texts, t.InOneCase())
		}
		out[id] = r
		v.readings.Add(id, r)
	}
	return out, nil
}

// author is the account that wrote what a place shows.
func author(r *db.StatusRef) string {
	if r.ReblogOfID != "" {
		return r.ReblogAccountID
	}
	return r.AccountID
}

// hides reports whether f leaves out a status in some of places.
func (f *filter) hides(places int64, now db.Time) bool {
	return f.row.Irreversible && f.row.Contexts&places != 0 && f.live(now)
}

func (f *filter) live(now db.Time) bool {
	return f.row.ExpiresAt.IsZero() || f.row.ExpiresAt.After(now.Time)
}

// matches reports whether f matches what a place shows.
func (f *filter) matches(r *db.StatusRef, of *readings) bool {
	if f.statuses[r.ID] || r.ReblogOfID != "" && f.statuses[r.ReblogOfID] {
		return true
	}
	return of != nil && slices.ContainsFunc(f.phrases, func(p text.Phrase) bool { return slices.ContainsFunc(of.texts, p.In) })
}

// result says what f matches of what a place shows, nil for nothing.
func (f *filter) result(r *db.StatusRef, of *readings) *api.FilterResult {
	var out api.FilterResult
	for _, id := range []string{r.ID, r.ReblogOfID} {
		if f.statuses[id] {
			out.StatusMatches = append(out.StatusMatches, id)
		}
	}
	if of != nil {
		for i, p := range f.phrases {
			if slices.ContainsFunc(of.texts, p.In) {
				out.KeywordMatches = append(out.KeywordMatches, f.row.Keywords[i].Keyword)
			}
		}
	}
	if out.StatusMatches == nil && out.KeywordMatches == nil {
		return nil
	}
	out.Filter = filterHead(&f.row)
	return &out
}

// try returns the matches of all filters in what a place shows: none in one's own.
func (x *filters) try(r *db.StatusRef, of *readings) []match {
	if x == nil || author(r) == r.Viewer.ID {
		return nil
	}
	var found []match
	for i := range x.all {
		if result := x.all[i].result(r, of); result != nil {
			found = append(found, match{i, result})
		}
	}
	return found
}

// filtered is the field of this name for matches, without those of filters that have
// expired; nil for an empty one.
func (x *filters) filtered(found []match, now db.Time) ([]byte, error) {
	var results []*api.FilterResult
	for _, m := range found {
		if x.all[m.filter].live(now) {
			results = append(results, m.result)
		}
	}
	if results == nil {
		return nil, nil
	}
	raw, err := json.Marshal(results)
	return plainHTML(raw), err
}

// filteredOf is the field filtered of a page for its viewer, by ref. It takes no
// statement if the viewer has no filters, or if these and the texts are kept.
func (v *View) filteredOf(ctx context.Context, refs []db.StatusRef) (map[string][]byte, error) {
	if len(refs) == 0 || refs[0].Viewer == nil || refs[0].Viewer.ID == "" || !refs[0].Viewer.Relations.Filters {
		return nil, nil
	}
	viewer := refs[0].Viewer
	of, err := v.filtersOf(ctx, map[string]int64{viewer.ID: viewer.Relations.FilterVersion})
	if err != nil || len(of[viewer.ID].all) == 0 {
		return nil, err
	}
	x := of[viewer.ID]
	found, err := v.tryAll(ctx, x, refs)
	if err != nil {
		return nil, err
	}
	var out map[string][]byte
	now := v.db.Now()
	for i := range refs {
		raw, err := x.filtered(found[i], now)
		if err != nil {
			return nil, err
		}
		if raw != nil {
			if out == nil {
				out = map[string][]byte{}
			}
			out[refs[i].ID] = raw
		}
	}
	return out, nil
}

// tryAll returns the matches of the filters of the viewer of refs, by ref. What was tried
// before is kept: a page costs little more than one without filters.
func (v *View) tryAll(ctx context.Context, x *filters, refs []db.StatusRef) ([][]match, error) {
	out := make([][]match, len(refs))
	var missing []db.StatusRef
	var at []int
	for i := range refs {
		r := &refs[i]
		version := r.Version
		if r.ReblogOfID != "" {
			version = r.ReblogVersion
		}
		if kept, ok := v.tried.Get(place{r.Viewer.ID, r.ID}); ok && x.version > 0 && kept.filters == x.version && kept.text >= version {
			out[i] = kept.found
		} else {
			missing, at = append(missing, *r), append(at, i)
		}
	}
	if missing == nil {
		return out, nil
	}
	texts, err := v.readingsOf(ctx, missing)
	if err != nil {
		return nil, err
	}
	for n, i := range at {
		r := &missing[n]
		of := texts[ShownID(r)]
		out[i] = x.try(r, of)
		if of != nil && x.version > 0 {
			v.tried.Add(place{r.Viewer.ID, r.ID}, tried{x.version, of.version, out[i]})
		}
	}
	return out, nil
}
