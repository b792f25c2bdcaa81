package client

import (
	"context"
	"net/http"
	"strconv"

	"svc/client/api"
)

// Security is the credentials of an account: password, address, second factor,
// and tokens of apps.
type Security struct{ c *Client }

// OutcomeError is a refusal that the server answers with status 200.
type OutcomeError struct {
	Path    string
	Message string
}

func (e *OutcomeError) Error() string { return "POST " + e.Path + ": " + e.Message }

// change posts a form with an Outcome as its answer.
func (s *Security) change(ctx context.Context, path string, form any) error {
	out, err := send[api.Outcome](ctx, s.c, Request{Method: http.MethodPost, Body: values(form)}, []string{path})
	if err == nil && out.Error != "" {
		err = &OutcomeError{Path: path, Message: out.Error}
	}
	return err
}

// ChangePassword replaces the password and ends all tokens, this one among
// them. A refusal is *OutcomeError. POST /api/svc/change_password.
func (s *Security) ChangePassword(ctx context.Context, in api.PasswordChange) error {
	return s.change(ctx, "/api/svc/change_password", in)
}

// ChangeEmail replaces the address. A refusal is *OutcomeError.
// POST /api/svc/change_email.
func (s *Security) ChangeEmail(ctx context.Context, in api.EmailChange) error {
	return s.change(ctx, "/api/svc/change_email", in)
}

// DeleteAccount deletes the account and all that it made, for good. A refusal
// is *OutcomeError. POST /api/svc/delete_account.
func (s *Security) DeleteAccount(ctx context.Context, password string) error {
	return s.change(ctx, "/api/svc/delete_account", api.WithPassword{Password: password})
}

// DisableAccount hides the account until an admin shows it again. A refusal is
// *OutcomeError. POST /api/svc/disable_account.
func (s *Security) DisableAccount(ctx context.Context, password string) error {
	return s.change(ctx, "/api/svc/disable_account", api.WithPassword{Password: password})
}

// MoveAccount moves the account to another one, a handle or an ActivityPub id, which names
// this account among its aliases. A refusal is *OutcomeError. POST /api/svc/move_account.
func (s *Security) MoveAccount(ctx context.Context, in api.MoveAccount) error {
	return s.change(ctx, "/api/svc/move_account", in)
}

// CancelMove takes back that the profile leads to another account. A refusal is
// *OutcomeError. DELETE /api/svc/move_account.
func (s *Security) CancelMove(ctx context.Context, password string) error {
	const path = "/api/svc/move_account"
	in := Request{Method: http.MethodDelete, Body: values(api.WithPassword{Password: password}), Repeatable: true}
	out, err := send[api.Outcome](ctx, s.c, in, []string{path})
	if err == nil && out.Error != "" {
		err = &OutcomeError{Path: path, Message: out.Error}
	}
	return err
}

// Aliases returns the other accounts of the caller. GET /api/svc/aliases.
func (s *Security) Aliases(ctx context.Context) ([]string, error) {
	out, err := send[api.Aliases](ctx, s.c, Request{Method: http.MethodGet}, []string{"/api/svc/aliases"})
	if err != nil {
		return nil, err
	}
	return out.Aliases, nil
}

// AddAlias adds an account to the aliases of the caller's, by handle or ActivityPub id. PUT
// /api/svc/aliases.
func (s *Security) AddAlias(ctx context.Context, alias string) error {
	in := Request{Method: http.MethodPut, Body: values(api.Alias{Alias: alias}), Repeatable: true}
	_, err := send[api.Outcome](ctx, s.c, in, []string{"/api/svc/aliases"})
	return err
}

// RemoveAlias removes an alias. DELETE /api/svc/aliases.
func (s *Security) RemoveAlias(ctx context.Context, alias string) error {
	in := Request{Method: http.MethodDelete, Body: values(api.Alias{Alias: alias})}
	_, err := send[api.Outcome](ctx, s.c, in, []string{"/api/svc/aliases"})
	return err
}

// MFA returns which second factors are on. GET /api/svc/accounts/mfa.
func (s *Security) MFA(ctx context.Context) (*api.MFASettings, error) {
	return send[api.MFASettings](ctx, s.c, Request{Method: http.MethodGet}, []string{"/api/svc/accounts/mfa"})
}

// SetUpTOTP returns a new secret, to be confirmed with a code of it.
// GET /api/svc/accounts/mfa/setup/totp.
func (s *Security) SetUpTOTP(ctx context.Context) (*api.TOTPSetup, error) {
	return send[api.TOTPSetup](ctx, s.c, Request{Method: http.MethodGet}, []string{"/api/svc/accounts/mfa/setup/totp"})
}

// ConfirmTOTP makes the secret that was set up last the second factor.
// POST /api/svc/accounts/mfa/confirm/totp.
func (s *Security) ConfirmTOTP(ctx context.Context, password, code string) error {
	in := Request{Method: http.MethodPost, Body: values(api.ConfirmTOTP{Password: password, Code: code})}
	return perform(ctx, s.c, in, []string{"/api/svc/accounts/mfa/confirm/totp"})
}

// RemoveTOTP ends the second factor. DELETE /api/svc/accounts/mfa/totp.
func (s *Security) RemoveTOTP(ctx context.Context, password string) error {
	in := Request{Method: http.MethodDelete, Body: values(api.WithPassword{Password: password})}
	return perform(ctx, s.c, in, []string{"/api/svc/accounts/mfa/totp"})
}

// BackupCodes makes new codes, each good for one sign-in; the old ones end.
// GET /api/svc/accounts/mfa/backup_codes.
func (s *Security) BackupCodes(ctx context.Context) ([]string, error) {
	out, err := send[api.BackupCodes](ctx, s.c, Request{Method: http.MethodGet}, []string{"/api/svc/accounts/mfa/backup_codes"})
	if err != nil {
		return nil, err
	}
	return out.Codes, nil
}

// Tokens lists the newest tokens that apps were given. GET /api/oauth_tokens.
func (s *Security) Tokens(ctx context.Context) ([]api.GivenToken, error) {
	out, err := send[api.List[api.GivenToken]](ctx, s.c, Request{Method: http.MethodGet}, []string{"/api/oauth_tokens"})
	if err != nil {
		return nil, err
	}
	return *out, nil
}

// DeleteToken ends one of them. DELETE /api/oauth_tokens/:id.
func (s *Security) DeleteToken(ctx context.Context, id int64) error {
	return perform(ctx, s.c, Request{Method: http.MethodDelete}, []string{"/api/oauth_tokens/", strconv.FormatInt(id, 10)})
}
