package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

// Captcha returns what somebody must read before he registers; type none where
// that is not asked for. GET /api/svc/captcha.
func (s *Accounts) Captcha(ctx context.Context) (*api.Captcha, error) {
	return get[api.Captcha](ctx, s.c, nil, "/api/svc/captcha")
}

// ResendConfirmation has another mail sent to who has yet to confirm his
// address. The server does not tell whether there is such a user. POST
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
