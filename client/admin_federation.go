package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

// AdminFederation is how sending to other servers goes.
type AdminFederation struct{ c *Client }

// Hosts returns a page of other servers, by name. GET
// /api/svc/admin/federation/hosts.
func (s *AdminFederation) Hosts(ctx context.Context, query api.HostQuery) (*api.Hosts, error) {
	return get[api.Hosts](ctx, s.c, values(query), adminPath+"/federation/hosts")
}

// Host returns one. GET /api/svc/admin/federation/hosts/:host.
func (s *AdminFederation) Host(ctx context.Context, host string) (*api.Host, error) {
	return get[api.Host](ctx, s.c, nil, adminPath+"/federation/hosts/", host)
}

// Retry has what waits for a server sent as soon as can be. POST
// /api/svc/admin/federation/hosts/:host/retry.
func (s *AdminFederation) Retry(ctx context.Context, host string) (*api.Host, error) {
	in := call{method: http.MethodPost, repeatable: true}
	return send[api.Host](ctx, s.c, in, []string{adminPath + "/federation/hosts/", host, "/retry"})
}

// Forget drops what waits for a server, and forgets what failed. DELETE
// /api/svc/admin/federation/hosts/:host.
func (s *AdminFederation) Forget(ctx context.Context, host string) (*api.Dropped, error) {
	in := call{method: http.MethodDelete, repeatable: true}
	return send[api.Dropped](ctx, s.c, in, []string{adminPath + "/federation/hosts/", host})
}
