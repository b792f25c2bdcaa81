package client

import (
	"context"
	"net/http"
	"strconv"

	"svc/client/api"
)

// AdminApps is the programs that are registered with the server.
type AdminApps struct{ c *Client }

// List is the apps, the oldest first. GET /api/svc/admin/oauth_app.
func (s *AdminApps) List(query api.AppQuery) Listing[api.AdminApp] {
	read := func(a api.AdminApps) ([]api.AdminApp, int) { return a.Apps, a.Count }
	id := func(a api.AdminApp) string { return strconv.FormatInt(a.ID, 10) }
	return numbered(s.c, query, read, id, adminPath+"/oauth_app")
}

// Create registers an app and returns it with its credentials. It is retried
// only with an IdempotencyKey. POST /api/svc/admin/oauth_app.
func (s *AdminApps) Create(ctx context.Context, form api.AppForm, opts ...CallOption) (*api.AdminApp, error) {
	return send[api.AdminApp](ctx, s.c, Request{Method: http.MethodPost, Body: form}, []string{adminPath + "/oauth_app"}, opts...)
}

// Update changes an app. PATCH /api/svc/admin/oauth_app/:id.
func (s *AdminApps) Update(ctx context.Context, id int64, form api.AppForm) (*api.AdminApp, error) {
	in := Request{Method: http.MethodPatch, Body: form, Repeatable: true}
	return send[api.AdminApp](ctx, s.c, in, []string{adminPath + "/oauth_app/", strconv.FormatInt(id, 10)})
}

// Delete removes an app with all tokens that it was given. DELETE
// /api/svc/admin/oauth_app/:id.
func (s *AdminApps) Delete(ctx context.Context, id int64) error {
	return perform(ctx, s.c, Request{Method: http.MethodDelete}, []string{adminPath + "/oauth_app/", strconv.FormatInt(id, 10)})
}
