package clientapi

import (
	"fmt"
	"strconv"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
)

// List is GET /api/v1/scheduled_statuses.
func (a *ScheduledStatuses) List(c *gin.Context) error {
	page, err := numberPage(c)
	if err != nil {
		return err
	}
	ctx := c.Request.Context()
	rows, err := a.DB.ScheduledStatuses(ctx, web.Caller(c).Account.ID, page)
	if err != nil {
		return err
	}
	out, err := a.View.ScheduledStatuses(ctx, rows)
	if err != nil {
		return err
	}
	if len(rows) > 0 {
		web.Links(c, a.Site.Base, strconv.FormatInt(rows[0].ID, 10), strconv.FormatInt(rows[len(rows)-1].ID, 10))
	}
	return web.OK(c, out)
}

// numberPage reads the page of a list with integer ids.
func numberPage(c *gin.Context) (db.Page, error) {
	page := web.Page(c, statusPage, statusPageMax)
	for _, bound := range []struct{ name, id string }{{"max_id", page.MaxID}, {"since_id", page.SinceID}, {"min_id", page.MinID}} {
		if _, err := strconv.ParseInt(bound.id, 10, 64); bound.id != "" && err != nil {
			return page, web.BadParam(bound.name, bound.name+" - Invalid integer. Got: string.")
		}
	}
	return page, nil
}

// number is the integer in the path; any other text names nothing.
func number(c *gin.Context, what string) (int64, error) {
	id, err := strconv.ParseInt(c.Param("id"), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s %s: %w", what, c.Param("id"), db.ErrNotFound)
	}
	return id, nil
}

func (a *shared) scheduledStatus(c *gin.Context, row *db.ScheduledStatus) error {
	out, err := a.View.ScheduledStatus(c.Request.Context(), row)
	if err != nil {
		return err
	}
	return web.OK(c, out)
}

// Get is GET /api/v1/scheduled_statuses/:id.
func (a *ScheduledStatuses) Get(c *gin.Context) error {
	id, err := number(c, "scheduled status")
	if err != nil {
		return err
	}
	row, err := a.DB.ScheduledStatus(c.Request.Context(), web.Caller(c).Account.ID, id)
	if err != nil {
		return err
	}
	return a.scheduledStatus(c, row)
}

// Reschedule is PUT /api/v1/scheduled_statuses/:id. Without a time it
// changes nothing.
func (a *ScheduledStatuses) Reschedule(c *gin.Context) error {
	id, err := number(c, "scheduled status")
	if err != nil {
		return err
	}
	var in api.Reschedule
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	if in.ScheduledAt == "" {
		return a.Get(c)
	}
	at, err := moment("scheduled_at", in.ScheduledAt)
	if err != nil {
		return err
	}
	row, err := a.Social.Reschedule(c.Request.Context(), web.Caller(c).Account, id, at.Time)
	if err != nil {
		return err
	}
	return a.scheduledStatus(c, row)
}

// Delete is DELETE /api/v1/scheduled_statuses/:id. The answer is
// the scheduled status as it was.
func (a *ScheduledStatuses) Delete(c *gin.Context) error {
	id, err := number(c, "scheduled status")
	if err != nil {
		return err
	}
	ctx, by := c.Request.Context(), web.Caller(c).Account
	row, err := a.DB.ScheduledStatus(ctx, by.ID, id)
	if err != nil {
		return err
	}
	out, err := a.View.ScheduledStatus(ctx, row)
	if err != nil {
		return err
	}
	if err := a.Social.CancelScheduled(ctx, by, id); err != nil {
		return err
	}
	return web.OK(c, out)
}
