package api

import "encoding/json"

// AdminChat is one side of the messages between two accounts, outside of
// statuses: that of Sender. Unread counts the messages that they have not read.
// Of an account that is gone only {} is sent.
type AdminChat struct {
	ID          string       `json:"id"`
	Sender      Account      `json:"sender" schema:"or-empty"`
	Receiver    Account      `json:"receiver" schema:"or-empty"`
	Unread      int          `json:"unread"`
	LastMessage *ChatMessage `json:"last_message"`
	UpdatedAt   Time         `json:"updated_at"`

	Raw json.RawMessage `json:"-"`
}

// UnmarshalJSON decodes a chat and keeps its bytes in Raw.
func (c *AdminChat) UnmarshalJSON(data []byte) error {
	type plain AdminChat
	if err := json.Unmarshal(data, (*plain)(c)); err != nil {
		return err
	}
	c.Raw = keep(data)
	return nil
}
