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
