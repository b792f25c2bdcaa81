package clientapi

import (
	"maps"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
)

// maxMarked is the longest id that a marker takes, in bytes.
const maxMarked = 64

// Markers is GET /api/v1/markers.
func (a *Notifications) Markers(c *gin.Context) error {
	var q api.MarkerQuery
	if err := web.BindQuery(c, &q); err != nil {
		return err
	}
	q.Timeline = slices.DeleteFunc(q.Timeline, func(t string) bool { return t != db.MarkHome && t != db.MarkNotifications })
	return a.markers(c, q.Timeline)
}

func (a *Notifications) markers(c *gin.Context, timelines []string) error {
	rows, err := a.DB.Markers(c.Request.Context(), web.Caller(c).Account.ID, timelines)
	if err != nil {
		return err
	}
	out := api.Markers{}
	for _, m := range rows {
		out[m.Timeline] = api.Marker{
			LastReadID: m.LastReadID, Version: m.Version, UpdatedAt: api.Time{Time: m.UpdatedAt.Time}, Svc: api.MarkerSvc{UnreadCount: int(m.Unseen)},
		}
	}
	return web.OK(c, out)
}

// SetMarkers is POST /api/v1/markers.
func (a *Notifications) SetMarkers(c *gin.Context) error {
	var in api.SetMarkers
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	ctx, me := c.Request.Context(), web.Caller(c).Account.ID
	set := map[string]string{}
	for timeline, to := range map[string]*api.SetMarker{db.MarkHome: in.Home, db.MarkNotifications: in.Notifications} {
		if to == nil || to.LastReadID == "" {
			continue
		}
		if !canBeID(string(to.LastReadID)) {
			return web.BadParam("last_read_id", "last_read_id - Invalid format.")
		}
		set[timeline] = string(to.LastReadID)
	}
	if err := a.DB.SetMarkers(ctx, me, set); err != nil {
		return err
	}
	return a.markers(c, slices.Sorted(maps.Keys(set)))
}

func canBeID(id string) bool {
	return len(id) <= maxMarked && strings.IndexFunc(id, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) < 0
}
