package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

const listsPath = "/api/v1/lists/"

// Lists is the caller's lists of accounts.
type Lists struct{ c *Client }

// List returns the caller's lists, newest first. GET /api/v1/lists.
func (s *Lists) List(ctx context.Context) ([]api.AccountList, error) {
	return whole[api.AccountList](ctx, s.c, struct{}{}, "/api/v1/lists")
}

// Get returns one list. GET /api/v1/lists/:id.
func (s *Lists) Get(ctx context.Context, id string) (*api.AccountList, error) {
	return get[api.AccountList](ctx, s.c, nil, listsPath, id)
}

// Create makes a list. POST /api/v1/lists.
func (s *Lists) Create(ctx context.Context, form api.NewList, opts ...CallOption) (*api.AccountList, error) {
	return send[api.AccountList](ctx, s.c, Request{Method: http.MethodPost, Body: form}, []string{"/api/v1/lists"}, opts...)
}

// Update changes a list; nil fields keep their values. PUT /api/v1/lists/:id.
func (s *Lists) Update(ctx context.Context, id string, form api.ListForm) (*api.AccountList, error) {
	return send[api.AccountList](ctx, s.c, Request{Method: http.MethodPut, Body: form, Repeatable: true}, []string{listsPath, id})
}

// Delete removes a list. DELETE /api/v1/lists/:id.
func (s *Lists) Delete(ctx context.Context, id string) error {
	return perform(ctx, s.c, Request{Method: http.MethodDelete}, []string{listsPath, id})
}

// Accounts is a list's members, by account id. GET
// /api/v1/lists/:id/accounts.
func (s *Lists) Accounts(id string, query api.PageQuery) Listing[api.Account] {
	return keyset[api.Account](s.c, query, listsPath, id, "/accounts")
}

// Add puts accounts on a list; unknown ids are passed over. POST
// /api/v1/lists/:id/accounts.
func (s *Lists) Add(ctx context.Context, id string, accountIDs ...string) error {
	in := Request{Method: http.MethodPost, Body: api.ListAccounts{AccountIDs: accountIDs}, Repeatable: true}
	return perform(ctx, s.c, in, []string{listsPath, id, "/accounts"})
}

// Remove takes accounts off a list. DELETE /api/v1/lists/:id/accounts.
func (s *Lists) Remove(ctx context.Context, id string, accountIDs ...string) error {
	in := Request{Method: http.MethodDelete, Body: api.ListAccounts{AccountIDs: accountIDs}, Repeatable: true}
	return perform(ctx, s.c, in, []string{listsPath, id, "/accounts"})
}

// Lists returns those of the caller's lists that have an account. GET
// /api/v1/accounts/:id/lists.
func (s *Accounts) Lists(ctx context.Context, id string) ([]api.AccountList, error) {
	return whole[api.AccountList](ctx, s.c, struct{}{}, accountsPath, id, "/lists")
}
