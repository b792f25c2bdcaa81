package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

// Markers is how far the caller has read timelines.
type Markers struct{ c *Client }

// Get returns the markers of timelines, home and notifications, that there are.
// GET /api/v1/markers.
func (s *Markers) Get(ctx context.Context, timelines ...string) (api.Markers, error) {
	out, err := get[api.Markers](ctx, s.c, values(api.MarkerQuery{Timeline: timelines}), "/api/v1/markers")
	if err != nil {
		return nil, err
	}
	return *out, nil
}

// Set moves markers and returns those that it moved. POST /api/v1/markers.
func (s *Markers) Set(ctx context.Context, form api.SetMarkers) (api.Markers, error) {
	out, err := send[api.Markers](ctx, s.c, Request{Method: http.MethodPost, Body: form}, []string{"/api/v1/markers"})
	if err != nil {
		return nil, err
	}
	return *out, nil
}
