package client

import (
	"context"

	"svc/client/api"
)

// Known returns the accounts, follows, reports, limits and deliveries of another server.
// GET /api/svc/admin/instances/:instance.
func (s *AdminFederation) Known(ctx context.Context, host string) (*api.KnownHost, error) {
	return get[api.KnownHost](ctx, s.c, nil, adminPath+"/instances/", host)
}
