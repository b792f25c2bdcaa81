package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

const (
	conversationsPath    = "/api/v1/conversations/"
	svcConversationsPath = "/api/v1/svc/conversations/"
)

// Conversations is threads of direct statuses.
type Conversations struct{ c *Client }

// List is the caller's conversations, the one with the newest
// status first. GET /api/v1/conversations.
func (s *Conversations) List(query api.ConversationQuery) Listing[api.Conversation] {
	return keyset[api.Conversation](s.c, query, "/api/v1/conversations")
}

// Get returns a conversation. GET /api/v1/svc/conversations/:id.
func (s *Conversations) Get(ctx context.Context, id string) (*api.Conversation, error) {
	return get[api.Conversation](ctx, s.c, nil, svcConversationsPath, id)
}

// Statuses is a conversation's statuses: the newest that the
// query bounds, the oldest of them first. GET
// /api/v1/svc/conversations/:id/statuses.
func (s *Conversations) Statuses(id string, query api.PageQuery) Listing[api.Status] {
	return keyset[api.Status](s.c, query, svcConversationsPath, id, "/statuses")
}

// Read marks a conversation as read. POST /api/v1/conversations/:id/read.
func (s *Conversations) Read(ctx context.Context, id string) (*api.Conversation, error) {
	in := Request{Method: http.MethodPost, Repeatable: true}
	return send[api.Conversation](ctx, s.c, in, []string{conversationsPath, id, "/read"})
}

// ReadAll marks all conversations as read and returns those that were not, the
// newest forty of them. POST /api/v1/svc/conversations/read.
func (s *Conversations) ReadAll(ctx context.Context) ([]api.Conversation, error) {
	out, err := send[[]api.Conversation](ctx, s.c, Request{Method: http.MethodPost}, []string{"/api/v1/svc/conversations/read"})
	if err != nil {
		return nil, err
	}
	return *out, nil
}

// SetRecipients changes the recipients of replies to a conversation. PATCH
// /api/v1/svc/conversations/:id.
func (s *Conversations) SetRecipients(ctx context.Context, id string, form api.ConversationUpdate) (*api.Conversation, error) {
	in := Request{Method: http.MethodPatch, Body: form, Repeatable: true}
	return send[api.Conversation](ctx, s.c, in, []string{svcConversationsPath, id})
}

// Delete takes a conversation off the caller's list until something is said in
// it again. DELETE /api/v1/conversations/:id.
func (s *Conversations) Delete(ctx context.Context, id string) error {
	return perform(ctx, s.c, Request{Method: http.MethodDelete}, []string{conversationsPath, id})
}
