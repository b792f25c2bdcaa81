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

// ResendConfirmation mails another link to a user with an unconfirmed address.
// The answer is the same for unknown users. POST
// /api/v1/svc/accounts/confirmation_resend.
func (s *Accounts) ResendConfirmation(ctx context.Context, who api.WhoIs) error {
	in := Request{Method: http.MethodPost, Body: who, Anonymous: true}
	return perform(ctx, s.c, in, []string{"/api/v1/svc/accounts/confirmation_resend"})
}

// RequestPasswordReset mails a link to choose a new password. The answer is the
// same for unknown users. POST /auth/password.
func (s *Accounts) RequestPasswordReset(ctx context.Context, who api.WhoIs) error {
	in := Request{Method: http.MethodPost, Body: who, Anonymous: true}
	return perform(ctx, s.c, in, []string{"/auth/password"})
}
