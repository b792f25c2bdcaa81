package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

const pushPath = "/api/v1/push/subscription"

// Push is the device of the client's token that notifications are pushed to.
type Push struct{ c *Client }

// Get returns the device. GET /api/v1/push/subscription.
func (s *Push) Get(ctx context.Context) (*api.PushSubscription, error) {
	return get[api.PushSubscription](ctx, s.c, nil, pushPath)
}

// Subscribe names a device, in place of the one before. POST
// /api/v1/push/subscription.
func (s *Push) Subscribe(ctx context.Context, form api.NewPushSubscription) (*api.PushSubscription, error) {
	return send[api.PushSubscription](ctx, s.c, Request{Method: http.MethodPost, Body: form, Repeatable: true}, []string{pushPath})
}

// Update changes the alerts and the policy of the device. PUT
// /api/v1/push/subscription.
func (s *Push) Update(ctx context.Context, form api.ChangedPushSubscription) (*api.PushSubscription, error) {
	return send[api.PushSubscription](ctx, s.c, Request{Method: http.MethodPut, Body: form, Repeatable: true}, []string{pushPath})
}

// Unsubscribe forgets the device. DELETE /api/v1/push/subscription.
func (s *Push) Unsubscribe(ctx context.Context) error {
	return perform(ctx, s.c, Request{Method: http.MethodDelete}, []string{pushPath})
}
