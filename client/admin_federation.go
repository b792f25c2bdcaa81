package client

import (
	"context"
	"net/http"
	"net/url"

	"svc/client/api"
)

// AdminFederation is the deliveries to other servers.
type AdminFederation struct{ c *Client }

// Hosts is other servers by name. GET /api/svc/admin/federation/hosts.
func (s *AdminFederation) Hosts(query api.HostQuery) Listing[api.Host] {
	return listing(s.c, query, "limit", func(a api.Hosts, _ *Response) part[api.Host] {
		p := part[api.Host]{items: a.Hosts, total: -1}
		if a.Next != "" {
			p.next = url.Values{"after": {a.Next}}
		}
		return p
	}, adminPath+"/federation/hosts")
}

// Host returns one. GET /api/svc/admin/federation/hosts/:host.
func (s *AdminFederation) Host(ctx context.Context, host string) (*api.Host, error) {
	return get[api.Host](ctx, s.c, nil, adminPath+"/federation/hosts/", host)
}

// Retry sends a server's waiting deliveries as soon as possible. POST
// /api/svc/admin/federation/hosts/:host/retry.
func (s *AdminFederation) Retry(ctx context.Context, host string) (*api.Host, error) {
	in := Request{Method: http.MethodPost, Repeatable: true}
	return send[api.Host](ctx, s.c, in, []string{adminPath + "/federation/hosts/", host, "/retry"})
}

// Forget drops a server's waiting deliveries and its failures. DELETE
// /api/svc/admin/federation/hosts/:host.
func (s *AdminFederation) Forget(ctx context.Context, host string) (*api.Dropped, error) {
	in := Request{Method: http.MethodDelete, Repeatable: true}
	return send[api.Dropped](ctx, s.c, in, []string{adminPath + "/federation/hosts/", host})
}

// Limits is the servers that are treated differently, by name. GET
// /api/svc/admin/federation/limits.
func (s *AdminFederation) Limits(query api.LimitedQuery) Listing[api.LimitedHost] {
	return listing(s.c, query, "limit", func(a api.LimitedHosts, _ *Response) part[api.LimitedHost] {
		p := part[api.LimitedHost]{items: a.Hosts, total: -1}
		if a.Next != "" {
			p.next = url.Values{"after": {a.Next}}
		}
		return p
	}, adminPath+"/federation/limits")
}

// Limit changes the limits of up to api.MaxLimitChanges servers, all or none. POST
// /api/svc/admin/federation/limits.
func (s *AdminFederation) Limit(ctx context.Context, changes ...api.HostLimitChange) (*api.LimitedHosts, error) {
	in := Request{Method: http.MethodPost, Body: api.HostLimitChanges{Changes: changes}, Repeatable: true}
	return send[api.LimitedHosts](ctx, s.c, in, []string{adminPath + "/federation/limits"})
}
