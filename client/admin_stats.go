package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

// AdminStats is the numbers of posts.
type AdminStats struct{ c *Client }

// Get counts the posts of one server, or of all. GET /api/svc/admin/stats.
func (s *AdminStats) Get(ctx context.Context, query api.StatsQuery) (*api.Stats, error) {
	return get[api.Stats](ctx, s.c, values(query), adminPath+"/stats")
}

// AdminEmojis is the custom emoji, as admins change them.
type AdminEmojis struct{ c *Client }

// Reload has every process read the pictures from disk anew. POST
// /api/svc/admin/reload_emoji.
func (s *AdminEmojis) Reload(ctx context.Context) error {
	in := Request{Method: http.MethodPost, Repeatable: true}
	return perform(ctx, s.c, in, []string{adminPath + "/reload_emoji"})
}
