package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"svc/client/api"
)

// AdminUsers is every account, local and remote, as admins see it.
type AdminUsers struct{ c *Client }

// List is the users by nickname. GET /api/svc/admin/users.
func (s *AdminUsers) List(query api.UserQuery) Listing[api.AdminUser] {
	read := func(a api.UserList) ([]api.AdminUser, int) { return a.Users, a.Count }
	// Servers without serial numbers still have nicknames.
	id := func(u api.AdminUser) string { return u.Nickname }
	return numbered(s.c, query, read, id, adminPath+"/users")
}

// Get returns a user by nickname, serial number or account id. GET
// /api/svc/admin/users/:nickname_or_id.
func (s *AdminUsers) Get(ctx context.Context, nicknameOrID string) (*api.AdminUser, error) {
	return get[api.AdminUser](ctx, s.c, nil, adminPath+"/users/", nicknameOrID)
}

// History returns what moderators need to know of a user. GET
// /api/svc/admin/users/:nickname_or_id/history.
func (s *AdminUsers) History(ctx context.Context, nicknameOrID string) (*api.UserHistory, error) {
	return get[api.UserHistory](ctx, s.c, nil, adminPath+"/users/", nicknameOrID, "/history")
}

// Toggle activates a deactivated user and deactivates an active one; it is
// never retried. PATCH /api/svc/admin/users/:nickname/toggle_activation.
func (s *AdminUsers) Toggle(ctx context.Context, nickname string) (*api.AdminUser, error) {
	path := []string{adminPath + "/users/", nickname, "/toggle_activation"}
	return send[api.AdminUser](ctx, s.c, Request{Method: http.MethodPatch}, path)
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
	in := Request{Method: http.MethodPatch, Body: api.Nicknames{Nicknames: nicknames}, Repeatable: true}
	answer, err := send[api.Users](ctx, s.c, in, []string{adminPath + path})
	if err != nil {
		return nil, err
	}
	return answer.Users, nil
}

// Approve approves the users that await it, all or none, and returns all in
// order. PATCH /api/svc/admin/users/approve.
func (s *AdminUsers) Approve(ctx context.Context, nicknames ...string) ([]api.AdminUser, error) {
	return s.patch(ctx, "/users/approve", nicknames)
}

// Reject deletes users that await approval, all or none, mails each the message, and
// returns their nicknames as they were given. Users that await nothing stay. PATCH
// /api/svc/admin/users/reject.
func (s *AdminUsers) Reject(ctx context.Context, message string, nicknames ...string) ([]string, error) {
	in := Request{Method: http.MethodPatch, Body: api.Rejection{Nicknames: nicknames, Message: message}}
	return s.names(ctx, in, "/users/reject")
}

// Create creates local users, all or none, and returns the result of each, in
// order. If any is refused, the results come with the error, and no user is
// created. It is retried only with an IdempotencyKey. POST
// /api/svc/admin/users.
func (s *AdminUsers) Create(ctx context.Context, users []api.NewUser, opts ...CallOption) ([]api.UserResult, error) {
	in := Request{Method: http.MethodPost, Body: api.NewUsers{Users: users}}
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
	in := Request{Method: http.MethodDelete, Body: api.Nicknames{Nicknames: nicknames}}
	return s.names(ctx, in, "/users")
}

// ConfirmEmail takes users' addresses as confirmed, all or none, and returns
// their nicknames. PATCH /api/svc/admin/users/confirm_email.
func (s *AdminUsers) ConfirmEmail(ctx context.Context, nicknames ...string) ([]string, error) {
	in := Request{Method: http.MethodPatch, Body: api.Nicknames{Nicknames: nicknames}, Repeatable: true}
	return s.names(ctx, in, "/users/confirm_email")
}

// ResendConfirmation mails users another link to confirm their addresses, all
// or none, and returns their nicknames; it is never retried. PATCH
// /api/svc/admin/users/resend_confirmation_email.
func (s *AdminUsers) ResendConfirmation(ctx context.Context, nicknames ...string) ([]string, error) {
	in := Request{Method: http.MethodPatch, Body: api.Nicknames{Nicknames: nicknames}}
	return s.names(ctx, in, "/users/resend_confirmation_email")
}

func (s *AdminUsers) names(ctx context.Context, in Request, path string) ([]string, error) {
	answer, err := send[[]string](ctx, s.c, in, []string{adminPath + path})
	if err != nil {
		return nil, err
	}
	return *answer, nil
}

// ForcePasswordReset shuts local users out until they have chosen new
// passwords, all or none. PATCH /api/svc/admin/users/force_password_reset.
func (s *AdminUsers) ForcePasswordReset(ctx context.Context, nicknames ...string) error {
	in := Request{Method: http.MethodPatch, Body: api.Nicknames{Nicknames: nicknames}, Repeatable: true}
	return perform(ctx, s.c, in, []string{adminPath + "/users/force_password_reset"})
}

// LogOut ends all log-ins of local users, all or none: those of apps, browsers and SSH,
// with their streams and pushes. PATCH /api/svc/admin/users/logout.
func (s *AdminUsers) LogOut(ctx context.Context, nicknames ...string) error {
	in := Request{Method: http.MethodPatch, Body: api.Nicknames{Nicknames: nicknames}, Repeatable: true}
	return perform(ctx, s.c, in, []string{adminPath + "/users/logout"})
}

// Sessions returns the newest log-ins of a user that still open something, at most 500,
// by nickname, serial number or account id. GET /api/svc/admin/users/:nickname_or_id/sessions.
func (s *AdminUsers) Sessions(ctx context.Context, nicknameOrID string) ([]api.LogIn, error) {
	return listOf[api.LogIn](ctx, s.c, adminPath+"/users/", nicknameOrID, "/sessions")
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
	in := Request{Method: http.MethodPut, Body: api.Nickname{Nickname: nickname}}
	return perform(ctx, s.c, in, []string{adminPath + "/users/disable_mfa"})
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

// Move moves a local user to another account, which names theirs among its aliases. POST
// /api/svc/admin/users/:nickname/move.
func (s *AdminUsers) Move(ctx context.Context, nickname, target string) error {
	in := Request{Method: http.MethodPost, Body: api.UserMove{Target: target}}
	return perform(ctx, s.c, in, []string{adminPath + "/users/", nickname, "/move"})
}

// CancelMove takes back that a local user's profile leads to another account. DELETE
// /api/svc/admin/users/:nickname/move.
func (s *AdminUsers) CancelMove(ctx context.Context, nickname string) error {
	return perform(ctx, s.c, Request{Method: http.MethodDelete, Repeatable: true}, []string{adminPath + "/users/", nickname, "/move"})
}

func (s *AdminUsers) pair(ctx context.Context, path, follower, followed string) error {
	in := Request{Method: http.MethodPost, Body: api.FollowPair{Follower: follower, Followed: followed}}
	return perform(ctx, s.c, in, []string{adminPath + path})
}

// Backup archives a local user's data and mails them a link to it. It is
// retried only with an IdempotencyKey. POST /api/svc/admin/backups.
func (s *AdminUsers) Backup(ctx context.Context, nickname string, opts ...CallOption) error {
	in := Request{Method: http.MethodPost, Body: api.Nickname{Nickname: nickname}}
	return perform(ctx, s.c, in, []string{adminPath + "/backups"}, opts...)
}
