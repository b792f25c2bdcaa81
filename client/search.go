package client

import (
	"context"

	"svc/client/api"
)

// Search finds accounts, posts and hashtags.
type Search struct{ c *Client }

// Find returns the objects that match a query. GET /api/v2/search.
func (s *Search) Find(ctx context.Context, query api.SearchQuery) (*api.Found, error) {
	return get[api.Found](ctx, s.c, values(query), "/api/v2/search")
}

// FindV1 is Find in the older form, where hashtags are names. GET
// /api/v1/search.
func (s *Search) FindV1(ctx context.Context, query api.SearchQuery) (*api.FoundV1, error) {
	return get[api.FoundV1](ctx, s.c, values(query), "/api/v1/search")
}
