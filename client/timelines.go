package client

import (
	"svc/client/api"
)

// Timelines is statuses as they come, newest first.
type Timelines struct{ c *Client }

// Home is the statuses and reblogs of the accounts that the caller follows. GET
// /api/v1/timelines/home.
func (s *Timelines) Home(query api.TimelineQuery) Listing[api.Status] {
	return keyset[api.Status](s.c, query, "/api/v1/timelines/home")
}

// Public is the public statuses known here, or with Local of
// those made here. GET /api/v1/timelines/public.
func (s *Timelines) Public(query api.TimelineQuery) Listing[api.Status] {
	return keyset[api.Status](s.c, query, "/api/v1/timelines/public")
}

// Tag is the public statuses under a hashtag, given without #.
// GET /api/v1/timelines/tag/:tag.
func (s *Timelines) Tag(tag string, query api.TagTimelineQuery) Listing[api.Status] {
	return keyset[api.Status](s.c, query, "/api/v1/timelines/tag/", tag)
}

// List returns the statuses of a list: those by members that the caller
// follows. GET /api/v1/timelines/list/:id.
func (s *Timelines) List(id string, query api.ListTimelineQuery) Listing[api.Status] {
	return keyset[api.Status](s.c, query, "/api/v1/timelines/list/", id)
}

// Direct is the direct statuses to and by the caller. GET
// /api/v1/timelines/direct.
func (s *Timelines) Direct(query api.DirectTimelineQuery) Listing[api.Status] {
	return keyset[api.Status](s.c, query, "/api/v1/timelines/direct")
}
