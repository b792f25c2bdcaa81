package client

import (
	"context"

	"svc/client/api"
)

// Known returns what is known here of a server. GET /api/svc/admin/instances/:instance.
func (s *AdminFederation) Known(ctx context.Context, host string) (*api.KnownHost, error) {
	return get[api.KnownHost](ctx, s.c, nil, adminPath+"/instances/", host)
}
