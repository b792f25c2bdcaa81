package tables

import (
	"context"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/client/safe"
	"svc/tui/shown"
)

// chats shows the chats of a local user, the one with the newest message first.
// Enter shows the messages of a chat.
var chats = &Noun{
	Name: "chats", Help: "chats of a local user: chats NICK", Of: "a local user",
	Columns: []Column{{Head: "UPDATED", Width: 17}, {Head: "UNREAD", Width: 6}, {Head: "WITH", Width: 28}, {Head: "LAST MESSAGE"}},
	Empty:   "they have no chats",
	Into:    "messages",
	Rows: func(c *client.Client, q Query) Reader {
		return paged(client.Whole(func(ctx context.Context) ([]api.AdminChat, error) { return c.Admin.Chats.OfUser(ctx, q.Scope) }), chatRow)
	},
}

func chatRow(c api.AdminChat) Row {
	last := safe.Safe{}
	if c.LastMessage != nil {
		last = messageText(*c.LastMessage)
	}
	with := shown.Acct(c.Receiver.Acct)
	if c.Receiver.Acct == "" {
		with = safe.Own("(gone)")
	}
	return Row{
		ID: c.ID, Target: "chat/" + c.ID, Copy: c.ID,
		Cells: []safe.Safe{at(&c.UpdatedAt), number(c.Unread), with, last.OneLine()},
		More:  details(Detail{"chat", raw(c.ID)}, Detail{"of", shown.Acct(c.Sender.Acct)}, Detail{"with", with}, Detail{"last message", last}),
	}
}

// messages shows the messages of a chat, the newest first. D deletes one on both
// sides.
var messages = &Noun{
	Name: "messages", Help: "messages of a chat: messages ID", Of: "a chat",
	Columns: []Column{{Head: "TIME", Width: 17}, {Head: "ACCOUNT", Width: 20}, {Head: "FILE", Width: 12, Wide: true}, {Head: "TEXT"}},
	Empty:   "no messages",
	Rows: func(c *client.Client, q Query) Reader {
		return paged(c.Admin.Chats.Messages(q.Scope, api.PageQuery{Limit: pageSize}), func(m api.ChatMessage) Row { return messageRow(q.Scope, m) })
	},
	Verbs: []Verb{{
		Key: "D", Name: "delete", Help: "delete the message on both sides", Sure: true, Kind: action.ChatMessageDelete,
		Made: func(row Row, _ string, _ safe.Safe) action.Result {
			return action.Result{Action: action.Action{Kind: action.ChatMessageDelete, Target: "chat/" + row.Scope, Args: map[string]string{"message": row.ID}}, Outcome: action.Changed}
		},
		Call: func(ctx context.Context, c *client.Client, row Row, _ string) (safe.Safe, error) {
			_, err := c.Admin.Chats.DeleteMessage(ctx, row.Scope, row.ID)
			return safe.Own("deleted"), err
		},
	}},
}

func messageRow(chat string, m api.ChatMessage) Row {
	file := safe.Safe{}
	if m.Attachment != nil {
		file = raw(m.Attachment.Type)
	}
	text := messageText(m)
	return Row{
		ID: m.ID, Scope: chat, Target: "message/" + m.ID, Copy: m.ID,
		Cells: []safe.Safe{at(&m.CreatedAt), raw(m.AccountID), file, text.OneLine()},
		More:  details(Detail{"", text}, Detail{"message", raw(m.ID)}, Detail{"by account", raw(m.AccountID)}, Detail{"file, not fetched", file}),
	}
}

func messageText(m api.ChatMessage) safe.Safe {
	if m.Content == nil || *m.Content == "" {
		return safe.Own("[a file]")
	}
	return safe.HTML(*m.Content)
}
