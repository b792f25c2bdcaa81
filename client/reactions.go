package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

const svcStatusesPath = "/api/v1/svc/statuses/"

// Reactions returns the reactions to a status with their accounts, the oldest
// emoji first. GET /api/v1/svc/statuses/:id/reactions.
func (s *Statuses) Reactions(ctx context.Context, id string, query api.ReactionQuery) ([]api.Reaction, error) {
	return whole[api.Reaction](ctx, s.c, query, svcStatusesPath, id, "/reactions")
}

// ReactionsWith returns the accounts that reacted to a status with one emoji.
// GET /api/v1/svc/statuses/:id/reactions/:emoji.
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
