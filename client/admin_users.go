package client

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"

	"svc/client/api"
)

// AdminUsers is every account, local and remote, as admins see it.
type AdminUsers struct{ c *Client }

// List returns a page of users by nickname, and the number of all that match.
// GET /api/svc/admin/users.
func (s *AdminUsers) List(ctx context.Context, query api.UserQuery) (*api.UserList, error) {
	return get[api.UserList](ctx, s.c, values(query), adminPath+"/users")
}

// All walks the users by nickname, from the query's page on, each once.
func (s *AdminUsers) All(ctx context.Context, query api.UserQuery) iter.Seq2[api.AdminUser, error] {
	if query.PageSize <= 0 {
		query.PageSize = walkSize
	}
	// Servers without serial numbers still have nicknames.
	id := func(u api.AdminUser) string { return u.Nickname }
	return Walk(max(1, int(query.Page)), int(query.PageSize), id, func(page int) ([]api.AdminUser, int, error) {
		query.Page = api.Int(page)
		answer, err := s.List(ctx, query)
		if err != nil {
			return nil, 0, err
		}
		return answer.Users, answer.Count, nil
	})
}

// Get returns a user by nickname, serial number or account id. GET
// /api/svc/admin/users/:nickname_or_id.
func (s *AdminUsers) Get(ctx context.Context, nicknameOrID string) (*api.AdminUser, error) {
	return get[api.AdminUser](ctx, s.c, nil, adminPath+"/users/", nicknameOrID)
}

// Toggle activates a deactivated user and deactivates an active one; it is
// never retried. PATCH /api/svc/admin/users/:nickname/toggle_activation.
func (s *AdminUsers) Toggle(ctx context.Context, nickname string) (*api.AdminUser, error) {
	path := []string{adminPath + "/users/", nickname, "/toggle_activation"}
	return send[api.AdminUser](ctx, s.c, call{method: http.MethodPatch}, path)
}

// Activate lets users in again, all or none, and returns them in order. PATCH
// /api/svc/admin/users/activate.
func (s *AdminUsers) Activate(ctx context.Context, nicknames ...string) ([]api.AdminUser, error) {
	return s.patch(ctx, "/users/activate", nicknames)
}

// Deactivate shuts users out, all or none, and returns them in order. PATCH
// /api/svc/admin/users/deactivate.
func (s *AdminUsers) Deactivate(ctx context.Context, nicknames ...string) ([]api.AdminUser, error) {
	return s.patch(ctx, "/users/deactivate", nicknames)
}

func (s *AdminUsers) patch(ctx context.Context, path string, nicknames []string) ([]api.AdminUser, error) {
	in := call{method: http.MethodPatch, body: api.Nicknames{Nicknames: nicknames}, repeatable: true}
	answer, err := send[api.Users](ctx, s.c, in, []string{adminPath + path})
	if err != nil {
		return nil, err
	}
	return answer.Users, nil
}

// Approve lets users in who wait for it, all or none, and returns all in order.
// PATCH /api/svc/admin/users/approve.
func (s *AdminUsers) Approve(ctx context.Context, nicknames ...string) ([]api.AdminUser, error) {
	return s.patch(ctx, "/users/approve", nicknames)
}

// Create makes local users, all or none, and tells what became of each, in
// order. When any is refused the results come with the error, and nobody is
// made. It is retried only with an IdempotencyKey. POST /api/svc/admin/users.
func (s *AdminUsers) Create(ctx context.Context, users []api.NewUser, opts ...CallOption) ([]api.UserResult, error) {
	in := call{method: http.MethodPost, body: api.NewUsers{Users: users}}
	results, err := send[[]api.UserResult](ctx, s.c, in, []string{adminPath + "/users"}, opts...)
	if err == nil {
		return *results, nil
	}
	var (
		refusal *Error
		refused []api.UserResult
	)
	if errors.As(err, &refusal) && refusal.Status == http.StatusConflict && json.Unmarshal(refusal.Body, &refused) == nil {
		return refused, err
	}
	return nil, err
}

// Delete deletes users for good, all or none, and returns their nicknames as
// they were given. DELETE /api/svc/admin/users.
func (s *AdminUsers) Delete(ctx context.Context, nicknames ...string) ([]string, error) {
	in := call{method: http.MethodDelete, body: api.Nicknames{Nicknames: nicknames}}
	return s.names(ctx, in, "/users")
}

// ConfirmEmail takes users' addresses as confirmed, all or none, and returns
// their nicknames. PATCH /api/svc/admin/users/confirm_email.
func (s *AdminUsers) ConfirmEmail(ctx context.Context, nicknames ...string) ([]string, error) {
	in := call{method: http.MethodPatch, body: api.Nicknames{Nicknames: nicknames}, repeatable: true}
	return s.names(ctx, in, "/users/confirm_email")
}

// ResendConfirmation mails users another link to confirm their addresses, all
// or none, and returns their nicknames; it is never retried. PATCH
// /api/svc/admin/users/resend_confirmation_email.
func (s *AdminUsers) ResendConfirmation(ctx context.Context, nicknames ...string) ([]string, error) {
	in := call{method: http.MethodPatch, body: api.Nicknames{Nicknames: nicknames}}
	return s.names(ctx, in, "/users/resend_confirmation_email")
}

func (s *AdminUsers) names(ctx context.Context, in call, path string) ([]string, error) {
	answer, err := send[[]string](ctx, s.c, in, []string{adminPath + path})
	if err != nil {
		return nil, err
	}
	return *answer, nil
}

// ForcePasswordReset shuts local users out until they have chosen new
// passwords, all or none. PATCH /api/svc/admin/users/force_password_reset.
func (s *AdminUsers) ForcePasswordReset(ctx context.Context, nicknames ...string) error {
	in := call{method: http.MethodPatch, body: api.Nicknames{Nicknames: nicknames}, repeatable: true}
	return run(ctx, s.c, in, []string{adminPath + "/users/force_password_reset"}, nil)
}

// PasswordReset makes a link with which a local user's password can be chosen
// anew, once; each call makes another. GET
// /api/svc/admin/users/:nickname/password_reset.
func (s *AdminUsers) PasswordReset(ctx context.Context, nickname string) (*api.PasswordReset, error) {
	return get[api.PasswordReset](ctx, s.c, nil, adminPath+"/users/", nickname, "/password_reset")
}

// DisableMFA ends a local user's second factor. PUT
// /api/svc/admin/users/disable_mfa.
func (s *AdminUsers) DisableMFA(ctx context.Context, nickname string) error {
	in := call{method: http.MethodPut, body: api.Nickname{Nickname: nickname}}
	return run(ctx, s.c, in, []string{adminPath + "/users/disable_mfa"}, nil)
}

// Follow has one user follow another, accepted at once; unknown ones are no
// error. POST /api/svc/admin/users/follow.
func (s *AdminUsers) Follow(ctx context.Context, follower, followed string) error {
	return s.pair(ctx, "/users/follow", follower, followed)
}

// Unfollow ends that one user follows another, likewise. POST
// /api/svc/admin/users/unfollow.
func (s *AdminUsers) Unfollow(ctx context.Context, follower, followed string) error {
	return s.pair(ctx, "/users/unfollow", follower, followed)
}

func (s *AdminUsers) pair(ctx context.Context, path, follower, followed string) error {
	in := call{method: http.MethodPost, body: api.FollowPair{Follower: follower, Followed: followed}}
	return run(ctx, s.c, in, []string{adminPath + path}, nil)
}

// Backup has an archive made of what a local user made, which he is mailed. It
// is retried only with an IdempotencyKey. POST /api/svc/admin/backups.
func (s *AdminUsers) Backup(ctx context.Context, nickname string, opts ...CallOption) error {
	in := call{method: http.MethodPost, body: api.Nickname{Nickname: nickname}}
	return run(ctx, s.c, in, []string{adminPath + "/backups"}, nil, opts...)
}
