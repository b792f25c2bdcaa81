package client

import (
	"context"
	"iter"
	"net/http"

	"svc/client/api"
)

const (
	conversationsPath    = "/api/v1/conversations/"
	svcConversationsPath = "/api/v1/svc/conversations/"
)

// Conversations is threads of direct statuses.
type Conversations struct{ c *Client }

// List returns a page of the caller's conversations, the one with the newest
// status first. GET /api/v1/conversations.
func (s *Conversations) List(ctx context.Context, query api.ConversationQuery) ([]api.Conversation, error) {
	return list[api.Conversation](ctx, s.c, query, "/api/v1/conversations")
}

// All walks the conversations.
func (s *Conversations) All(ctx context.Context, query api.ConversationQuery) iter.Seq2[api.Conversation, error] {
	return keyset[api.Conversation](ctx, s.c, query, "/api/v1/conversations")
}

// Get returns a conversation. GET /api/v1/svc/conversations/:id.
func (s *Conversations) Get(ctx context.Context, id string) (*api.Conversation, error) {
	return get[api.Conversation](ctx, s.c, nil, svcConversationsPath, id)
}

// Statuses returns a page of a conversation's statuses: the newest that the
// query bounds, the oldest of them first. GET
// /api/v1/svc/conversations/:id/statuses.
func (s *Conversations) Statuses(ctx context.Context, id string, query api.PageQuery) ([]api.Status, error) {
	return list[api.Status](ctx, s.c, query, svcConversationsPath, id, "/statuses")
}

// Read marks a conversation as read. POST /api/v1/conversations/:id/read.
func (s *Conversations) Read(ctx context.Context, id string) (*api.Conversation, error) {
	in := call{method: http.MethodPost, repeatable: true}
	return send[api.Conversation](ctx, s.c, in, []string{conversationsPath, id, "/read"})
}

// ReadAll marks all conversations as read and returns those that were not, the
// newest forty of them. POST /api/v1/svc/conversations/read.
func (s *Conversations) ReadAll(ctx context.Context) ([]api.Conversation, error) {
	out, err := send[[]api.Conversation](ctx, s.c, call{method: http.MethodPost}, []string{"/api/v1/svc/conversations/read"})
	if err != nil {
		return nil, err
	}
	return *out, nil
}

// SetRecipients changes whom replies to a conversation are addressed to. PATCH
// /api/v1/svc/conversations/:id.
func (s *Conversations) SetRecipients(ctx context.Context, id string, form api.ConversationUpdate) (*api.Conversation, error) {
	in := call{method: http.MethodPatch, body: form, repeatable: true}
	return send[api.Conversation](ctx, s.c, in, []string{svcConversationsPath, id})
}

// Delete takes a conversation off the caller's list until something is said in
// it again. DELETE /api/v1/conversations/:id.
func (s *Conversations) Delete(ctx context.Context, id string) error {
	return run(ctx, s.c, call{method: http.MethodDelete}, []string{conversationsPath, id}, nil)
}
