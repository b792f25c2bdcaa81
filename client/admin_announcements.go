package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

// AdminAnnouncements is what the admins announce to everybody here.
type AdminAnnouncements struct{ c *Client }

const adminAnnouncementsPath = adminPath + "/announcements"

// List is all of them, published or not, the newest first. GET
// /api/svc/admin/announcements.
func (s *AdminAnnouncements) List(query api.AdminAnnouncementQuery) Listing[api.AdminAnnouncement] {
	read := func(items []api.AdminAnnouncement) ([]api.AdminAnnouncement, int) { return items, -1 }
	return numbered(s.c, query, read, func(a api.AdminAnnouncement) string { return a.ID }, adminAnnouncementsPath)
}

// Get returns one. GET /api/svc/admin/announcements/:id.
func (s *AdminAnnouncements) Get(ctx context.Context, id string) (*api.AdminAnnouncement, error) {
	return get[api.AdminAnnouncement](ctx, s.c, nil, adminAnnouncementsPath+"/", id)
}

// Create announces something. It is retried only with an IdempotencyKey. POST
// /api/svc/admin/announcements.
func (s *AdminAnnouncements) Create(ctx context.Context, form api.AnnouncementForm, opts ...CallOption) (*api.AdminAnnouncement, error) {
	return send[api.AdminAnnouncement](ctx, s.c, Request{Method: http.MethodPost, Body: form}, []string{adminAnnouncementsPath}, opts...)
}

// Update changes an announcement. PATCH /api/svc/admin/announcements/:id.
func (s *AdminAnnouncements) Update(ctx context.Context, id string, form api.AnnouncementForm) (*api.AdminAnnouncement, error) {
	return send[api.AdminAnnouncement](ctx, s.c, Request{Method: http.MethodPatch, Body: form, Repeatable: true}, []string{adminAnnouncementsPath + "/", id})
}

// Delete removes one with its reactions. DELETE /api/svc/admin/announcements/:id.
func (s *AdminAnnouncements) Delete(ctx context.Context, id string) error {
	return perform(ctx, s.c, Request{Method: http.MethodDelete}, []string{adminAnnouncementsPath + "/", id})
}
