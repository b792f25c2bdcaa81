package db

import (
	"cmp"
	"context"
	"slices"
)

// MaxTags bounds the hashtags of each kind for a timeline.
const MaxTags = 10

// TagFilter selects statuses with any hashtag of Any, all of All, and none of
// None, by their names.
type TagFilter struct{ Any, All, None []string }

// TagTimeline returns a page of the public statuses under hashtags. It reads
// each one of tags.Any apart, in up to two statements.
func (d *DB) TagTimeline(ctx context.Context, v Viewer, tags TagFilter, f TimelineFilter, p Page) (Timeline, error) {
	var (
		all  Timeline
		next []string
	)
	for _, tag := range tags.Any {
		t, err := d.tagTimeline(ctx, v, tag, tags, f, p)
		if err != nil {
			return Timeline{}, err
		}
		all.Refs = append(all.Refs, t.Refs...)
		if t.Next != "" {
			next = append(next, t.Next)
		}
	}
	if len(tags.Any) == 1 {
		return Timeline{Refs: all.Refs, Next: first(next)}, nil
	}
	// In the order of reading. One tag was read only up to Next, so the page must
	// end there.
	order := func(a, b string) int { return cmp.Compare(b, a) }
	if p.MinID != "" {
		order = cmp.Compare[string]
	}
	slices.SortFunc(all.Refs, func(a, b StatusRef) int { return order(a.ID, b.ID) })
	all.Refs = slices.CompactFunc(all.Refs, func(a, b StatusRef) bool { return a.ID == b.ID })
	if len(next) > 0 {
		all.Next = slices.MinFunc(next, order)
		all.Refs = slices.DeleteFunc(all.Refs, func(r StatusRef) bool { return order(r.ID, all.Next) > 0 })
	}
	all.Refs = all.Refs[:min(len(all.Refs), p.Limit)]
	all.Refs = newestFirst(p, all.Refs)
	return all, nil
}

func first(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return texts[0]
}

func (d *DB) tagTimeline(ctx context.Context, v Viewer, tag string, tags TagFilter, f TimelineFilter, p Page) (Timeline, error) {
	q := d.refsFor(v)
	q.add(` FROM status_tags t JOIN statuses s ON s.id = t.status_id`+refJoins+`
	WHERE t.tag = ? AND s.visibility = 'public' AND s.reblog_of_id IS NULL`, tag)
	for _, other := range tags.All {
		q.add(` AND EXISTS (SELECT 1 FROM status_tags ta WHERE ta.tag = ? AND ta.status_id = t.status_id`+existsOnce+`)`, other)
	}
	for _, other := range tags.None {
		q.add(` AND NOT EXISTS (SELECT 1 FROM status_tags tn WHERE tn.tag = ? AND tn.status_id = t.status_id`+existsOnce+`)`, other)
	}
	if f.Local {
		q.add(` AND s.local`)
	}
	if f.OnlyMedia {
		q.add(` AND s.has_media`)
	}
	q.seen(v)
	q.unwanted(v, f.WithMuted, "")
	q.narrow(f, v)
	return d.windowed(ctx, q, p, "t.status_id", "timeline of a hashtag",
		window{" FROM status_tags w WHERE w.tag = ?", []any{tag}, "w.status_id"})
}
