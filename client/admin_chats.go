package client

import (
	"context"
	"net/http"
	"net/url"

	"svc/client/api"
)

const adminChatsPath = adminPath + "/chats/"

// AdminChats is the chats of all users, as admins see them. Reading marks
// nothing as read.
type AdminChats struct{ c *Client }

// OfUser returns all chats of a local user, the one with the newest message
// first. GET /api/svc/admin/users/:nickname_or_id/chats.
func (s *AdminChats) OfUser(ctx context.Context, nicknameOrID string) ([]api.AdminChat, error) {
	return whole[api.AdminChat](ctx, s.c, api.Empty{}, adminPath+"/users/", nicknameOrID, "/chats")
}

// Get returns a chat. GET /api/svc/admin/chats/:id.
func (s *AdminChats) Get(ctx context.Context, id string) (*api.AdminChat, error) {
	return get[api.AdminChat](ctx, s.c, nil, adminChatsPath, id)
}

// Messages is a chat's messages, newest first. GET
// /api/svc/admin/chats/:id/messages.
func (s *AdminChats) Messages(id string, query api.PageQuery) Listing[api.ChatMessage] {
	return listing(s.c, query, "limit", func(items []api.ChatMessage, _ *Response) part[api.ChatMessage] {
		p := part[api.ChatMessage]{items: items, total: -1}
		if n := len(items); n > 0 {
			p.next, p.prev = url.Values{"max_id": {items[n-1].ID}}, url.Values{"min_id": {items[0].ID}}
		}
		return p
	}, adminChatsPath, id, "/messages")
}

// DeleteMessage removes a message from both sides of its chat, and returns it
// as it was. DELETE /api/svc/admin/chats/:id/messages/:message_id.
func (s *AdminChats) DeleteMessage(ctx context.Context, id, messageID string) (*api.ChatMessage, error) {
	return send[api.ChatMessage](ctx, s.c, Request{Method: http.MethodDelete}, []string{adminChatsPath, id, "/messages/", messageID})
}
