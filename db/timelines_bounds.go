package db

import "context"

// Timeline is a page of a timeline, newest first.
type Timeline struct {
	Refs []StatusRef
	// Next is where to continue if Refs are fewer than requested and there may be
	// more: a MaxID or, for a page above a MinID, another MinID. "" is the end.
	Next string
}

// windowSize bounds the places of a timeline that one statement reads. Most of
// a timeline may be unwanted: without this bound, muting the busiest author
// would make the database read all statuses.
const windowSize = 1000

// window is a timeline without the viewer's conditions: FROM and WHERE, with
// the alias w, and the column that pages it.
type window struct {
	from   string
	args   []any
	column string
}

// edge selects the last place that a statement for p may read.
func (w window) edge(p Page) (string, []any) {
	cond, _, bounds := p.where(w.column)
	order := " ORDER BY " + w.column + " DESC"
	if p.MinID != "" {
		order = " ORDER BY " + w.column
	}
	args := append(append([]any{}, w.args...), bounds...)
	return "SELECT " + w.column + w.from + cond + order + limit(1, windowSize-1), args
}

// windowed is page within w. If the page is short, a second statement finds out
// whether w ended it.
func (d *DB) windowed(ctx context.Context, q *selection, p Page, column, what string, w window) (Timeline, error) {
	edge, args := w.edge(p)
	if p.MinID != "" {
		q.add(` AND `+column+` <= COALESCE((`+edge+`), '~')`, args...)
	} else {
		q.add(` AND `+column+` >= COALESCE((`+edge+`), '')`, args...)
	}
	t, err := d.timeline(ctx, q, p, column, what)
	if err != nil || len(t.Refs) >= p.Limit {
		return t, err
	}
	t.Next, _, err = optional(value[string](ctx, d, what, edge, args...))
	return t, err
}

// timeline is page as a Timeline.
func (d *DB) timeline(ctx context.Context, q *selection, p Page, column, what string) (Timeline, error) {
	if q.facts != nil {
		refs, next, err := d.filled(ctx, q, p, column, what, true)
		return Timeline{Refs: refs, Next: next}, err
	}
	refs, err := d.page(ctx, q, p, column, what)
	return Timeline{Refs: refs}, err
}
