package client

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"svc/client/api"
)

// Instance is the server's description of itself.
type Instance struct{ c *Client }

// Get returns the server's name, limits and features. GET /api/v1/instance.
func (s *Instance) Get(ctx context.Context) (*api.Instance, error) {
	return get[api.Instance](ctx, s.c, nil, "/api/v1/instance")
}

// Manifest returns how a phone keeps the server among its apps. GET
// /web/manifest.json.
func (s *Instance) Manifest(ctx context.Context) (*api.Manifest, error) {
	return get[api.Manifest](ctx, s.c, nil, "/web/manifest.json")
}

const nodeInfoSchema = "http://nodeinfo.diaspora.software/ns/schema/"

// NodeInfo returns the newest nodeinfo document that the server links to, 2.1
// or 2.0. GET /.well-known/nodeinfo, then the document.
func (s *Instance) NodeInfo(ctx context.Context) (*api.NodeInfo, error) {
	links, err := send[api.NodeInfoLinks](ctx, s.c, Request{Method: http.MethodGet, Anonymous: true}, []string{"/.well-known/nodeinfo"})
	if err != nil {
		return nil, err
	}
	for _, version := range []string{"2.1", "2.0"} {
		for _, link := range links.Links {
			if link.Rel != nodeInfoSchema+version {
				continue
			}
			// The server may name itself differently than we do, so only the
			// path counts.
			u, err := url.Parse(link.Href)
			if err != nil {
				return nil, fmt.Errorf("nodeinfo link %q: %w", link.Href, err)
			}
			path := strings.TrimPrefix(u.EscapedPath(), s.c.base.EscapedPath())
			return send[api.NodeInfo](ctx, s.c, Request{Method: http.MethodGet, Anonymous: true}, []string{path})
		}
	}
	return nil, fmt.Errorf("nodeinfo of %s: no link to schema 2.0 or 2.1", s.c.base.Host)
}
