package client

import (
	"context"
	"net/http"
	"net/url"

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

// Unread counts the notifications that are unseen and newer than the marker. GET
// /api/v1/notifications/unread_count.
func (s *Notifications) Unread(ctx context.Context, query api.UnreadQuery) (*api.UnreadCount, error) {
	return get[api.UnreadCount](ctx, s.c, values(query), "/api/v1/notifications/unread_count")
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

// See marks one notification as seen. POST /api/v1/svc/notifications/read.
func (s *Notifications) See(ctx context.Context, id int64) (*api.Notification, error) {
	one := api.Int(id)
	in := Request{Method: http.MethodPost, Body: api.ReadNotifications{ID: &one}, Repeatable: true}
	return send[api.Notification](ctx, s.c, in, []string{"/api/v1/svc/notifications/read"})
}

// SeeUpTo marks all notifications up to one as seen, and returns the newest 80
// of those that were not. POST /api/v1/svc/notifications/read.
func (s *Notifications) SeeUpTo(ctx context.Context, maxID int64) ([]api.Notification, error) {
	most := api.Int(maxID)
	in := Request{Method: http.MethodPost, Body: api.ReadNotifications{MaxID: &most}}
	out, err := send[[]api.Notification](ctx, s.c, in, []string{"/api/v1/svc/notifications/read"})
	if err != nil {
		return nil, err
	}
	return *out, nil
}

// Destroy removes notifications. DELETE
// /api/v1/notifications/destroy_multiple.
func (s *Notifications) Destroy(ctx context.Context, ids ...string) error {
	in := Request{Method: http.MethodDelete, Query: url.Values{"ids[]": ids}}
	return perform(ctx, s.c, in, []string{"/api/v1/notifications/destroy_multiple"})
}
