package client

import (
	"context"
	"iter"
	"net/http"

	"svc/client/api"
)

// DomainBlocks is the servers that the caller does not want to hear of.
type DomainBlocks struct{ c *Client }

// List returns a page of the blocked domains, which are their own ids. GET
// /api/v1/domain_blocks.
func (s *DomainBlocks) List(ctx context.Context, query api.PageQuery) ([]string, error) {
	return list[string](ctx, s.c, query, "/api/v1/domain_blocks")
}

// All walks the blocked domains.
func (s *DomainBlocks) All(ctx context.Context, query api.PageQuery) iter.Seq2[string, error] {
	return keyset[string](ctx, s.c, query, "/api/v1/domain_blocks")
}

// Block blocks a domain, *.example.org with its subdomains. POST
// /api/v1/domain_blocks.
func (s *DomainBlocks) Block(ctx context.Context, domain string) error {
	in := call{method: http.MethodPost, body: api.DomainBlock{Domain: domain}, repeatable: true}
	return run(ctx, s.c, in, []string{"/api/v1/domain_blocks"}, nil)
}

// Unblock lifts a block. DELETE /api/v1/domain_blocks.
func (s *DomainBlocks) Unblock(ctx context.Context, domain string) error {
	in := call{method: http.MethodDelete, body: api.DomainBlock{Domain: domain}, repeatable: true}
	return run(ctx, s.c, in, []string{"/api/v1/domain_blocks"}, nil)
}
