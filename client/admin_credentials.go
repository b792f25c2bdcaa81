package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

// Credentials returns a user's profile and settings, by nickname, serial number
// or account id. GET /api/svc/admin/users/:nickname_or_id/credentials.
func (s *AdminUsers) Credentials(ctx context.Context, nicknameOrID string) (*api.Credentials, error) {
	return get[api.Credentials](ctx, s.c, nil, adminPath+"/users/", nicknameOrID, "/credentials")
}

// UpdateCredentials changes a local user's profile and settings, all or none;
// absent fields stay. PATCH /api/svc/admin/users/:nickname/credentials.
func (s *AdminUsers) UpdateCredentials(ctx context.Context, nickname string, form api.CredentialsUpdate) error {
	in := Request{Method: http.MethodPatch, Body: form, Repeatable: true}
	return perform(ctx, s.c, in, []string{adminPath + "/users/", nickname, "/credentials"})
}

// SetPictures changes a local user's pictures; nil leaves one as it is. The
// context alone bounds how long it may take. PATCH
// /api/svc/admin/users/:nickname/credentials.
func (s *AdminUsers) SetPictures(ctx context.Context, nickname string, p Pictures) error {
	path, err := join(adminPath+"/users/", nickname, "/credentials")
	if err != nil {
		return err
	}
	files := map[string]*File{"avatar": p.Avatar, "banner": p.Header, "background": p.Background}
	_, err = upload[api.Outcome](ctx, s.c, http.MethodPatch, path, nil, files)
	return err
}
