package adminapi

import (
	"context"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
	"svc/server/rules/moderation"
)

// MailDomains answers requests about the mail domains that nobody may sign up with.
type MailDomains struct {
	Moderation *moderation.Service
}

// MailDomains are the handlers of blocked mail domains.
func (p *Parts) MailDomains() MailDomains { return MailDomains{p.Moderation} }

// List is GET /mail_domains.
func (a MailDomains) List(c *gin.Context) error {
	if err := web.Scope(c); err != nil {
		return err
	}
	return a.show(c)
}

func (a MailDomains) show(c *gin.Context) error {
	domains, err := a.Moderation.MailDomains(c.Request.Context(), web.Caller(c).Account)
	if err != nil {
		return err
	}
	return web.OK(c, api.MailDomains{Domains: domains})
}

// Block is POST /mail_domains.
func (a MailDomains) Block(c *gin.Context) error { return a.change(c, a.Moderation.BlockMailDomains) }

// Unblock is DELETE /mail_domains.
func (a MailDomains) Unblock(c *gin.Context) error {
	return a.change(c, a.Moderation.UnblockMailDomains)
}

// change answers with the domains that are blocked now.
func (a MailDomains) change(c *gin.Context, do func(ctx context.Context, by *db.Account, domains ...string) error) error {
	var in struct {
		Domains any `json:"domains"`
	}
	if err := web.BindAny(c, &in); err != nil {
		return err
	}
	p := &params{}
	domains, ok := p.names(in.Domains)
	if !ok || p.bad {
		return bad()
	}
	if err := do(c.Request.Context(), web.Caller(c).Account, domains...); err != nil {
		return err
	}
	return a.show(c)
}
