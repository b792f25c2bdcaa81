package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

// Preferences returns the caller's settings for all clients. GET
// /api/v1/preferences.
func (s *Accounts) Preferences(ctx context.Context) (*api.Preferences, error) {
	return get[api.Preferences](ctx, s.c, nil, "/api/v1/preferences")
}

// SetWebSettings keeps an object for the web client, which finds it in the
// settings store. PUT /api/web/settings.
func (s *Accounts) SetWebSettings(ctx context.Context, form api.WebSettings) error {
	return perform(ctx, s.c, Request{Method: http.MethodPut, Body: form}, []string{"/api/web/settings"})
}

// SetNotificationSettings changes the accounts that may notify the caller, and
// the contents of pushes. PUT /api/svc/notification_settings.
func (s *Accounts) SetNotificationSettings(ctx context.Context, form api.SetNotificationSettings) error {
	return perform(ctx, s.c, Request{Method: http.MethodPut, Body: form}, []string{"/api/svc/notification_settings"})
}
