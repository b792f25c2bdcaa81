package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

const chatsPath = "/api/v1/svc/chats/"

// Chats is the caller's conversations outside of statuses, each with one account.
type Chats struct{ c *Client }

// Open returns the caller's chat with an account, made where there is none.
// POST /api/v1/svc/chats/by-account-id/:id.
func (s *Chats) Open(ctx context.Context, accountID string) (*api.Chat, error) {
	in := Request{Method: http.MethodPost, Repeatable: true}
	return send[api.Chat](ctx, s.c, in, []string{chatsPath + "by-account-id/", accountID})
}

// List returns the caller's chats, the one with the newest message first. GET
// /api/v1/svc/chats.
func (s *Chats) List(query api.ChatQuery) Listing[api.Chat] {
	return keyset[api.Chat](s.c, query, "/api/v1/svc/chats")
}

// Get returns one of the caller's chats. GET /api/v1/svc/chats/:id.
func (s *Chats) Get(ctx context.Context, id string) (*api.Chat, error) {
	return get[api.Chat](ctx, s.c, nil, chatsPath, id)
}

// Messages is a chat's messages, newest first. GET
// /api/v1/svc/chats/:id/messages.
func (s *Chats) Messages(id string, query api.PageQuery) Listing[api.ChatMessage] {
	return keyset[api.ChatMessage](s.c, query, chatsPath, id, "/messages")
}

// Send writes into a chat. POST /api/v1/svc/chats/:id/messages.
func (s *Chats) Send(ctx context.Context, id string, form api.NewChatMessage, opts ...CallOption) (*api.ChatMessage, error) {
	return send[api.ChatMessage](ctx, s.c, Request{Method: http.MethodPost, Body: form}, []string{chatsPath, id, "/messages"}, opts...)
}

// Delete removes a message and returns it as it was: the caller's own for both,
// the other's from the caller's view only. DELETE
// /api/v1/svc/chats/:id/messages/:message_id.
func (s *Chats) Delete(ctx context.Context, id, messageID string) (*api.ChatMessage, error) {
	return send[api.ChatMessage](ctx, s.c, Request{Method: http.MethodDelete}, []string{chatsPath, id, "/messages/", messageID})
}

// Read marks a chat's messages as read, up to one of them. POST
// /api/v1/svc/chats/:id/read.
func (s *Chats) Read(ctx context.Context, id, lastReadID string) (*api.Chat, error) {
	in := Request{Method: http.MethodPost, Body: api.ReadChat{LastReadID: lastReadID}, Repeatable: true}
	return send[api.Chat](ctx, s.c, in, []string{chatsPath, id, "/read"})
}

// ReadMessage marks one message of a chat as read. POST
// /api/v1/svc/chats/:id/messages/:message_id/read.
func (s *Chats) ReadMessage(ctx context.Context, id, messageID string) (*api.ChatMessage, error) {
	in := Request{Method: http.MethodPost, Repeatable: true}
	return send[api.ChatMessage](ctx, s.c, in, []string{chatsPath, id, "/messages/", messageID, "/read"})
}
