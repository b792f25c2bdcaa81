package client

import (
	"context"

	"svc/client/api"
)

// Bookmark keeps a status for the caller alone. POST
// /api/v1/statuses/:id/bookmark.
func (s *Statuses) Bookmark(ctx context.Context, id string) (*api.Status, error) {
	return s.react(ctx, id, "/bookmark", nil, true)
}

// Unbookmark takes a bookmark away. POST /api/v1/statuses/:id/unbookmark.
func (s *Statuses) Unbookmark(ctx context.Context, id string) (*api.Status, error) {
	return s.react(ctx, id, "/unbookmark", nil, true)
}

// Bookmarks is the caller's bookmarks, the last made first. The
// ids of its query are those of Link headers. GET /api/v1/bookmarks.
func (s *Statuses) Bookmarks(query api.PageQuery) Listing[api.Status] {
	return keyset[api.Status](s.c, query, "/api/v1/bookmarks")
}
