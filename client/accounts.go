package client

import (
	"context"
	"net/http"
	"net/url"

	"svc/client/api"
)

const accountsPath = "/api/v1/accounts/"

// Accounts is people, and how the caller stands to them.
type Accounts struct{ c *Client }

// Register creates an account and signs it in; the client's token must be an
// app's. The answer has a Token, or a Message where the account must first be
// confirmed or approved. POST /api/v1/accounts.
func (s *Accounts) Register(ctx context.Context, form api.NewAccount, opts ...CallOption) (*api.Registration, error) {
	return send[api.Registration](ctx, s.c, Request{Method: http.MethodPost, Body: form}, []string{"/api/v1/accounts"}, opts...)
}

// Verify returns the caller's own account. GET
// /api/v1/accounts/verify_credentials.
func (s *Accounts) Verify(ctx context.Context) (*api.Account, error) {
	return get[api.Account](ctx, s.c, nil, "/api/v1/accounts/verify_credentials")
}

// UserInfo returns the caller's name and picture, also to a token of the scope profile
// alone. GET /oauth/userinfo.
func (s *Accounts) UserInfo(ctx context.Context) (*api.UserInfo, error) {
	return get[api.UserInfo](ctx, s.c, nil, "/oauth/userinfo")
}

// UpdateCredentials changes the caller's own profile and settings; absent
// fields stay. PATCH /api/v1/accounts/update_credentials.
func (s *Accounts) UpdateCredentials(ctx context.Context, form api.UpdateCredentials) (*api.Account, error) {
	in := Request{Method: http.MethodPatch, Body: form, Repeatable: true}
	return send[api.Account](ctx, s.c, in, []string{"/api/v1/accounts/update_credentials"})
}

// Get returns an account by id or nickname. GET /api/v1/accounts/:id.
func (s *Accounts) Get(ctx context.Context, idOrNickname string) (*api.Account, error) {
	return get[api.Account](ctx, s.c, nil, accountsPath, idOrNickname)
}

// Lookup returns an account that the server knows, by its handle: nick, or nick@host.
// GET /api/v1/accounts/lookup.
func (s *Accounts) Lookup(ctx context.Context, acct string) (*api.Account, error) {
	return get[api.Account](ctx, s.c, values(api.AccountLookup{Acct: acct}), "/api/v1/accounts/lookup")
}

// ByID returns the accounts with these ids, at most 100, in their order; unknown ones are
// left out. GET /api/v1/accounts.
func (s *Accounts) ByID(ctx context.Context, ids ...string) ([]api.Account, error) {
	items, err := get[[]api.Account](ctx, s.c, values(api.AccountsByID{ID: ids}), "/api/v1/accounts")
	if err != nil {
		return nil, err
	}
	return *items, nil
}

// Search finds accounts by nickname or name. GET /api/v1/accounts/search.
func (s *Accounts) Search(ctx context.Context, query api.AccountSearchQuery) ([]api.Account, error) {
	return whole[api.Account](ctx, s.c, query, "/api/v1/accounts/search")
}

// Statuses is an account's statuses, newest first. GET
// /api/v1/accounts/:id/statuses.
func (s *Accounts) Statuses(idOrNickname string, query api.AccountStatusQuery) Listing[api.Status] {
	return keyset[api.Status](s.c, query, accountsPath, idOrNickname, "/statuses")
}

// Relationships returns the caller's relationships to accounts; unknown ids are
// left out. GET /api/v1/accounts/relationships.
func (s *Accounts) Relationships(ctx context.Context, ids ...string) ([]api.Relationship, error) {
	items, err := get[[]api.Relationship](ctx, s.c, url.Values{"id[]": ids}, "/api/v1/accounts/relationships")
	if err != nil {
		return nil, err
	}
	return *items, nil
}

// FamiliarFollowers returns the accounts that the caller follows among the followers of
// accounts; unknown ids are left out. GET /api/v1/accounts/familiar_followers.
func (s *Accounts) FamiliarFollowers(ctx context.Context, ids ...string) ([]api.FamiliarFollowers, error) {
	items, err := get[[]api.FamiliarFollowers](ctx, s.c, url.Values{"id[]": ids}, "/api/v1/accounts/familiar_followers")
	if err != nil {
		return nil, err
	}
	return *items, nil
}

// Note keeps a private note about an account; "" removes it. POST
// /api/v1/accounts/:id/note.
func (s *Accounts) Note(ctx context.Context, id, comment string) (*api.Relationship, error) {
	return s.relate(ctx, id, "/note", api.AccountNote{Comment: comment})
}

// RemoveFollower ends an account's follow of the caller. POST
// /api/v1/accounts/:id/remove_from_followers.
func (s *Accounts) RemoveFollower(ctx context.Context, id string) (*api.Relationship, error) {
	return s.relate(ctx, id, "/remove_from_followers", nil)
}

// Followers is the accounts that follow an account, by account id. GET
// /api/v1/accounts/:id/followers.
func (s *Accounts) Followers(id string, query api.AccountQuery) Listing[api.Account] {
	return keyset[api.Account](s.c, query, accountsPath, id, "/followers")
}

// Following is the accounts that an account follows, by account id. GET
// /api/v1/accounts/:id/following.
func (s *Accounts) Following(id string, query api.AccountQuery) Listing[api.Account] {
	return keyset[api.Account](s.c, query, accountsPath, id, "/following")
}

// Follow follows an account, or asks to. POST /api/v1/accounts/:id/follow.
func (s *Accounts) Follow(ctx context.Context, id string, form api.Follow) (*api.Relationship, error) {
	return s.relate(ctx, id, "/follow", form)
}

// Unfollow ends a follow or takes back the request. POST
// /api/v1/accounts/:id/unfollow.
func (s *Accounts) Unfollow(ctx context.Context, id string) (*api.Relationship, error) {
	return s.relate(ctx, id, "/unfollow", nil)
}

// Block hides both sides from each other and cuts their follows. POST
// /api/v1/accounts/:id/block.
func (s *Accounts) Block(ctx context.Context, id string) (*api.Relationship, error) {
	return s.relate(ctx, id, "/block", nil)
}

// Unblock lifts a block. POST /api/v1/accounts/:id/unblock.
func (s *Accounts) Unblock(ctx context.Context, id string) (*api.Relationship, error) {
	return s.relate(ctx, id, "/unblock", nil)
}

// Mute hides an account from the caller. POST /api/v1/accounts/:id/mute.
func (s *Accounts) Mute(ctx context.Context, id string, form api.Mute) (*api.Relationship, error) {
	return s.relate(ctx, id, "/mute", form)
}

// Unmute lifts a mute. POST /api/v1/accounts/:id/unmute.
func (s *Accounts) Unmute(ctx context.Context, id string) (*api.Relationship, error) {
	return s.relate(ctx, id, "/unmute", nil)
}

// relate states a wished relationship, which may be said twice.
func (s *Accounts) relate(ctx context.Context, id, verb string, form any) (*api.Relationship, error) {
	in := Request{Method: http.MethodPost, Body: form, Repeatable: true}
	return send[api.Relationship](ctx, s.c, in, []string{accountsPath, id, verb})
}

// Blocks is the accounts that the caller blocks.
type Blocks struct{ c *Client }

// List is blocked accounts, by account id. GET /api/v1/blocks.
func (s *Blocks) List(query api.PageQuery) Listing[api.Account] {
	return keyset[api.Account](s.c, query, "/api/v1/blocks")
}

// Mutes is the accounts that the caller mutes.
type Mutes struct{ c *Client }

// List is muted accounts, by account id. GET /api/v1/mutes.
func (s *Mutes) List(query api.PageQuery) Listing[api.Account] {
	return keyset[api.Account](s.c, query, "/api/v1/mutes")
}

// Subscribe notifies the caller of an account's posts. POST
// /api/v1/svc/accounts/:id/subscribe.
func (s *Accounts) Subscribe(ctx context.Context, id string) (*api.Relationship, error) {
	in := Request{Method: http.MethodPost, Repeatable: true}
	return send[api.Relationship](ctx, s.c, in, []string{"/api/v1/svc/accounts/", id, "/subscribe"})
}

// Unsubscribe ends that. POST /api/v1/svc/accounts/:id/unsubscribe.
func (s *Accounts) Unsubscribe(ctx context.Context, id string) (*api.Relationship, error) {
	in := Request{Method: http.MethodPost, Repeatable: true}
	return send[api.Relationship](ctx, s.c, in, []string{"/api/v1/svc/accounts/", id, "/unsubscribe"})
}

// Favourites is the statuses that an account likes, likewise; most accounts
// hide it. GET /api/v1/svc/accounts/:id/favourites.
func (s *Accounts) Favourites(id string, query api.PageQuery) Listing[api.Status] {
	return keyset[api.Status](s.c, query, "/api/v1/svc/accounts/", id, "/favourites")
}
