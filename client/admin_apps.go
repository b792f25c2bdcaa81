package client

import (
	"context"
	"iter"
	"net/http"
	"strconv"

	"svc/client/api"
)

// AdminApps is the programs that are registered with the server.
type AdminApps struct{ c *Client }

// List returns a page of apps, the oldest first, and the number of all that
// match. GET /api/svc/admin/oauth_app.
func (s *AdminApps) List(ctx context.Context, query api.AppQuery) (*api.AdminApps, error) {
	return get[api.AdminApps](ctx, s.c, values(query), adminPath+"/oauth_app")
}

// All walks the apps, the oldest first, from the query's page on, each once.
func (s *AdminApps) All(ctx context.Context, query api.AppQuery) iter.Seq2[api.AdminApp, error] {
	if query.PageSize <= 0 {
		query.PageSize = walkSize
	}
	id := func(a api.AdminApp) int64 { return a.ID }
	return Walk(max(1, int(query.Page)), int(query.PageSize), id, func(page int) ([]api.AdminApp, int, error) {
		query.Page = api.Int(page)
		answer, err := s.List(ctx, query)
		if err != nil {
			return nil, 0, err
		}
		return answer.Apps, answer.Count, nil
	})
}

// Create registers an app and returns it with its credentials. It is retried
// only with an IdempotencyKey. POST /api/svc/admin/oauth_app.
func (s *AdminApps) Create(ctx context.Context, form api.AppForm, opts ...CallOption) (*api.AdminApp, error) {
	return send[api.AdminApp](ctx, s.c, call{method: http.MethodPost, body: form}, []string{adminPath + "/oauth_app"}, opts...)
}

// Update changes an app. PATCH /api/svc/admin/oauth_app/:id.
func (s *AdminApps) Update(ctx context.Context, id int64, form api.AppForm) (*api.AdminApp, error) {
	in := call{method: http.MethodPatch, body: form, repeatable: true}
	return send[api.AdminApp](ctx, s.c, in, []string{adminPath + "/oauth_app/", strconv.FormatInt(id, 10)})
}

// Delete removes an app with all tokens that it was given. DELETE
// /api/svc/admin/oauth_app/:id.
func (s *AdminApps) Delete(ctx context.Context, id int64) error {
	return run(ctx, s.c, call{method: http.MethodDelete}, []string{adminPath + "/oauth_app/", strconv.FormatInt(id, 10)}, nil)
}
