package clientapi

import (
	"errors"
	"strconv"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
	"svc/server/platform/fault"
	"svc/server/rules/chats"
)

// Page sizes of chats and of their messages.
const (
	chatPage       = 200
	messagePage    = 20
	messagePageMax = 40
)

// Open is POST /api/v1/svc/chats/by-account-id/:id.
func (a *Chats) Open(c *gin.Context) error {
	chat, err := a.Chats.Open(c.Request.Context(), web.Caller(c).Account, c.Param("id"))
	if err != nil {
		return err
	}
	return a.chat(c, chat)
}

// List is GET /api/v1/svc/chats: without parameters the 200 with the newest
// messages.
func (a *Chats) List(c *gin.Context) error {
	var q api.ChatQuery
	if err := web.BindQuery(c, &q); err != nil {
		return err
	}
	ctx, me := c.Request.Context(), web.Caller(c)
	f := db.ChatFilter{WithMuted: q.WithMuted, Limit: web.Page(c, chatPage, chatPage).Limit}
	if q.MaxID != "" {
		below, err := a.DB.Chat(ctx, me.Account.ID, q.MaxID)
		if errors.Is(err, db.ErrNotFound) {
			return web.OK(c, api.List[api.Chat]{})
		}
		if err != nil {
			return err
		}
		f.Below = below
	}
	rows, err := a.DB.Chats(ctx, a.View.Viewer(me), f)
	if err != nil {
		return err
	}
	out, err := a.View.Chats(ctx, me.Account.ID, rows)
	if err != nil {
		return err
	}
	if len(rows) == f.Limit {
		web.Links(c, a.Site.Base, rows[0].ID, rows[len(rows)-1].ID)
	}
	return web.OK(c, out)
}

// Get is GET /api/v1/svc/chats/:id.
func (a *Chats) Get(c *gin.Context) error {
	chat, err := a.DB.Chat(c.Request.Context(), web.Caller(c).Account.ID, c.Param("id"))
	if err != nil {
		return err
	}
	return a.chat(c, chat)
}

func (a *Chats) chat(c *gin.Context, chat *db.Chat) error {
	out, err := a.View.Chats(c.Request.Context(), web.Caller(c).Account.ID, []db.ChatRow{{Chat: *chat}})
	if err != nil {
		return err
	}
	if len(out) == 0 {
		return db.ErrNotFound
	}
	return web.OK(c, out[0])
}

// Messages is GET /api/v1/svc/chats/:id/messages.
func (a *Chats) Messages(c *gin.Context) error {
	ctx, me := c.Request.Context(), web.Caller(c).Account
	chat, err := a.DB.Chat(ctx, me.ID, c.Param("id"))
	if err != nil {
		return err
	}
	rows, err := a.DB.ChatEntries(ctx, chat.ID, web.Page(c, messagePage, messagePageMax))
	if err != nil {
		return err
	}
	out, err := a.View.ChatMessages(ctx, me.ID, rows)
	if err != nil {
		return err
	}
	if len(rows) > 0 {
		web.Links(c, a.Site.Base, rows[0].ID, rows[len(rows)-1].ID)
	}
	return web.OK(c, out)
}

// Send is POST /api/v1/svc/chats/:id/messages.
func (a *Chats) Send(c *gin.Context) error {
	var in api.NewChatMessage
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	message := chats.NewMessage{Text: in.Content, IdempotencyKey: web.IdempotencyKey(c), ClientKey: c.GetHeader("Idempotency-Key")}
	if in.MediaID != "" {
		id, err := strconv.ParseInt(in.MediaID, 10, 64)
		if err != nil || id <= 0 {
			return fault.Invalid("Could not find the media to attach")
		}
		message.MediaID = id
	}
	entry, err := a.Chats.Send(c.Request.Context(), web.Caller(c).Account, c.Param("id"), message)
	if err != nil {
		return err
	}
	return a.chatMessage(c, entry)
}

// DeleteMessage is DELETE /api/v1/svc/chats/:id/messages/:message_id. It
// answers with the message as it was.
func (a *Chats) DeleteMessage(c *gin.Context) error {
	me := web.Caller(c).Account
	m, err := a.Chats.Delete(c.Request.Context(), me, c.Param("id"), c.Param("message_id"))
	if err != nil {
		return err
	}
	return web.OK(c, a.View.RemovedMessage(&m.ChatEntry, m.Files, m.AccountID == me.ID))
}

// Read is POST /api/v1/svc/chats/:id/read.
func (a *Chats) Read(c *gin.Context) error {
	var in api.ReadChat
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	chat, err := a.Chats.Read(c.Request.Context(), web.Caller(c).Account, c.Param("id"), in.LastReadID)
	if err != nil {
		return err
	}
	return a.chat(c, chat)
}

// ReadMessage is POST /api/v1/svc/chats/:id/messages/:message_id/read.
func (a *Chats) ReadMessage(c *gin.Context) error {
	entry, err := a.Chats.ReadMessage(c.Request.Context(), web.Caller(c).Account, c.Param("id"), c.Param("message_id"))
	if err != nil {
		return err
	}
	return a.chatMessage(c, entry)
}

func (a *Chats) chatMessage(c *gin.Context, entry *db.ChatEntry) error {
	out, err := a.View.ChatMessages(c.Request.Context(), web.Caller(c).Account.ID, []db.ChatEntry{*entry})
	if err != nil {
		return err
	}
	return web.OK(c, out[0])
}
