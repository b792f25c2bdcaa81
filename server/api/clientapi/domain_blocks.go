package clientapi

import (
	"context"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
)

// Page sizes of the list of blocked domains.
const (
	domainPage    = 100
	domainPageMax = 200
)

// DomainBlocks is GET /api/v1/domain_blocks. Domains are their own ids.
func (a *Relationships) DomainBlocks(c *gin.Context) error {
	domains, err := a.DB.DomainBlocks(c.Request.Context(), web.Caller(c).Account.ID, web.Page(c, domainPage, domainPageMax))
	if err != nil {
		return err
	}
	if len(domains) > 0 {
		web.Links(c, a.Site.Base, domains[0], domains[len(domains)-1])
	}
	return web.OK(c, api.List[string](domains))
}

// BlockDomain is POST /api/v1/domain_blocks.
func (a *Relationships) BlockDomain(c *gin.Context) error { return a.domain(c, a.Social.BlockDomain) }

// UnblockDomain is DELETE /api/v1/domain_blocks.
func (a *Relationships) UnblockDomain(c *gin.Context) error {
	return a.domain(c, a.Social.UnblockDomain)
}

// domain runs do for the domain in the body or the query.
func (a *Relationships) domain(c *gin.Context, do func(ctx context.Context, by *db.Account, domain string) error) error {
	var in api.DomainBlock
	if err := web.BindAny(c, &in); err != nil {
		return err
	}
	if in.Domain == "" {
		return web.Missing("domain")
	}
	if err := do(c.Request.Context(), web.Caller(c).Account, in.Domain); err != nil {
		return err
	}
	return web.OK(c, api.Empty{})
}
