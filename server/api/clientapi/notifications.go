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

// The types of notifications: the ones listed by default, and the ones that
// clients must ask for.
var (
	usualNotifications = []string{
		db.NotifyMention, db.NotifyFollow, db.NotifyFollowRequest, db.NotifyReblog, db.NotifyFavourite, db.NotifyUpdate, db.NotifyMove,
		db.NotifyReaction, db.NotifyStatus, db.NotifyPoll,
	}
	otherNotifications = []string{db.NotifyChat, db.NotifyReport, db.NotifyAdminReport, db.NotifySignUp}
)

// Page sizes of notifications.
const (
	notificationPage    = 15
	notificationPageMax = 30
)

// maxRead is the number of notifications that an answer lists as just marked
// read.
const maxRead = 80

// List is GET /api/v1/notifications.
func (a *Notifications) List(c *gin.Context) error {
	var q api.NotificationQuery
	if err := web.BindQuery(c, &q); err != nil {
		return err
	}
	page := web.Page(c, notificationPage, notificationPageMax)
	for name, id := range map[string]string{"max_id": page.MaxID, "since_id": page.SinceID, "min_id": page.MinID} {
		if _, err := strconv.ParseInt(id, 10, 64); id != "" && err != nil {
			return web.BadParam(name, name+" - Invalid integer. Got: string.")
		}
	}
	f := db.NotificationFilter{FromID: q.AccountID, ExcludeVisibilities: q.ExcludeVisibilities, WithMuted: q.WithMuted}
	reports := false
	f.Types, reports = stored(types(append(q.IncludeTypes, q.Types...), q.ExcludeTypes))
	if err := a.known(c, f.FromID); err != nil {
		return err
	}
	if f.Types != nil && len(f.Types) == 0 {
		return web.OK(c, api.List[api.Notification]{})
	}
	rows, err := a.DB.Notifications(c.Request.Context(), a.View.Viewer(web.Caller(c)), f, page)
	if err != nil {
		return err
	}
	if len(rows) > 0 {
		web.Links(c, a.Site.Base, strconv.FormatInt(rows[0].ID, 10), strconv.FormatInt(rows[len(rows)-1].ID, 10))
	}
	if reports {
		for i := range rows {
			if rows[i].Type == db.NotifyReport {
				rows[i].Type = db.NotifyAdminReport
			}
		}
	}
	return a.notifications(c, rows)
}

// stored are the types as rows have them; reports says that those of reports are wanted
// in the shape of today's apps alone.
func stored(types []string) (rows []string, reports bool) {
	at := slices.Index(types, db.NotifyAdminReport)
	if at < 0 {
		return types, false
	}
	rows = slices.Delete(slices.Clone(types), at, at+1)
	if slices.Contains(rows, db.NotifyReport) {
		return rows, false
	}
	return append(rows, db.NotifyReport), true
}

// known refuses the id of a sender that names no account; "" is none.
func (a *Notifications) known(c *gin.Context, id string) error {
	if id == "" {
		return nil
	}
	_, err := a.DB.Account(c.Request.Context(), id)
	if errors.Is(err, db.ErrNotFound) {
		return fault.NotFound("Account is not found")
	}
	return err
}

// How many unread notifications are counted.
const (
	unreadCounted    = 100
	unreadCountedMax = 1000
)

// Unread is GET /api/v1/notifications/unread_count.
func (a *Notifications) Unread(c *gin.Context) error {
	var q api.UnreadQuery
	if err := web.BindQuery(c, &q); err != nil {
		return err
	}
	if err := a.known(c, q.AccountID); err != nil {
		return err
	}
	f := db.NotificationFilter{FromID: q.AccountID}
	f.Types, _ = stored(types(append(q.IncludeTypes, q.Types...), q.ExcludeTypes))
	limit := web.Page(c, unreadCounted, unreadCountedMax).Limit
	count, err := a.DB.CountUnread(c.Request.Context(), a.View.Viewer(web.Caller(c)), f, limit)
	if err != nil {
		return err
	}
	return web.OK(c, api.UnreadCount{Count: count})
}

// types returns the requested types of notifications, nil for the default ones.
// Unknown names are ignored: nothing else asked for finds nothing.
func types(wanted, unwanted []string) []string {
	known := slices.Concat(usualNotifications, otherNotifications)
	out := slices.DeleteFunc(slices.Clone(known), func(t string) bool { return !slices.Contains(wanted, t) })
	if !slices.ContainsFunc(wanted, func(t string) bool { return t != "" }) {
		out = slices.Clone(usualNotifications)
	}
	out = slices.DeleteFunc(out, func(t string) bool { return slices.Contains(unwanted, t) })
	if slices.Equal(out, usualNotifications) {
		return nil
	}
	return out
}

func (a *Notifications) notifications(c *gin.Context, rows []db.Notification) error {
	raw, err := a.View.Notifications(c.Request.Context(), web.Caller(c), rows)
	if err != nil {
		return err
	}
	defer a.View.Release(raw)
	return web.OK(c, raw)
}

// notification answers with one notification of the caller's.
func (a *Notifications) notification(c *gin.Context, id string, refusal error) error {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return refusal
	}
	row, err := a.DB.Notification(c.Request.Context(), a.View.Viewer(web.Caller(c)), n)
	if err != nil {
		if errors.Is(err, db.ErrNotFound) {
			return refusal
		}
		return err
	}
	raw, err := a.View.Notifications(c.Request.Context(), web.Caller(c), []db.Notification{*row})
	if err != nil {
		return err
	}
	if raw = only(raw); len(raw) == 0 {
		return refusal
	}
	return web.OK(c, raw)
}

var noNotification = fault.NotFound("Record not found")

// Get is GET /api/v1/notifications/:id.
func (a *Notifications) Get(c *gin.Context) error {
	if _, err := strconv.ParseInt(c.Param("id"), 10, 64); err != nil {
		return noNotification // such as the name of an endpoint that this server does not have
	}
	return a.notification(c, c.Param("id"), fault.Forbidden("Cannot get notification"))
}

// Clear is POST /api/v1/notifications/clear.
func (a *Notifications) Clear(c *gin.Context) error {
	if err := a.Social.ClearNotifications(c.Request.Context(), web.Caller(c).Account); err != nil {
		return err
	}
	return web.OK(c, api.Empty{})
}

// Dismiss is POST /api/v1/notifications/:id/dismiss, and
// /api/v1/notifications/dismiss with the id in the body.
func (a *Notifications) Dismiss(c *gin.Context) error {
	id := c.Param("id")
	if id == "" {
		var in api.DismissNotification
		if err := web.Bind(c, &in); err != nil {
			return err
		}
		id = in.ID
	}
	n, err := strconv.ParseInt(id, 10, 64)
	switch {
	case err != nil && c.Param("id") != "":
		return noNotification
	case err != nil:
		return fault.Forbidden("Cannot dismiss notification")
	}
	removed, err := a.DB.DeleteNotifications(c.Request.Context(), web.Caller(c).Account.ID, n)
	if err != nil {
		return err
	}
	if removed == 0 {
		return fault.Forbidden("Cannot dismiss notification")
	}
	return web.OK(c, api.Empty{})
}

// Destroy is DELETE /api/v1/notifications/destroy_multiple. An id names a
// notification, or the status of notifications. Ids that name none of the
// caller's are ignored.
func (a *Notifications) Destroy(c *gin.Context) error {
	var in api.DestroyNotifications
	if err := web.BindAny(c, &in); err != nil {
		return err
	}
	var ids []int64
	var statuses []string
	for _, text := range in.IDs {
		if id, err := strconv.ParseInt(text, 10, 64); err == nil {
			ids = append(ids, id)
		} else {
			statuses = append(statuses, text)
		}
	}
	if err := a.Social.DismissNotifications(c.Request.Context(), web.Caller(c).Account, ids, statuses); err != nil {
		return err
	}
	return web.OK(c, api.Empty{})
}

// Read is POST /api/v1/svc/notifications/read: one by id, or all up to max_id.
// It returns the newest of those that were unseen.
func (a *Notifications) Read(c *gin.Context) error {
	var in api.ReadNotifications
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	ctx, me := c.Request.Context(), web.Caller(c).Account.ID
	refusal := fault.Malformed("Cannot get notification")
	switch {
	case in.ID != nil:
		if err := a.DB.SeeNotification(ctx, me, int64(*in.ID)); err != nil {
			if errors.Is(err, db.ErrNotFound) {
				return refusal
			}
			return err
		}
		return a.notification(c, strconv.FormatInt(int64(*in.ID), 10), refusal)
	case in.MaxID != nil:
		ids, err := a.Social.SeeNotifications(ctx, web.Caller(c).Account, int64(*in.MaxID), maxRead)
		if err != nil {
			return err
		}
		if len(ids) == 0 {
			return web.OK(c, api.List[api.Notification]{})
		}
		rows, err := a.DB.Notifications(ctx, a.View.Viewer(web.Caller(c)), db.NotificationFilter{IDs: ids}, db.Page{Limit: maxRead})
		if err != nil {
			return err
		}
		return a.notifications(c, rows)
	}
	return refusal
}

// SetSettings is PUT /api/svc/notification_settings.
func (a *Notifications) SetSettings(c *gin.Context) error {
	var in api.SetNotificationSettings
	if err := web.BindAny(c, &in); err != nil {
		return err
	}
	ctx, me := c.Request.Context(), web.Caller(c).Account.ID
	if err := a.DB.SetNotificationSettings(ctx, me, flag(in.BlockFromStrangers), flag(in.HideNotificationContents)); err != nil {
		return err
	}
	return web.OK(c, api.Done{Status: "success"})
}
