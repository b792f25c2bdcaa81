package client

import (
	"context"
	"iter"
	"net/http"

	"svc/client/api"
)

// Notifications is the caller's news.
type Notifications struct{ c *Client }

// List returns a page of notifications, newest first. GET
// /api/v1/notifications.
func (s *Notifications) List(ctx context.Context, query api.NotificationQuery) ([]api.Notification, error) {
	return list[api.Notification](ctx, s.c, query, "/api/v1/notifications")
}

// All walks the notifications, newest first.
func (s *Notifications) All(ctx context.Context, query api.NotificationQuery) iter.Seq2[api.Notification, error] {
	return keyset[api.Notification](ctx, s.c, query, "/api/v1/notifications")
}

// Get returns one notification. GET /api/v1/notifications/:id.
func (s *Notifications) Get(ctx context.Context, id string) (*api.Notification, error) {
	return get[api.Notification](ctx, s.c, nil, "/api/v1/notifications/", id)
}

// Clear removes all notifications. POST /api/v1/notifications/clear.
func (s *Notifications) Clear(ctx context.Context) error {
	in := call{method: http.MethodPost, repeatable: true}
	return run(ctx, s.c, in, []string{"/api/v1/notifications/clear"}, nil)
}

// Dismiss removes one notification. POST /api/v1/notifications/:id/dismiss.
func (s *Notifications) Dismiss(ctx context.Context, id string) error {
	return run(ctx, s.c, call{method: http.MethodPost}, []string{"/api/v1/notifications/", id, "/dismiss"}, nil)
}
