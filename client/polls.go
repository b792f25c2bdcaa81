package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

// Polls is the questions of statuses.
type Polls struct{ c *Client }

// Get returns a poll. GET /api/v1/polls/:id.
func (s *Polls) Get(ctx context.Context, id string) (*api.Poll, error) {
	return get[api.Poll](ctx, s.c, nil, "/api/v1/polls/", id)
}

// Vote votes for options, by their places from 0, all at once. POST
// /api/v1/polls/:id/votes.
func (s *Polls) Vote(ctx context.Context, id string, choices ...int) (*api.Poll, error) {
	form := api.Votes{Choices: make([]api.Int, len(choices))}
	for i, choice := range choices {
		form.Choices[i] = api.Int(choice)
	}
	return send[api.Poll](ctx, s.c, Request{Method: http.MethodPost, Body: form}, []string{"/api/v1/polls/", id, "/votes"})
}
