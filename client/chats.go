package client

import (
	"context"
	"iter"
	"net/http"

	"svc/client/api"
)

const chatsPath = "/api/v1/svc/chats/"

// Chats is what the caller and others write to each other outside of statuses.
type Chats struct{ c *Client }

// Open returns the caller's chat with an account, made where there is none.
// POST /api/v1/svc/chats/by-account-id/:id.
func (s *Chats) Open(ctx context.Context, accountID string) (*api.Chat, error) {
	in := call{method: http.MethodPost, repeatable: true}
	return send[api.Chat](ctx, s.c, in, []string{chatsPath + "by-account-id/", accountID})
}

// List returns the caller's chats, the one with the newest message first. GET
// /api/v1/svc/chats.
func (s *Chats) List(ctx context.Context, query api.ChatQuery) ([]api.Chat, error) {
	return list[api.Chat](ctx, s.c, query, "/api/v1/svc/chats")
}

// All walks the caller's chats.
func (s *Chats) All(ctx context.Context, query api.ChatQuery) iter.Seq2[api.Chat, error] {
	return keyset[api.Chat](ctx, s.c, query, "/api/v1/svc/chats")
}

// Get returns one of the caller's chats. GET /api/v1/svc/chats/:id.
func (s *Chats) Get(ctx context.Context, id string) (*api.Chat, error) {
	return get[api.Chat](ctx, s.c, nil, chatsPath, id)
}

// Messages returns a page of a chat's messages, newest first. GET
// /api/v1/svc/chats/:id/messages.
func (s *Chats) Messages(ctx context.Context, id string, query api.PageQuery) ([]api.ChatMessage, error) {
	return list[api.ChatMessage](ctx, s.c, query, chatsPath, id, "/messages")
}

// AllMessages walks a chat's messages, newest first.
func (s *Chats) AllMessages(ctx context.Context, id string, query api.PageQuery) iter.Seq2[api.ChatMessage, error] {
	return keyset[api.ChatMessage](ctx, s.c, query, chatsPath, id, "/messages")
}

// Send writes into a chat. POST /api/v1/svc/chats/:id/messages.
func (s *Chats) Send(ctx context.Context, id string, form api.NewChatMessage, opts ...CallOption) (*api.ChatMessage, error) {
	return send[api.ChatMessage](ctx, s.c, call{method: http.MethodPost, body: form}, []string{chatsPath, id, "/messages"}, opts...)
}

// Delete removes a message and returns it as it was: the caller's own for both,
// the other's from the caller's view only. DELETE
// /api/v1/svc/chats/:id/messages/:message_id.
func (s *Chats) Delete(ctx context.Context, id, messageID string) (*api.ChatMessage, error) {
	return send[api.ChatMessage](ctx, s.c, call{method: http.MethodDelete}, []string{chatsPath, id, "/messages/", messageID})
}

// Read marks a chat's messages as read, up to one of them. POST
// /api/v1/svc/chats/:id/read.
func (s *Chats) Read(ctx context.Context, id, lastReadID string) (*api.Chat, error) {
	in := call{method: http.MethodPost, body: api.ReadChat{LastReadID: lastReadID}, repeatable: true}
	return send[api.Chat](ctx, s.c, in, []string{chatsPath, id, "/read"})
}

// ReadMessage marks one message of a chat as read. POST
// /api/v1/svc/chats/:id/messages/:message_id/read.
func (s *Chats) ReadMessage(ctx context.Context, id, messageID string) (*api.ChatMessage, error) {
	in := call{method: http.MethodPost, repeatable: true}
	return send[api.ChatMessage](ctx, s.c, in, []string{chatsPath, id, "/messages/", messageID, "/read"})
}
