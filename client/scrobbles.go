package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

// Scrobbles is the tracks that an account listened to, newest first.
// GET /api/v1/svc/accounts/:id/scrobbles.
func (s *Accounts) Scrobbles(id string, query api.PageQuery) Listing[api.Scrobble] {
	return keyset[api.Scrobble](s.c, query, "/api/v1/svc/accounts/", id, "/scrobbles")
}

// Scrobble adds a track to those that the caller listened to. POST /api/v1/svc/scrobble.
func (s *Accounts) Scrobble(ctx context.Context, form api.NewScrobble, opts ...CallOption) (*api.Scrobble, error) {
	return send[api.Scrobble](ctx, s.c, Request{Method: http.MethodPost, Body: form}, []string{"/api/v1/svc/scrobble"}, opts...)
}
