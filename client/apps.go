package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

// Apps is the programs that speak for people.
type Apps struct{ c *Client }

// Create registers a program and returns its credentials. POST /api/v1/apps.
func (s *Apps) Create(ctx context.Context, form api.NewApp) (*api.App, error) {
	in := Request{Method: http.MethodPost, Body: form, Anonymous: true}
	return send[api.App](ctx, s.c, in, []string{"/api/v1/apps"})
}

// Verify returns the program that the client's token was given to. GET
// /api/v1/apps/verify_credentials.
func (s *Apps) Verify(ctx context.Context) (*api.VerifiedApp, error) {
	return get[api.VerifiedApp](ctx, s.c, nil, "/api/v1/apps/verify_credentials")
}
