package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

const tagsPath = "/api/v1/tags/"

// Tags is hashtags, and those that the caller follows.
type Tags struct{ c *Client }

// Get returns a hashtag, with or without its sign. GET /api/v1/tags/:name.
func (s *Tags) Get(ctx context.Context, name string) (*api.Tag, error) {
	return get[api.Tag](ctx, s.c, nil, tagsPath, name)
}

// Follow puts new statuses with a hashtag on the home timeline. POST
// /api/v1/tags/:name/follow.
func (s *Tags) Follow(ctx context.Context, name string) (*api.Tag, error) {
	return send[api.Tag](ctx, s.c, Request{Method: http.MethodPost, Repeatable: true}, []string{tagsPath, name, "/follow"})
}

// Unfollow ends that. POST /api/v1/tags/:name/unfollow.
func (s *Tags) Unfollow(ctx context.Context, name string) (*api.Tag, error) {
	return send[api.Tag](ctx, s.c, Request{Method: http.MethodPost, Repeatable: true}, []string{tagsPath, name, "/unfollow"})
}

// Followed is the hashtags that the caller follows, last followed first. GET
// /api/v1/followed_tags.
func (s *Tags) Followed(query api.PageQuery) Listing[api.Tag] {
	return keyset[api.Tag](s.c, query, "/api/v1/followed_tags")
}
