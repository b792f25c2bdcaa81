package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

// AdminInvites is the tokens with which people register while registration is
// closed.
type AdminInvites struct{ c *Client }

// List returns all invites, used ones too, by id. GET
// /api/svc/admin/users/invites.
func (s *AdminInvites) List(ctx context.Context) ([]api.Invite, error) {
	answer, err := get[api.Invites](ctx, s.c, nil, adminPath+"/users/invites")
	if err != nil {
		return nil, err
	}
	return answer.Invites, nil
}

// Create makes an invite. It is retried only with an IdempotencyKey. POST
// /api/svc/admin/users/invite_token.
func (s *AdminInvites) Create(ctx context.Context, form api.NewInvite, opts ...CallOption) (*api.Invite, error) {
	in := Request{Method: http.MethodPost, Body: form}
	return send[api.Invite](ctx, s.c, in, []string{adminPath + "/users/invite_token"}, opts...)
}

// Revoke ends an invite for good. POST /api/svc/admin/users/revoke_invite.
func (s *AdminInvites) Revoke(ctx context.Context, token string) (*api.Invite, error) {
	in := Request{Method: http.MethodPost, Body: api.InviteToken{Token: token}, Repeatable: true}
	return send[api.Invite](ctx, s.c, in, []string{adminPath + "/users/revoke_invite"})
}

// Email creates an invite for one account and mails it. The mail greets name,
// which may be empty. It is retried only with an IdempotencyKey. POST
// /api/svc/admin/users/email_invite.
func (s *AdminInvites) Email(ctx context.Context, email, name string, opts ...CallOption) error {
	in := Request{Method: http.MethodPost, Body: api.InviteMail{Email: email, Name: name}}
	return perform(ctx, s.c, in, []string{adminPath + "/users/email_invite"}, opts...)
}
