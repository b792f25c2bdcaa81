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

// Rules returns the rules of the house. GET /api/v1/instance/rules.
func (s *Instance) Rules(ctx context.Context) ([]api.Rule, error) {
	return whole[api.Rule](ctx, s.c, struct{}{}, "/api/v1/instance/rules")
}

// ExtendedDescription returns the long description of the server. GET
// /api/v1/instance/extended_description.
func (s *Instance) ExtendedDescription(ctx context.Context) (*api.InstanceDocument, error) {
	return get[api.InstanceDocument](ctx, s.c, nil, "/api/v1/instance/extended_description")
}

// PrivacyPolicy returns the privacy policy; without one it is ErrNotFound. GET
// /api/v1/instance/privacy_policy.
func (s *Instance) PrivacyPolicy(ctx context.Context) (*api.InstanceDocument, error) {
	return get[api.InstanceDocument](ctx, s.c, nil, "/api/v1/instance/privacy_policy")
}

// TermsOfService returns the terms of service; without any it is ErrNotFound. GET
// /api/v1/instance/terms_of_service.
func (s *Instance) TermsOfService(ctx context.Context) (*api.TermsOfService, error) {
	return get[api.TermsOfService](ctx, s.c, nil, "/api/v1/instance/terms_of_service")
}

// DomainBlocks returns the servers that this one limits. Where it does not tell, it is
// ErrNotFound. GET /api/v1/instance/domain_blocks.
func (s *Instance) DomainBlocks(ctx context.Context) ([]api.LimitedDomain, error) {
	return whole[api.LimitedDomain](ctx, s.c, struct{}{}, "/api/v1/instance/domain_blocks")
}

// Languages returns the languages that posts may be in. GET
// /api/v1/instance/languages.
func (s *Instance) Languages(ctx context.Context) ([]api.Language, error) {
	return whole[api.Language](ctx, s.c, struct{}{}, "/api/v1/instance/languages")
}

// GetV2 returns the same in the form of today's apps. GET /api/v2/instance.
func (s *Instance) GetV2(ctx context.Context) (*api.InstanceV2, error) {
	return get[api.InstanceV2](ctx, s.c, nil, "/api/v2/instance")
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

// Activity returns the activity on the server in the last weeks, the present
// one first. GET /api/v1/instance/activity.
func (s *Instance) Activity(ctx context.Context) ([]api.ActivityWeek, error) {
	return whole[api.ActivityWeek](ctx, s.c, struct{}{}, "/api/v1/instance/activity")
}

// Peers returns the hosts of other servers that the server knows. GET
// /api/v1/instance/peers.
func (s *Instance) Peers(ctx context.Context) ([]string, error) {
	return whole[string](ctx, s.c, struct{}{}, "/api/v1/instance/peers")
}

// FederationStatus returns the unreachable servers. GET
// /api/v1/svc/federation_status.
func (s *Instance) FederationStatus(ctx context.Context) (*api.FederationStatus, error) {
	return get[api.FederationStatus](ctx, s.c, nil, "/api/v1/svc/federation_status")
}

// FrontendConfigurations returns the settings of front ends, by their names. GET /api/svc/frontend_configurations.
func (s *Instance) FrontendConfigurations(ctx context.Context) (map[string]any, error) {
	out, err := get[map[string]any](ctx, s.c, nil, "/api/svc/frontend_configurations")
	if err != nil {
		return nil, err
	}
	return *out, nil
}

// Health returns the health of the server, if that is public. GET
// /api/svc/healthcheck.
func (s *Instance) Health(ctx context.Context) (*api.Health, error) {
	return get[api.Health](ctx, s.c, nil, "/api/svc/healthcheck")
}

// OEmbed returns a status in a form that other sites show. GET /api/oembed.
func (s *Instance) OEmbed(ctx context.Context, query api.OEmbedQuery) (*api.OEmbed, error) {
	return get[api.OEmbed](ctx, s.c, values(query), "/api/oembed")
}

// WebFinger finds a local account: acct:nick@host, nick@host, or the address of
// its profile. GET /.well-known/webfinger.
func (s *Instance) WebFinger(ctx context.Context, resource string) (*api.WebFinger, error) {
	in := Request{Method: http.MethodGet, Query: url.Values{"resource": {resource}}, Anonymous: true}
	return send[api.WebFinger](ctx, s.c, in, []string{"/.well-known/webfinger"})
}

// HostMeta returns the document that says where WebFinger is, as XML. GET
// /.well-known/host-meta.
func (s *Instance) HostMeta(ctx context.Context) (string, error) {
	resp, err := s.c.call(ctx, Request{Method: http.MethodGet, Path: "/.well-known/host-meta", Anonymous: true}, nil)
	if err != nil {
		return "", err
	}
	return string(resp.Body), nil
}
