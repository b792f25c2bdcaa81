package client

import (
	"context"

	"svc/client/api"
)

// AdminStats is the numbers of posts.
type AdminStats struct{ c *Client }

// Get counts the posts of one server, or of all. GET /api/svc/admin/stats.
func (s *AdminStats) Get(ctx context.Context, query api.StatsQuery) (*api.Stats, error) {
	return get[api.Stats](ctx, s.c, values(query), adminPath+"/stats")
}
