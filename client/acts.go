package client

import (
	"context"
	"net/http"

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

// Favourites is what the caller likes, the last liked first. The
// ids of its query are those of Link headers. GET /api/v1/favourites.
func (s *Statuses) Favourites(query api.PageQuery) Listing[api.Status] {
	return keyset[api.Status](s.c, query, "/api/v1/favourites")
}

// Favourites is what an account likes, likewise; most accounts
// hide it. GET /api/v1/svc/accounts/:id/favourites.
func (s *Accounts) Favourites(id string, query api.PageQuery) Listing[api.Status] {
	return keyset[api.Status](s.c, query, "/api/v1/svc/accounts/", id, "/favourites")
}

// Pin shows one of the caller's statuses on his profile. POST
// /api/v1/statuses/:id/pin.
func (s *Statuses) Pin(ctx context.Context, id string) (*api.Status, error) {
	return s.react(ctx, id, "/pin", nil, true)
}

// Unpin takes a status from the caller's profile. POST
// /api/v1/statuses/:id/unpin.
func (s *Statuses) Unpin(ctx context.Context, id string) (*api.Status, error) {
	return s.react(ctx, id, "/unpin", nil, true)
}

// Card returns the preview of the page that a status links to, nil when it has
// none. GET /api/v1/statuses/:id/card.
func (s *Statuses) Card(ctx context.Context, id string) (*api.Card, error) {
	card, err := get[*api.Card](ctx, s.c, nil, statusesPath, id, "/card")
	if err != nil {
		return nil, err
	}
	return *card, nil
}

const svcStatusesPath = "/api/v1/svc/statuses/"

// Reactions returns who reacted to a status, the oldest emoji first. GET
// /api/v1/svc/statuses/:id/reactions.
func (s *Statuses) Reactions(ctx context.Context, id string, query api.ReactionQuery) ([]api.Reaction, error) {
	return whole[api.Reaction](ctx, s.c, query, svcStatusesPath, id, "/reactions")
}

// ReactionsWith returns who reacted to a status with one emoji. GET
// /api/v1/svc/statuses/:id/reactions/:emoji.
func (s *Statuses) ReactionsWith(ctx context.Context, id, emoji string, query api.ReactionQuery) ([]api.Reaction, error) {
	return whole[api.Reaction](ctx, s.c, query, svcStatusesPath, id, "/reactions/", emoji)
}

// React reacts to a status with a Unicode emoji. PUT
// /api/v1/svc/statuses/:id/reactions/:emoji.
func (s *Statuses) React(ctx context.Context, id, emoji string) (*api.Status, error) {
	return send[api.Status](ctx, s.c, Request{Method: http.MethodPut}, []string{svcStatusesPath, id, "/reactions/", emoji})
}

// Unreact takes a reaction back. DELETE
// /api/v1/svc/statuses/:id/reactions/:emoji.
func (s *Statuses) Unreact(ctx context.Context, id, emoji string) (*api.Status, error) {
	return send[api.Status](ctx, s.c, Request{Method: http.MethodDelete}, []string{svcStatusesPath, id, "/reactions/", emoji})
}
