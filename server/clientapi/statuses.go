package clientapi

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/fault"
	"svc/server/social"
	"svc/server/web"
)

// leadTime is how far ahead a status must be scheduled to be posted later.
const leadTime = 5 * time.Minute

// CreateStatus is POST /api/v1/statuses.
func (a *API) CreateStatus(c *gin.Context) error {
	var in api.NewStatus
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	if err := a.unavailable(&in); err != nil {
		return err
	}
	media, err := mediaIDs(in.MediaIDs)
	if err != nil {
		return err
	}
	caller := web.Caller(c)
	status, err := a.Social.PostStatus(c.Request.Context(), caller.Account, social.NewStatus{
		Text: in.Status, ContentType: in.ContentType, SpoilerText: in.SpoilerText, Sensitive: bool(in.Sensitive),
		Visibility: in.Visibility, InReplyToID: in.InReplyToID, Language: in.Language, To: in.To, MediaIDs: media,
		ExpiresIn: seconds(in.ExpiresIn), AppName: caller.App.Name, AppWebsite: caller.App.Website,
		IdempotencyKey: web.IdempotencyKey(c),
	})
	if err != nil {
		return err
	}
	return a.status(c, status.ID)
}

// status answers with a status as the caller sees it.
func (a *API) status(c *gin.Context, id string) error {
	raw, err := a.View.Status(c.Request.Context(), web.Caller(c), id)
	if err != nil {
		return err
	}
	return web.OK(c, raw)
}

// unavailable refuses what a status may ask for and this server does not do,
// rather than post something else than was meant.
func (a *API) unavailable(in *api.NewStatus) error {
	switch {
	case in.Poll != nil:
		return fault.Invalid("Polls are not available")
	case bool(in.Preview):
		return fault.Invalid("Previews are not available")
	case in.InReplyToConversationID != "":
		return fmt.Errorf("conversation %s: %w", in.InReplyToConversationID, db.ErrNotFound)
	}
	if in.ScheduledAt == "" {
		return nil
	}
	at, err := api.ParseTime(in.ScheduledAt)
	if err != nil {
		return web.BadParam("scheduled_at", "scheduled_at - Invalid format. Expected :\"date-time\".")
	}
	if at.Sub(a.Now()) > leadTime {
		return fault.Invalid("Scheduled statuses are not available")
	}
	return nil
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

// seconds is a time span within bounds that can be added to a time.
func seconds(n api.Int) time.Duration {
	const century = 100 * 365 * 24 * 3600
	return time.Duration(min(max(n, -1), century)) * time.Second
}

// DeleteStatus is DELETE /api/v1/statuses/:id. The answer is the status as it
// was, with its source.
func (a *API) DeleteStatus(c *gin.Context) error {
	ctx, by, id := c.Request.Context(), web.Caller(c).Account, c.Param("id")
	status, err := a.DB.StatusByID(ctx, id)
	if err != nil {
		return err
	}
	// Others' statuses are a moderator's to delete, and that is logged.
	remove, render := a.Social.DeleteStatus, a.View.AnyStatus
	if status.AccountID != by.ID && (by.IsModerator || by.IsAdmin) {
		remove = a.Moderation.DeleteStatus
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
func (a *API) Reblog(c *gin.Context) error {
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
func (a *API) Unreblog(c *gin.Context) error { return a.react(c, a.Social.Unreblog) }

// Favourite is POST /api/v1/statuses/:id/favourite.
func (a *API) Favourite(c *gin.Context) error { return a.react(c, a.Social.Favourite) }

// Unfavourite is POST /api/v1/statuses/:id/unfavourite.
func (a *API) Unfavourite(c *gin.Context) error { return a.react(c, a.Social.Unfavourite) }

func (a *API) react(c *gin.Context, do reaction) error {
	status, err := do(c.Request.Context(), web.Caller(c).Account, c.Param("id"))
	if err != nil {
		return err
	}
	return a.status(c, status.ID)
}

// reaction does something to the status with an id, and returns it.
type reaction func(ctx context.Context, by *db.Account, id string) (*db.Status, error)
