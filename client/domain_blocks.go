package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

// DomainBlocks is the servers that the caller does not want to hear of.
type DomainBlocks struct{ c *Client }

// List is the blocked domains, which are their own ids. GET
// /api/v1/domain_blocks.
func (s *DomainBlocks) List(query api.PageQuery) Listing[string] {
	return keyset[string](s.c, query, "/api/v1/domain_blocks")
}

// Block blocks a domain, *.example.org with its subdomains. POST
// /api/v1/domain_blocks.
func (s *DomainBlocks) Block(ctx context.Context, domain string) error {
	in := Request{Method: http.MethodPost, Body: api.DomainBlock{Domain: domain}, Repeatable: true}
	return perform(ctx, s.c, in, []string{"/api/v1/domain_blocks"})
}

// Unblock lifts a block. DELETE /api/v1/domain_blocks.
func (s *DomainBlocks) Unblock(ctx context.Context, domain string) error {
	in := Request{Method: http.MethodDelete, Body: api.DomainBlock{Domain: domain}, Repeatable: true}
	return perform(ctx, s.c, in, []string{"/api/v1/domain_blocks"})
}
