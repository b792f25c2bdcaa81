package view

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"

	"svc/client/api"
	"svc/db"
)

// quotes holds what the statuses of a page quote.
type quotes struct {
	known map[string]db.Quoted // by address
	seen  map[string]*db.StatusRef
	whole *prepared // those seen; nil where their ids are enough
}

// quotesOf reads what the statuses of a page quote: none for pages without quotes, else up
// to 4 statements, and if whole is true those of a page of the quoted statuses.
func (v *View) quotesOf(ctx context.Context, refs []db.StatusRef, statuses map[string]*statusJSON, whole bool) (quotes, error) {
	var q quotes
	var uris, ids []string
	for _, s := range statuses {
		if s.extras != nil && s.extras.quote != "" {
			uris = append(uris, s.extras.quote)
		}
	}
	if len(uris) == 0 || len(refs) == 0 {
		return q, nil
	}
	slices.Sort(uris)
	uris = slices.Compact(uris)
	var err error
	if q.known, err = v.db.Quoted(ctx, uris); err != nil {
		return q, err
	}
	pages := map[string]string{} // of this server, by id
	for _, uri := range uris {
		if id, ours := strings.CutPrefix(uri, v.base+"/notice/"); ours {
			pages[id] = uri
		}
	}
	byID, err := v.db.QuotedByID(ctx, slices.Collect(maps.Keys(pages)))
	if err != nil {
		return q, err
	}
	for id, of := range byID {
		q.known[pages[id]] = of
	}
	for _, uri := range uris {
		if id := q.known[uri].StatusID; id != "" {
			ids = append(ids, id)
		}
	}
	viewer := v.Viewer(nil)
	if refs[0].Viewer != nil {
		viewer = *refs[0].Viewer
	}
	shown, err := v.db.StatusRefs(ctx, viewer, ids)
	if err != nil {
		return q, err
	}
	q.seen = make(map[string]*db.StatusRef, len(shown))
	for i := range shown {
		q.seen[shown[i].ID] = &shown[i]
	}
	if whole {
		q.whole, err = v.prepareWith(ctx, shown, false)
	}
	return q, err
}

// writeQuote writes what a status quotes. A status that not everybody may see is quoted by
// its own author, or with a permission.
func (p *prepared) writeQuote(out *bytes.Buffer, r *db.StatusRef, a *extras) {
	if a == nil || a.quote == "" {
		out.WriteString("null")
		return
	}
	of := p.quotes.known[a.quote]
	ref := p.quotes.seen[of.StatusID]
	state := api.QuoteAccepted
	switch {
	case of.Gone:
		state = api.QuoteDeleted
	case of.StatusID == "":
		state = api.QuotePending
	case ref == nil:
		state = api.QuoteUnauthorized
	case of.Visibility != db.Public && of.Visibility != db.Unlisted && ref.AccountID != r.AccountID && !a.stamped:
		state = api.QuoteUnauthorized
	}
	out.WriteString(`{"state":"` + state + `",`)
	if p.quotes.whole == nil { // inside of a quoted status
		out.WriteString(`"quoted_status_id":`)
		if state != api.QuoteAccepted {
			out.WriteString("null}")
			return
		}
		out.WriteString(`"` + ref.ID + `"}`)
		return
	}
	out.WriteString(`"quoted_status":`)
	if state != api.QuoteAccepted || !p.quotes.whole.write(out, ref) {
		out.WriteString("null")
	}
	out.WriteByte('}')
}
