package client

import (
	"context"
	"net/http"
	"slices"

	"svc/client/api"
)

const (
	statusesPath = "/api/v1/statuses/"
	// maxIDs is how many statuses one request may name.
	maxIDs = 100
)

// Statuses is statuses and the caller's actions on them.
type Statuses struct{ c *Client }

// Post publishes a status. It is retried only with an IdempotencyKey. POST
// /api/v1/statuses.
func (s *Statuses) Post(ctx context.Context, form api.NewStatus, opts ...CallOption) (*api.Status, error) {
	return send[api.Status](ctx, s.c, Request{Method: http.MethodPost, Body: form}, []string{"/api/v1/statuses"}, opts...)
}

// Schedule leaves a status to be posted at form.ScheduledAt, which must be more
// than five minutes ahead: a nearer one is posted at once, and the answer has
// that status's id and a zero ScheduledAt. POST /api/v1/statuses.
func (s *Statuses) Schedule(ctx context.Context, form api.NewStatus, opts ...CallOption) (*api.ScheduledStatus, error) {
	return send[api.ScheduledStatus](ctx, s.c, Request{Method: http.MethodPost, Body: form}, []string{"/api/v1/statuses"}, opts...)
}

// Get returns a status. GET /api/v1/statuses/:id.
func (s *Statuses) Get(ctx context.Context, id string) (*api.Status, error) {
	return get[api.Status](ctx, s.c, nil, statusesPath, id)
}

// GetMany returns statuses by id, a hundred a request; unknown and invisible
// ones are left out. GET /api/v1/statuses.
func (s *Statuses) GetMany(ctx context.Context, ids ...string) ([]api.Status, error) {
	var statuses []api.Status
	for some := range slices.Chunk(ids, maxIDs) {
		page, err := whole[api.Status](ctx, s.c, api.StatusesQuery{IDs: some}, "/api/v1/statuses")
		if err != nil {
			return nil, err
		}
		statuses = append(statuses, page...)
	}
	return statuses, nil
}

// Edit replaces one of the caller's statuses by a new version. PUT
// /api/v1/statuses/:id.
func (s *Statuses) Edit(ctx context.Context, id string, form api.StatusForm) (*api.Status, error) {
	return send[api.Status](ctx, s.c, Request{Method: http.MethodPut, Body: form}, []string{statusesPath, id})
}

// Source returns one of the caller's statuses as it was typed. GET
// /api/v1/statuses/:id/source.
func (s *Statuses) Source(ctx context.Context, id string) (*api.StatusSource, error) {
	return get[api.StatusSource](ctx, s.c, nil, statusesPath, id, "/source")
}

// History returns the versions of a status, the first one first and the present one
// last. GET /api/v1/statuses/:id/history.
func (s *Statuses) History(ctx context.Context, id string) ([]api.StatusEdit, error) {
	return whole[api.StatusEdit](ctx, s.c, struct{}{}, statusesPath, id, "/history")
}

// Context returns the thread around a status. GET /api/v1/statuses/:id/context.
func (s *Statuses) Context(ctx context.Context, id string) (*api.StatusContext, error) {
	return get[api.StatusContext](ctx, s.c, nil, statusesPath, id, "/context")
}

// Delete removes a status and returns it as it was, with its source in Text.
// DELETE /api/v1/statuses/:id.
func (s *Statuses) Delete(ctx context.Context, id string) (*api.Status, error) {
	return send[api.Status](ctx, s.c, Request{Method: http.MethodDelete}, []string{statusesPath, id})
}

// Favourite likes a status. POST /api/v1/statuses/:id/favourite.
func (s *Statuses) Favourite(ctx context.Context, id string) (*api.Status, error) {
	return s.react(ctx, id, "/favourite", nil, true)
}

// Unfavourite takes a like back. POST /api/v1/statuses/:id/unfavourite.
func (s *Statuses) Unfavourite(ctx context.Context, id string) (*api.Status, error) {
	return s.react(ctx, id, "/unfavourite", nil, false)
}

// Reblog reblogs a status and returns the wrapper, the first one when repeated.
// POST /api/v1/statuses/:id/reblog.
func (s *Statuses) Reblog(ctx context.Context, id string, form api.NewReblog) (*api.Status, error) {
	return s.react(ctx, id, "/reblog", form, true)
}

// Unreblog undoes a reblog and returns the original. POST
// /api/v1/statuses/:id/unreblog.
func (s *Statuses) Unreblog(ctx context.Context, id string) (*api.Status, error) {
	return s.react(ctx, id, "/unreblog", nil, false)
}

// react does not repeat a request that is refused the second time: a retry
// would turn success into an error.
func (s *Statuses) react(ctx context.Context, id, verb string, form any, repeatable bool) (*api.Status, error) {
	in := Request{Method: http.MethodPost, Body: form, Repeatable: repeatable}
	return send[api.Status](ctx, s.c, in, []string{statusesPath, id, verb})
}

// FavouritedBy is the accounts that like a status. GET
// /api/v1/statuses/:id/favourited_by.
func (s *Statuses) FavouritedBy(id string, query api.PageQuery) Listing[api.Account] {
	return keyset[api.Account](s.c, query, statusesPath, id, "/favourited_by")
}

// RebloggedBy is the accounts that reblogged a status. GET
// /api/v1/statuses/:id/reblogged_by.
func (s *Statuses) RebloggedBy(id string, query api.PageQuery) Listing[api.Account] {
	return keyset[api.Account](s.c, query, statusesPath, id, "/reblogged_by")
}

// Favourites is the statuses that the caller likes, the last liked first. The
// ids of its query are those of Link headers. GET /api/v1/favourites.
func (s *Statuses) Favourites(query api.PageQuery) Listing[api.Status] {
	return keyset[api.Status](s.c, query, "/api/v1/favourites")
}

// Pin shows one of the caller's statuses on their profile. POST
// /api/v1/statuses/:id/pin.
func (s *Statuses) Pin(ctx context.Context, id string) (*api.Status, error) {
	return s.react(ctx, id, "/pin", nil, true)
}

// Unpin takes a status from the caller's profile. POST
// /api/v1/statuses/:id/unpin.
func (s *Statuses) Unpin(ctx context.Context, id string) (*api.Status, error) {
	return s.react(ctx, id, "/unpin", nil, true)
}

// Card returns the preview of the page that a status links to, nil when it has
// none. GET /api/v1/statuses/:id/card.
func (s *Statuses) Card(ctx context.Context, id string) (*api.Card, error) {
	card, err := get[*api.Card](ctx, s.c, nil, statusesPath, id, "/card")
	if err != nil {
		return nil, err
	}
	return *card, nil
}
