package api

import "encoding/json"

// Conversation is the caller's part in a thread of direct statuses. Its id is
// an integer printed as a string. Accounts are the others in it, or the caller
// when they are alone; LastStatus is the newest direct status that they can see.
type Conversation struct {
	ID         string          `json:"id" schema:"filled"`
	Unread     bool            `json:"unread"`
	Accounts   List[Account]   `json:"accounts"`
	LastStatus *Status         `json:"last_status"`
	Svc        ConversationSvc `json:"svc"`

	Raw json.RawMessage `json:"-"`
}

// ConversationSvc is the service's part of a conversation. A reply is addressed
// to the Recipients, the caller among them.
type ConversationSvc struct {
	Recipients List[Account] `json:"recipients"`
}

// UnmarshalJSON decodes a conversation and keeps its bytes in Raw.
func (c *Conversation) UnmarshalJSON(data []byte) error {
	type plain Conversation
	if err := json.Unmarshal(data, (*plain)(c)); err != nil {
		return err
	}
	for _, list := range []List[Account]{c.Accounts, c.Svc.Recipients} {
		for i := range list {
			list[i].Raw = nil
		}
	}
	if c.LastStatus != nil {
		c.LastStatus.Raw = nil
	}
	c.Raw = keep(data)
	return nil
}

// ConversationQuery selects a page of the caller's conversations. The bounds
// are ids of conversations. Recipients selects those with exactly these
// accounts and the caller as recipients.
type ConversationQuery struct {
	PageQuery
	Recipients []string `json:"recipients,omitempty" form:"recipients[]"`
}

// ConversationUpdate is the form of PATCH /api/v1/svc/conversations/:id: all
// recipients by account id; the caller is always one.
type ConversationUpdate struct {
	Recipients []string `json:"recipients" form:"recipients[]" binding:"required"`
}
