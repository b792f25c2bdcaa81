package client

import (
	"context"
	"net/http"
	"strconv"

	"svc/client/api"
)

// SSHKeys is the keys with which an account signs in over SSH.
type SSHKeys struct{ c *Client }

const sshKeysPath = "/api/svc/ssh_keys"

// List returns one's own keys, the oldest first. GET /api/svc/ssh_keys.
func (s *SSHKeys) List(ctx context.Context) ([]api.SSHKey, error) {
	return listOf[api.SSHKey](ctx, s.c, sshKeysPath)
}

// Add adds a key of one's own. Sessions with it have the scopes of the token that
// adds it. One that is there already is returned. POST /api/svc/ssh_keys.
func (s *SSHKeys) Add(ctx context.Context, form api.NewSSHKey) (*api.SSHKey, error) {
	in := Request{Method: http.MethodPost, Body: form, Repeatable: true}
	return send[api.SSHKey](ctx, s.c, in, []string{sshKeysPath})
}

// Delete ends a key of one's own, and its sessions. DELETE /api/svc/ssh_keys/:id.
func (s *SSHKeys) Delete(ctx context.Context, id int64) error {
	return perform(ctx, s.c, Request{Method: http.MethodDelete}, []string{sshKeysPath + "/", strconv.FormatInt(id, 10)})
}

// AdminSSHKeys is the same for the accounts of others, by their nicknames.
type AdminSSHKeys struct{ c *Client }

// List returns the keys of an account, the oldest first.
// GET /api/svc/admin/users/:nickname_or_id/ssh_keys.
func (s *AdminSSHKeys) List(ctx context.Context, nickname string) ([]api.SSHKey, error) {
	return listOf[api.SSHKey](ctx, s.c, adminPath+"/users/", nickname, "/ssh_keys")
}

// Add adds a key of a local account. One that it has already is returned.
// POST /api/svc/admin/users/:nickname/ssh_keys.
func (s *AdminSSHKeys) Add(ctx context.Context, nickname string, form api.NewSSHKey) (*api.SSHKey, error) {
	in := Request{Method: http.MethodPost, Body: form, Repeatable: true}
	return send[api.SSHKey](ctx, s.c, in, []string{adminPath + "/users/", nickname, "/ssh_keys"})
}

// Delete ends a key of an account, and its sessions.
// DELETE /api/svc/admin/users/:nickname/ssh_keys/:id.
func (s *AdminSSHKeys) Delete(ctx context.Context, nickname string, id int64) error {
	return perform(ctx, s.c, Request{Method: http.MethodDelete}, []string{adminPath + "/users/", nickname, "/ssh_keys/", strconv.FormatInt(id, 10)})
}

func listOf[T any](ctx context.Context, c *Client, path ...string) ([]T, error) {
	out, err := get[api.List[T]](ctx, c, nil, path...)
	if err != nil {
		return nil, err
	}
	return *out, nil
}
