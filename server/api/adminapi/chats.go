package adminapi

import (
	"errors"
	"net/http"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/view"
	"svc/server/api/web"
	"svc/server/rules/moderation"
)

// Page sizes of a chat's messages.
const (
	messagePage    = 20
	messagePageMax = 40
)

// Chats answers requests about chats and their messages.
type Chats struct {
	DB         *db.DB
	View       *view.View
	Moderation *moderation.Service
	people     people
}

// Chats are the handlers of chats and their messages.
func (p *Parts) Chats() Chats { return Chats{p.DB, p.View, p.Moderation, p.people()} }

// OfUser is GET /users/:nickname_or_id/chats: all of them.
func (a Chats) OfUser(c *gin.Context) error {
	account, err := a.people.account(c)
	if err != nil {
		return err
	}
	ctx := c.Request.Context()
	rows, err := a.DB.AllChats(ctx, account.ID)
	if err != nil {
		return err
	}
	raw, err := a.View.AdminChats(ctx, account.ID, rows)
	if err != nil {
		return err
	}
	return web.OK(c, raw)
}

// Show is GET /chats/:id.
func (a Chats) Show(c *gin.Context) error {
	id, err := web.Path(c, "id")
	if err != nil {
		return err
	}
	ctx := c.Request.Context()
	chat, err := a.DB.ChatByID(ctx, id)
	if err != nil {
		return err
	}
	raw, err := a.View.AdminChat(ctx, chat)
	if err != nil {
		return err
	}
	return web.OK(c, raw)
}

// Messages is GET /chats/:id/messages. Reading marks nothing as read.
func (a Chats) Messages(c *gin.Context) error {
	var in struct {
		MaxID   string `json:"max_id"`
		MinID   string `json:"min_id"`
		SinceID string `json:"since_id"`
		Limit   *int64 `json:"limit"`
	}
	if err := web.BindQuery(c, &in); err != nil {
		return err
	}
	page := db.Page{MaxID: in.MaxID, MinID: in.MinID, SinceID: in.SinceID, Limit: messagePage}
	if in.Limit != nil {
		page.Limit = int(min(max(*in.Limit, 1), messagePageMax))
	}
	ctx := c.Request.Context()
	id, err := web.Path(c, "id")
	if err == nil {
		_, err = a.DB.ChatByID(ctx, id)
	}
	if errors.Is(err, db.ErrNotFound) {
		return &web.Answer{Status: http.StatusNotFound, Body: api.Error{Error: "not found"}}
	}
	if err != nil {
		return err
	}
	rows, err := a.DB.ChatEntries(ctx, id, page)
	if err != nil {
		return err
	}
	out, err := a.View.AnyChatMessages(ctx, rows)
	if err != nil {
		return err
	}
	return web.OK(c, out)
}

// DeleteMessage is DELETE /chats/:id/messages/:message_id. It answers with
// the message as it was.
func (a Chats) DeleteMessage(c *gin.Context) error {
	if err := web.Scope(c); err != nil {
		return err
	}
	m, err := a.Moderation.DeleteChatMessage(c.Request.Context(), web.Caller(c).Account, c.Param("id"), c.Param("message_id"))
	if err != nil {
		return err
	}
	return web.OK(c, a.View.RemovedMessage(&m.ChatEntry, m.Files, true))
}
