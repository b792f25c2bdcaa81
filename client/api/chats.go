package api

import "encoding/json"

// Chat is the caller's side of the messages between them and Account, outside
// of statuses.
type Chat struct {
	ID          string       `json:"id" schema:"filled"`
	Account     *Account     `json:"account" schema:"notnull"`
	Unread      int          `json:"unread"`
	LastMessage *ChatMessage `json:"last_message"`
	UpdatedAt   Time         `json:"updated_at"`
}

// ChatMessage is a message of a chat. AccountID is its author; Content is HTML,
// null for a file alone. IdempotencyKey is the one of the author's client, for
// two minutes.
type ChatMessage struct {
	ID             string      `json:"id" schema:"filled"`
	ChatID         string      `json:"chat_id" schema:"filled"`
	AccountID      string      `json:"account_id" schema:"filled"`
	Content        *string     `json:"content"`
	CreatedAt      Time        `json:"created_at"`
	Emojis         List[Emoji] `json:"emojis"`
	Attachment     *Attachment `json:"attachment"`
	Card           *Card       `json:"card"`
	Unread         bool        `json:"unread"`
	IdempotencyKey string      `json:"idempotency_key,omitempty" schema:"filled"`

	Raw json.RawMessage `json:"-"`
}

// UnmarshalJSON decodes a message and keeps its bytes in Raw.
func (m *ChatMessage) UnmarshalJSON(data []byte) error {
	type plain ChatMessage
	if err := json.Unmarshal(data, (*plain)(m)); err != nil {
		return err
	}
	m.Raw = keep(data)
	return nil
}

// NewChatMessage is the form of POST /api/v1/svc/chats/:id/messages: a text, an
// upload, or both.
type NewChatMessage struct {
	Content string `json:"content,omitempty" form:"content"`
	MediaID string `json:"media_id,omitempty" form:"media_id"`
}

// ReadChat is the form of POST /api/v1/svc/chats/:id/read.
type ReadChat struct {
	LastReadID string `json:"last_read_id" form:"last_read_id" binding:"required"`
}

// ChatQuery selects chats: those after the chat MaxID. A Limit of 0 is 200.
type ChatQuery struct {
	MaxID     string `json:"max_id,omitempty" form:"max_id"`
	Limit     int    `json:"limit,omitempty" form:"limit"`
	WithMuted bool   `json:"with_muted,omitempty" form:"with_muted"`
}

// RoomMessage is a message of the chat room of an instance. ID is its place in time,
// Text plain text, and Author an Account.
type RoomMessage struct {
	ID     int64           `json:"id"`
	Text   string          `json:"text"`
	Author json.RawMessage `json:"author"`
}
