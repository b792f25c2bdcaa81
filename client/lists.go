package client

import (
	"context"
	"iter"
	"net/http"

	"svc/client/api"
)

const listsPath = "/api/v1/lists/"

// Lists is the caller's lists of accounts.
type Lists struct{ c *Client }

// List returns the caller's lists, newest first. GET /api/v1/lists.
func (s *Lists) List(ctx context.Context) ([]api.AccountList, error) {
	return list[api.AccountList](ctx, s.c, struct{}{}, "/api/v1/lists")
}

// Get returns one list. GET /api/v1/lists/:id.
func (s *Lists) Get(ctx context.Context, id string) (*api.AccountList, error) {
	return get[api.AccountList](ctx, s.c, nil, listsPath, id)
}

// Create makes a list. POST /api/v1/lists.
func (s *Lists) Create(ctx context.Context, form api.NewList, opts ...CallOption) (*api.AccountList, error) {
	return send[api.AccountList](ctx, s.c, call{method: http.MethodPost, body: form}, []string{"/api/v1/lists"}, opts...)
}

// Update gives a list another title. PUT /api/v1/lists/:id.
func (s *Lists) Update(ctx context.Context, id string, form api.NewList) (*api.AccountList, error) {
	return send[api.AccountList](ctx, s.c, call{method: http.MethodPut, body: form, repeatable: true}, []string{listsPath, id})
}

// Delete removes a list. DELETE /api/v1/lists/:id.
func (s *Lists) Delete(ctx context.Context, id string) error {
	return run(ctx, s.c, call{method: http.MethodDelete}, []string{listsPath, id}, nil)
}

// Accounts returns a page of a list's members, by account id. GET
// /api/v1/lists/:id/accounts.
func (s *Lists) Accounts(ctx context.Context, id string, query api.PageQuery) ([]api.Account, error) {
	return list[api.Account](ctx, s.c, query, listsPath, id, "/accounts")
}

// AllAccounts walks a list's members.
func (s *Lists) AllAccounts(ctx context.Context, id string, query api.PageQuery) iter.Seq2[api.Account, error] {
	return keyset[api.Account](ctx, s.c, query, listsPath, id, "/accounts")
}

// Add puts accounts on a list; unknown ids are passed over. POST
// /api/v1/lists/:id/accounts.
func (s *Lists) Add(ctx context.Context, id string, accountIDs ...string) error {
	in := call{method: http.MethodPost, body: api.ListAccounts{AccountIDs: accountIDs}, repeatable: true}
	return run(ctx, s.c, in, []string{listsPath, id, "/accounts"}, nil)
}

// Remove takes accounts off a list. DELETE /api/v1/lists/:id/accounts.
func (s *Lists) Remove(ctx context.Context, id string, accountIDs ...string) error {
	in := call{method: http.MethodDelete, body: api.ListAccounts{AccountIDs: accountIDs}, repeatable: true}
	return run(ctx, s.c, in, []string{listsPath, id, "/accounts"}, nil)
}

// Lists returns those of the caller's lists that have an account. GET
// /api/v1/accounts/:id/lists.
func (s *Accounts) Lists(ctx context.Context, id string) ([]api.AccountList, error) {
	return list[api.AccountList](ctx, s.c, struct{}{}, accountsPath, id, "/lists")
}
