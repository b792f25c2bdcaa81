package clientapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
	"svc/server/platform/fault"
	"svc/server/rules/social"
)

// Create is POST /api/v1/statuses: a status; with preview, its rendering alone;
// with scheduled_at far enough ahead, a scheduled status.
func (a *Statuses) Create(c *gin.Context) error {
	var in api.NewStatus
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	status, err := newStatus(c, &in)
	if err != nil {
		return err
	}
	ctx := c.Request.Context()
	var at api.Time
	if in.ScheduledAt != "" {
		if at, err = moment("scheduled_at", in.ScheduledAt); err != nil {
			return err
		}
	}
	err = a.create(c, bool(in.Preview), status, at)
	if others := new(social.UnexpectedError); errors.As(err, &others) {
		accounts, err := a.View.Accounts(ctx, others.Accounts)
		if err != nil {
			return err
		}
		return &web.Answer{Status: http.StatusUnprocessableEntity, Body: gin.H{"error": others.Error(), "unexpected_accounts": accounts}}
	}
	return err
}

// create posts a status, or makes its preview, or leaves it for later.
func (a *Statuses) create(c *gin.Context, preview bool, status social.NewStatus, at api.Time) error {
	ctx, caller := c.Request.Context(), web.Caller(c)
	switch {
	case preview:
		web.Transient(c) // the same key may come again with the status itself
		p, err := a.Social.PreviewStatus(ctx, caller.Account, status)
		if err != nil {
			return err
		}
		out, err := a.View.Preview(ctx, caller, p.Status, p.Files, p.Poll)
		if err != nil {
			return err
		}
		return web.OK(c, out)
	case a.Social.Later(at.Time):
		row, err := a.Social.ScheduleStatus(ctx, caller.Account, status, at.Time)
		if err != nil {
			return err
		}
		return a.scheduledStatus(c, row)
	}
	posted, err := a.Social.PostStatus(ctx, caller.Account, status)
	if err != nil {
		return err
	}
	raw, err := a.View.Posted(ctx, caller, posted)
	if err != nil {
		return err
	}
	return web.OK(c, raw)
}

// newStatus converts the form.
func newStatus(c *gin.Context, in *api.NewStatus) (social.NewStatus, error) {
	caller := web.Caller(c)
	out := social.NewStatus{
		Text: in.Status, ContentType: in.ContentType, SpoilerText: in.SpoilerText, Sensitive: flag(in.Sensitive),
		Visibility: in.Visibility, InReplyToID: in.InReplyToID, Language: in.Language, To: in.To,
		ExpiresIn: lifetime(in.ExpiresIn), AppName: caller.App.Name, AppWebsite: caller.App.Website,
		IdempotencyKey: web.IdempotencyKey(c), Expected: in.AllowedMentions, QuotedID: in.QuotedStatusID,
	}
	if id := int64(in.InReplyToConversationID); id != 0 {
		if id < 0 {
			return out, fmt.Errorf("conversation %d: %w", id, db.ErrNotFound)
		}
		out.ConversationID = id
	}
	out.Poll = pollParams(in.Poll)
	var err error
	out.MediaIDs, err = mediaIDs(in.MediaIDs)
	return out, err
}

// moment reads a time of a form.
func moment(name, value string) (api.Time, error) {
	at, err := api.ParseTime(value)
	if err != nil {
		return at, web.BadParam(name, name+" - Invalid format. Expected :\"date-time\".")
	}
	return at, nil
}

// status answers with a status as the caller sees it.
func (a *shared) status(c *gin.Context, id string) error {
	raw, err := a.View.Status(c.Request.Context(), web.Caller(c), id)
	if err != nil {
		return err
	}
	return web.OK(c, raw)
}

func mediaIDs(texts []string) ([]int64, error) {
	ids := make([]int64, len(texts))
	for i, text := range texts {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, fault.Invalid("Could not find the media to attach")
		}
		ids[i] = id
	}
	return ids, nil
}

// lifetime is the time until a status expires: 0 for no expiry. It is below 0
// for an empty span, which is refused.
func lifetime(n *api.Int) time.Duration {
	switch {
	case n == nil:
		return 0
	case *n == 0:
		return -1
	}
	return seconds(*n)
}

// seconds is a time span within bounds that can be added to a time.
func seconds(n api.Int) time.Duration {
	const century = 100 * 365 * 24 * 3600
	return time.Duration(min(max(n, -1), century)) * time.Second
}

// Delete is DELETE /api/v1/statuses/:id. The answer is the status as it
// was, with its source.
func (a *Statuses) Delete(c *gin.Context) error {
	ctx, by, id := c.Request.Context(), web.Caller(c).Account, c.Param("id")
	status, err := a.DB.StatusByID(ctx, id)
	if err != nil {
		return err
	}
	remove := a.Social.DeleteStatus
	render := func(ctx context.Context, id string) (json.RawMessage, error) {
		return a.View.FullStatus(ctx, a.View.Viewer(web.Caller(c)), id)
	}
	if status.AccountID != by.ID {
		render = a.View.AnyStatus
		if by.Staff() { // and that is logged
			remove = a.Moderation.DeleteStatus
		}
	}
	raw, err := render(ctx, id)
	if err != nil {
		return err
	}
	if err := remove(ctx, by, id); err != nil {
		return err
	}
	var out api.Status
	if err := json.Unmarshal(raw, &out); err != nil {
		return err
	}
	out.Text = &status.Text
	return web.OK(c, out)
}

// Reblog is POST /api/v1/statuses/:id/reblog.
func (a *Statuses) Reblog(c *gin.Context) error {
	var in api.NewReblog
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	status, err := a.Social.Reblog(c.Request.Context(), web.Caller(c).Account, c.Param("id"), in.Visibility)
	if err != nil {
		return err
	}
	return a.status(c, status.ID)
}

// Unreblog is POST /api/v1/statuses/:id/unreblog.
func (a *Statuses) Unreblog(c *gin.Context) error { return a.react(c, a.Social.Unreblog) }

// Favourite is POST /api/v1/statuses/:id/favourite.
func (a *Statuses) Favourite(c *gin.Context) error { return a.react(c, a.Social.Favourite) }

// Unfavourite is POST /api/v1/statuses/:id/unfavourite.
func (a *Statuses) Unfavourite(c *gin.Context) error { return a.react(c, a.Social.Unfavourite) }

func (a *Statuses) react(c *gin.Context, do reaction) error {
	status, err := do(c.Request.Context(), web.Caller(c).Account, c.Param("id"))
	if err != nil {
		return err
	}
	return a.status(c, status.ID)
}

// reaction is an operation on the status with an id, which it returns.
type reaction func(ctx context.Context, by *db.Account, id string) (*db.Status, error)
