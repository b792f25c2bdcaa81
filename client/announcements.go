package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

const announcementsPath = "/api/v1/announcements/"

// Announcements is what the admins announce to everybody here.
type Announcements struct{ c *Client }

// List returns those that are shown now, the first published first. GET
// /api/v1/announcements.
func (s *Announcements) List(ctx context.Context, query api.AnnouncementQuery) ([]api.Announcement, error) {
	return whole[api.Announcement](ctx, s.c, query, "/api/v1/announcements")
}

// Dismiss marks one as read. POST /api/v1/announcements/:id/dismiss.
func (s *Announcements) Dismiss(ctx context.Context, id string) error {
	return perform(ctx, s.c, Request{Method: http.MethodPost, Repeatable: true}, []string{announcementsPath, id, "/dismiss"})
}

// React reacts with an emoji, or the shortcode of a custom one. PUT
// /api/v1/announcements/:id/reactions/:name.
func (s *Announcements) React(ctx context.Context, id, emoji string) error {
	return perform(ctx, s.c, Request{Method: http.MethodPut}, []string{announcementsPath, id, "/reactions/", emoji})
}

// Unreact takes a reaction back. DELETE /api/v1/announcements/:id/reactions/:name.
func (s *Announcements) Unreact(ctx context.Context, id, emoji string) error {
	return perform(ctx, s.c, Request{Method: http.MethodDelete}, []string{announcementsPath, id, "/reactions/", emoji})
}
