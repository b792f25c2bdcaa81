package client

import (
	"context"
	"iter"

	"svc/client/api"
)

// Timelines is statuses as they come, newest first.
type Timelines struct{ c *Client }

// Home returns a page of what those the caller follows wrote and boosted. GET
// /api/v1/timelines/home.
func (s *Timelines) Home(ctx context.Context, query api.TimelineQuery) ([]api.Status, error) {
	return list[api.Status](ctx, s.c, query, "/api/v1/timelines/home")
}

// AllHome walks the home timeline.
func (s *Timelines) AllHome(ctx context.Context, query api.TimelineQuery) iter.Seq2[api.Status, error] {
	return keyset[api.Status](ctx, s.c, query, "/api/v1/timelines/home")
}

// Public returns a page of the public statuses known here, or with Local of
// those made here. GET /api/v1/timelines/public.
func (s *Timelines) Public(ctx context.Context, query api.TimelineQuery) ([]api.Status, error) {
	return list[api.Status](ctx, s.c, query, "/api/v1/timelines/public")
}

// AllPublic walks the public timeline.
func (s *Timelines) AllPublic(ctx context.Context, query api.TimelineQuery) iter.Seq2[api.Status, error] {
	return keyset[api.Status](ctx, s.c, query, "/api/v1/timelines/public")
}

// Tag returns a page of the public statuses under a hashtag, given without #.
// GET /api/v1/timelines/tag/:tag.
func (s *Timelines) Tag(ctx context.Context, tag string, query api.TagTimelineQuery) ([]api.Status, error) {
	return list[api.Status](ctx, s.c, query, "/api/v1/timelines/tag/", tag)
}

// AllTag walks the statuses under a hashtag.
func (s *Timelines) AllTag(ctx context.Context, tag string, query api.TagTimelineQuery) iter.Seq2[api.Status, error] {
	return keyset[api.Status](ctx, s.c, query, "/api/v1/timelines/tag/", tag)
}

// List returns a page of what those members of a list wrote whom the caller
// follows. GET /api/v1/timelines/list/:id.
func (s *Timelines) List(ctx context.Context, id string, query api.ListTimelineQuery) ([]api.Status, error) {
	return list[api.Status](ctx, s.c, query, "/api/v1/timelines/list/", id)
}

// AllList walks the timeline of a list.
func (s *Timelines) AllList(ctx context.Context, id string, query api.ListTimelineQuery) iter.Seq2[api.Status, error] {
	return keyset[api.Status](ctx, s.c, query, "/api/v1/timelines/list/", id)
}

// Direct returns a page of the direct statuses to and by the caller. GET
// /api/v1/timelines/direct.
func (s *Timelines) Direct(ctx context.Context, query api.DirectTimelineQuery) ([]api.Status, error) {
	return list[api.Status](ctx, s.c, query, "/api/v1/timelines/direct")
}

// AllDirect walks the direct statuses.
func (s *Timelines) AllDirect(ctx context.Context, query api.DirectTimelineQuery) iter.Seq2[api.Status, error] {
	return keyset[api.Status](ctx, s.c, query, "/api/v1/timelines/direct")
}
