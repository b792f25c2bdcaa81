package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

// Notifications is the caller's news.
type Notifications struct{ c *Client }

// List is notifications, newest first. GET
// /api/v1/notifications.
func (s *Notifications) List(query api.NotificationQuery) Listing[api.Notification] {
	return keyset[api.Notification](s.c, query, "/api/v1/notifications")
}

// Get returns one notification. GET /api/v1/notifications/:id.
func (s *Notifications) Get(ctx context.Context, id string) (*api.Notification, error) {
	return get[api.Notification](ctx, s.c, nil, "/api/v1/notifications/", id)
}

// Clear removes all notifications. POST /api/v1/notifications/clear.
func (s *Notifications) Clear(ctx context.Context) error {
	in := Request{Method: http.MethodPost, Repeatable: true}
	return perform(ctx, s.c, in, []string{"/api/v1/notifications/clear"})
}

// Dismiss removes one notification. POST /api/v1/notifications/:id/dismiss.
func (s *Notifications) Dismiss(ctx context.Context, id string) error {
	return perform(ctx, s.c, Request{Method: http.MethodPost}, []string{"/api/v1/notifications/", id, "/dismiss"})
}
