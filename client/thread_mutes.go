package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

// MuteThread has the caller hear nothing more of the thread of a status. POST
// /api/v1/statuses/:id/mute.
func (s *Statuses) MuteThread(ctx context.Context, id string, form api.ThreadMute) (*api.Status, error) {
	return s.react(ctx, id, "/mute", form, false)
}

// UnmuteThread undoes MuteThread. POST /api/v1/statuses/:id/unmute.
func (s *Statuses) UnmuteThread(ctx context.Context, id string) (*api.Status, error) {
	in := Request{Method: http.MethodPost, Repeatable: true}
	return send[api.Status](ctx, s.c, in, []string{statusesPath, id, "/unmute"})
}
