package client

import (
	"context"
	"iter"
	"net/http"

	"svc/client/api"
)

const adminChatsPath = adminPath + "/chats/"

// AdminChats is what people write to each other outside of statuses, as admins
// see it. Reading marks nothing as read.
type AdminChats struct{ c *Client }

// OfUser returns all chats of a local user, the one with the newest message
// first. GET /api/svc/admin/users/:nickname_or_id/chats.
func (s *AdminChats) OfUser(ctx context.Context, nicknameOrID string) ([]api.AdminChat, error) {
	return list[api.AdminChat](ctx, s.c, api.Empty{}, adminPath+"/users/", nicknameOrID, "/chats")
}

// Get returns a chat. GET /api/svc/admin/chats/:id.
func (s *AdminChats) Get(ctx context.Context, id string) (*api.AdminChat, error) {
	return get[api.AdminChat](ctx, s.c, nil, adminChatsPath, id)
}

// Messages returns a page of a chat's messages, newest first. GET
// /api/svc/admin/chats/:id/messages.
func (s *AdminChats) Messages(ctx context.Context, id string, query api.PageQuery) ([]api.ChatMessage, error) {
	return list[api.ChatMessage](ctx, s.c, query, adminChatsPath, id, "/messages")
}

// AllMessages walks a chat's messages, newest first.
func (s *AdminChats) AllMessages(ctx context.Context, id string, query api.PageQuery) iter.Seq2[api.ChatMessage, error] {
	return func(yield func(api.ChatMessage, error) bool) {
		for {
			page, err := s.Messages(ctx, id, query)
			if err != nil {
				yield(api.ChatMessage{}, err)
				return
			}
			for _, m := range page {
				if !yield(m, nil) {
					return
				}
				query.MaxID = m.ID
			}
			if len(page) == 0 {
				return
			}
		}
	}
}

// DeleteMessage removes a message for both who have it, and returns it as it
// was. DELETE /api/svc/admin/chats/:id/messages/:message_id.
func (s *AdminChats) DeleteMessage(ctx context.Context, id, messageID string) (*api.ChatMessage, error) {
	return send[api.ChatMessage](ctx, s.c, call{method: http.MethodDelete}, []string{adminChatsPath, id, "/messages/", messageID})
}
