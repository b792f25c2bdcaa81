package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

// Captcha returns the challenge of a registration; its type is none where the
// server asks for none. GET /api/svc/captcha.
func (s *Accounts) Captcha(ctx context.Context) (*api.Captcha, error) {
	return get[api.Captcha](ctx, s.c, nil, "/api/svc/captcha")
}

// ResendConfirmation mails users who have not confirmed their address another
// link. The server does not tell whether there is such a user. POST
// /api/v1/svc/accounts/confirmation_resend.
func (s *Accounts) ResendConfirmation(ctx context.Context, who api.WhoIs) error {
	in := Request{Method: http.MethodPost, Body: who, Anonymous: true}
	return perform(ctx, s.c, in, []string{"/api/v1/svc/accounts/confirmation_resend"})
}

// RequestPasswordReset has a link mailed with which a user can choose a new
// password. The server does not tell whether there is such a user. POST
// /auth/password.
func (s *Accounts) RequestPasswordReset(ctx context.Context, who api.WhoIs) error {
	in := Request{Method: http.MethodPost, Body: who, Anonymous: true}
	return perform(ctx, s.c, in, []string{"/auth/password"})
}
