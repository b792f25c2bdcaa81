package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

// AdminMailDomains is the mail domains that nobody may sign up with, each with those
// below it.
type AdminMailDomains struct{ c *Client }

const mailDomainsPath = adminPath + "/mail_domains"

// List returns them all. GET /api/svc/admin/mail_domains.
func (s *AdminMailDomains) List(ctx context.Context) ([]string, error) {
	answer, err := get[api.MailDomains](ctx, s.c, nil, mailDomainsPath)
	if err != nil {
		return nil, err
	}
	return answer.Domains, nil
}

// Block blocks domains, all or none, and returns all that are blocked. POST
// /api/svc/admin/mail_domains.
func (s *AdminMailDomains) Block(ctx context.Context, domains ...string) ([]string, error) {
	return s.change(ctx, http.MethodPost, domains)
}

// Unblock takes that back. DELETE /api/svc/admin/mail_domains.
func (s *AdminMailDomains) Unblock(ctx context.Context, domains ...string) ([]string, error) {
	return s.change(ctx, http.MethodDelete, domains)
}

func (s *AdminMailDomains) change(ctx context.Context, method string, domains []string) ([]string, error) {
	in := Request{Method: method, Body: api.MailDomains{Domains: domains}, Repeatable: true}
	answer, err := send[api.MailDomains](ctx, s.c, in, []string{mailDomainsPath})
	if err != nil {
		return nil, err
	}
	return answer.Domains, nil
}
