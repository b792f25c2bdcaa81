package clientapi

import (
	"errors"
	"slices"
	"strconv"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
	"svc/server/platform/fault"
)

// maxJustRead is the number of conversations that an answer lists as just
// marked read.
const maxJustRead = 40

// List is GET /api/v1/conversations.
func (a *Conversations) List(c *gin.Context) error {
	var q struct {
		Recipients []string `json:"recipients"`
	}
	if err := web.BindQuery(c, &q); err != nil {
		return err
	}
	page, err := numberPage(c)
	if err != nil {
		return err
	}
	rows, err := a.DB.Participations(c.Request.Context(), a.View.Viewer(web.Caller(c)), db.ParticipationFilter{Recipients: q.Recipients}, page)
	if err != nil {
		return err
	}
	if len(rows) > 0 {
		web.Links(c, a.Site.Base, strconv.FormatInt(rows[0].ID, 10), strconv.FormatInt(rows[len(rows)-1].ID, 10))
	}
	return a.conversations(c, rows)
}

func (a *Conversations) conversations(c *gin.Context, rows []db.Participation) error {
	raw, err := a.View.Conversations(c.Request.Context(), web.Caller(c), rows)
	if err != nil {
		return err
	}
	return web.OK(c, raw)
}

// conversation finds the caller's conversation in the path; any other is
// refused.
func (a *Conversations) conversation(c *gin.Context) (*db.Participation, error) {
	id, err := number(c, "conversation")
	if err == nil {
		var row *db.Participation
		if row, err = a.DB.Participation(c.Request.Context(), a.View.Viewer(web.Caller(c)), id); err == nil {
			return row, nil
		}
	}
	return nil, unknownConversation(err)
}

func unknownConversation(err error) error {
	if errors.Is(err, db.ErrNotFound) {
		return fault.NotFound("Unknown conversation id")
	}
	return err
}

// showConversation answers with the caller's conversation in the path.
func (a *Conversations) showConversation(c *gin.Context) error {
	row, err := a.conversation(c)
	if err != nil {
		return err
	}
	raw, err := a.View.Conversation(c.Request.Context(), web.Caller(c), row)
	if err != nil {
		return err
	}
	return web.OK(c, raw)
}

// Get is GET /api/v1/svc/conversations/:id.
func (a *Conversations) Get(c *gin.Context) error { return a.showConversation(c) }

// Statuses is GET /api/v1/svc/conversations/:id/statuses: the page
// of the newest, the oldest of them first.
func (a *Conversations) Statuses(c *gin.Context) error {
	row, err := a.conversation(c)
	if err != nil {
		return err
	}
	ctx := c.Request.Context()
	refs, err := a.DB.ConversationStatuses(ctx, a.View.Viewer(web.Caller(c)), row.ConversationID, web.Page(c, statusPage, statusPageMax))
	if err != nil {
		return err
	}
	if len(refs) > 0 {
		web.Links(c, a.Site.Base, refs[0].ID, refs[len(refs)-1].ID)
	}
	slices.Reverse(refs)
	raw, err := a.View.Statuses(ctx, refs)
	if err != nil {
		return err
	}
	defer a.View.Release(raw)
	return web.OK(c, raw)
}

// Update is PATCH /api/v1/svc/conversations/:id, with its
// parameters in the body or in the query.
func (a *Conversations) Update(c *gin.Context) error {
	var in api.ConversationUpdate
	if err := web.BindAny(c, &in); err != nil {
		return err
	}
	row, err := a.conversation(c)
	if err != nil {
		return err
	}
	if err := a.Social.SetRecipients(c.Request.Context(), web.Caller(c).Account, row.ID, in.Recipients); err != nil {
		return err
	}
	return a.showConversation(c)
}

// Read is POST /api/v1/conversations/:id/read.
func (a *Conversations) Read(c *gin.Context) error {
	id, err := number(c, "conversation")
	if err == nil {
		err = a.DB.ReadParticipation(c.Request.Context(), web.Caller(c).Account.ID, id)
	}
	if err != nil {
		return unknownConversation(err)
	}
	return a.showConversation(c)
}

// ReadMany is POST /api/v1/svc/conversations/read: all of them; the
// newest of those that were unread are returned.
func (a *Conversations) ReadMany(c *gin.Context) error {
	caller := web.Caller(c)
	rows, err := a.Social.ReadConversations(c.Request.Context(), caller.Account, a.View.Viewer(caller), maxJustRead)
	if err != nil {
		return err
	}
	return a.conversations(c, rows)
}

// Delete is DELETE /api/v1/conversations/:id.
func (a *Conversations) Delete(c *gin.Context) error {
	id, err := number(c, "conversation")
	if err == nil {
		err = a.Social.LeaveConversation(c.Request.Context(), web.Caller(c).Account, id)
	}
	if err != nil {
		return unknownConversation(err)
	}
	return web.OK(c, api.Empty{})
}
