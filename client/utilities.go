package client

import (
	"context"
	"net/http"
	"net/url"

	"svc/client/api"
)

// Subscribe has the caller told of what an account posts. POST
// /api/v1/svc/accounts/:id/subscribe.
func (s *Accounts) Subscribe(ctx context.Context, id string) (*api.Relationship, error) {
	in := Request{Method: http.MethodPost, Repeatable: true}
	return send[api.Relationship](ctx, s.c, in, []string{"/api/v1/svc/accounts/", id, "/subscribe"})
}

// Unsubscribe ends that. POST /api/v1/svc/accounts/:id/unsubscribe.
func (s *Accounts) Unsubscribe(ctx context.Context, id string) (*api.Relationship, error) {
	in := Request{Method: http.MethodPost, Repeatable: true}
	return send[api.Relationship](ctx, s.c, in, []string{"/api/v1/svc/accounts/", id, "/unsubscribe"})
}

// Scrobbles is what an account has listened to, newest first.
// GET /api/v1/svc/accounts/:id/scrobbles.
func (s *Accounts) Scrobbles(id string, query api.PageQuery) Listing[api.Scrobble] {
	return keyset[api.Scrobble](s.c, query, "/api/v1/svc/accounts/", id, "/scrobbles")
}

// Scrobble tells what the caller has listened to. POST /api/v1/svc/scrobble.
func (s *Accounts) Scrobble(ctx context.Context, form api.NewScrobble, opts ...CallOption) (*api.Scrobble, error) {
	return send[api.Scrobble](ctx, s.c, Request{Method: http.MethodPost, Body: form}, []string{"/api/v1/svc/scrobble"}, opts...)
}

// ImportFollows has the server follow the accounts of a list, one a line or in
// the first column of CSV. POST /api/svc/follow_import.
func (s *Accounts) ImportFollows(ctx context.Context, list string) error {
	return s.importList(ctx, "/api/svc/follow_import", list)
}

// ImportBlocks has it block them. POST /api/svc/blocks_import.
func (s *Accounts) ImportBlocks(ctx context.Context, list string) error {
	return s.importList(ctx, "/api/svc/blocks_import", list)
}

// ImportMutes has it mute them. POST /api/svc/mutes_import.
func (s *Accounts) ImportMutes(ctx context.Context, list string) error {
	return s.importList(ctx, "/api/svc/mutes_import", list)
}

func (s *Accounts) importList(ctx context.Context, path, list string) error {
	return perform(ctx, s.c, Request{Method: http.MethodPost, Body: api.NewImport{List: list}, Repeatable: true}, []string{path})
}

// Preferences returns what the caller wants of every client. GET
// /api/v1/preferences.
func (s *Accounts) Preferences(ctx context.Context) (*api.Preferences, error) {
	return get[api.Preferences](ctx, s.c, nil, "/api/v1/preferences")
}

// SetWebSettings keeps an object for the web client, which finds it in the
// settings store. PUT /api/web/settings.
func (s *Accounts) SetWebSettings(ctx context.Context, form api.WebSettings) error {
	return perform(ctx, s.c, Request{Method: http.MethodPut, Body: form}, []string{"/api/web/settings"})
}

// SetNotificationSettings changes who may notify the caller, and how. PUT
// /api/svc/notification_settings.
func (s *Accounts) SetNotificationSettings(ctx context.Context, form api.SetNotificationSettings) error {
	return perform(ctx, s.c, Request{Method: http.MethodPut, Body: form}, []string{"/api/svc/notification_settings"})
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

// Activity returns what happened on the server in the last weeks, the present
// one first. GET /api/v1/instance/activity.
func (s *Instance) Activity(ctx context.Context) ([]api.ActivityWeek, error) {
	return whole[api.ActivityWeek](ctx, s.c, struct{}{}, "/api/v1/instance/activity")
}

// Peers returns the hosts of other servers that the server knows. GET
// /api/v1/instance/peers.
func (s *Instance) Peers(ctx context.Context) ([]string, error) {
	return whole[string](ctx, s.c, struct{}{}, "/api/v1/instance/peers")
}

// FederationStatus tells which servers cannot be reached. GET
// /api/v1/svc/federation_status.
func (s *Instance) FederationStatus(ctx context.Context) (*api.FederationStatus, error) {
	return get[api.FederationStatus](ctx, s.c, nil, "/api/v1/svc/federation_status")
}

// FrontendConfigurations returns what front ends are to look like, by their
// names. GET /api/svc/frontend_configurations.
func (s *Instance) FrontendConfigurations(ctx context.Context) (map[string]any, error) {
	out, err := get[map[string]any](ctx, s.c, nil, "/api/svc/frontend_configurations")
	if err != nil {
		return nil, err
	}
	return *out, nil
}

// Health tells how the server is doing, where it shows that. GET
// /api/svc/healthcheck.
func (s *Instance) Health(ctx context.Context) (*api.Health, error) {
	return get[api.Health](ctx, s.c, nil, "/api/svc/healthcheck")
}

// OEmbed returns a status in a form that other sites show. GET /api/oembed.
func (s *Instance) OEmbed(ctx context.Context, query api.OEmbedQuery) (*api.OEmbed, error) {
	return get[api.OEmbed](ctx, s.c, values(query), "/api/oembed")
}

// WebFinger finds a local account: acct:nick@host, nick@host, or the address of
// its profile. GET /.well-known/webfinger.
func (s *Instance) WebFinger(ctx context.Context, resource string) (*api.WebFinger, error) {
	in := Request{Method: http.MethodGet, Query: url.Values{"resource": {resource}}, Anonymous: true}
	return send[api.WebFinger](ctx, s.c, in, []string{"/.well-known/webfinger"})
}

// HostMeta returns the document that says where WebFinger is, as XML. GET
// /.well-known/host-meta.
func (s *Instance) HostMeta(ctx context.Context) (string, error) {
	resp, err := s.c.do(ctx, Request{Method: http.MethodGet, Path: "/.well-known/host-meta", Anonymous: true}, nil)
	if err != nil {
		return "", err
	}
	return string(resp.Body), nil
}
