package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

// Backups are archives of the user's data.
type Backups struct{ c *Client }

// List returns the newest backups. GET /api/v1/svc/backups.
func (s *Backups) List(ctx context.Context) ([]api.Backup, error) {
	return s.ask(ctx, http.MethodGet)
}

// Start begins one, and returns all as List does. A mail says when the archive
// is ready. POST /api/v1/svc/backups.
func (s *Backups) Start(ctx context.Context) ([]api.Backup, error) {
	return s.ask(ctx, http.MethodPost)
}

func (s *Backups) ask(ctx context.Context, method string) ([]api.Backup, error) {
	out, err := send[api.List[api.Backup]](ctx, s.c, Request{Method: method}, []string{"/api/v1/svc/backups"})
	if err != nil {
		return nil, err
	}
	return *out, nil
}
