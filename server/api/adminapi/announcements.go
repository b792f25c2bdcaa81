package adminapi

import (
	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/view"
	"svc/server/api/web"
	"svc/server/rules/moderation"
)

// announcementPage is how many announcements a page has, where none says.
const announcementPage = 50

// Announcements answers requests about what the admins announce.
type Announcements struct {
	DB         *db.DB
	View       *view.View
	Moderation *moderation.Service
}

// Announcements are the handlers of what the admins announce.
func (p *Parts) Announcements() Announcements { return Announcements{p.DB, p.View, p.Moderation} }

// List is GET /announcements.
func (a Announcements) List(c *gin.Context) error {
	var in struct {
		Page     *int64 `json:"page"`
		PageSize *int64 `json:"page_size"`
	}
	if err := web.BindQuery(c, &in); err != nil {
		return err
	}
	rows, err := a.DB.Announcements(c.Request.Context(), numbered(in.Page, in.PageSize, announcementPage))
	if err != nil {
		return err
	}
	out := make(api.List[api.AdminAnnouncement], len(rows))
	for i := range rows {
		out[i] = a.shown(&rows[i])
	}
	return web.OK(c, out)
}

func (a Announcements) shown(row *db.Announcement) api.AdminAnnouncement {
	return api.AdminAnnouncement{Announcement: a.View.Announcement(row), Svc: api.AnnouncementSvc{RawContent: row.Text}}
}

// Get is GET /announcements/:id.
func (a Announcements) Get(c *gin.Context) error {
	if err := web.Scope(c); err != nil {
		return err
	}
	id, err := numberIn(c)
	if err != nil {
		return err
	}
	row, err := a.DB.Announcement(c.Request.Context(), id)
	if err != nil {
		return err
	}
	return web.OK(c, a.shown(row))
}

// form reads a new announcement, or the changes to one.
func (a Announcements) form(c *gin.Context) (moderation.ChangedAnnouncement, error) {
	var in api.AnnouncementForm
	if err := web.Bind(c, &in); err != nil {
		return moderation.ChangedAnnouncement{}, err
	}
	out := moderation.ChangedAnnouncement{Text: in.Content, AllDay: (*bool)(in.AllDay), Published: (*bool)(in.Published), IdempotencyKey: web.IdempotencyKey(c)}
	for _, t := range []struct {
		name string
		in   *string
		out  **db.Time
	}{{"starts_at", in.StartsAt, &out.StartsAt}, {"ends_at", in.EndsAt, &out.EndsAt}} {
		switch {
		case t.in == nil:
		case *t.in == "":
			*t.out = new(db.Time)
		default:
			at, err := api.ParseTime(*t.in)
			if err != nil || at.Year() < 1970 || at.Year() >= 10000 {
				return out, web.BadParam(t.name, t.name+" - Invalid format. Expected :\"date-time\".")
			}
			*t.out = new(db.At(at.Time))
		}
	}
	return out, nil
}

// Create is POST /announcements.
func (a Announcements) Create(c *gin.Context) error {
	in, err := a.form(c)
	if err != nil {
		return err
	}
	if in.Text == nil {
		return web.Missing("content")
	}
	row, err := a.Moderation.CreateAnnouncement(c.Request.Context(), web.Caller(c).Account, in)
	if err != nil {
		return err
	}
	return web.OK(c, a.shown(row))
}

// Update is PATCH /announcements/:id.
func (a Announcements) Update(c *gin.Context) error {
	in, err := a.form(c)
	if err != nil {
		return err
	}
	id, err := numberIn(c)
	if err != nil {
		return err
	}
	row, err := a.Moderation.UpdateAnnouncement(c.Request.Context(), web.Caller(c).Account, id, in)
	if err != nil {
		return err
	}
	return web.OK(c, a.shown(row))
}

// Delete is DELETE /announcements/:id.
func (a Announcements) Delete(c *gin.Context) error {
	if err := web.Scope(c); err != nil {
		return err
	}
	id, err := numberIn(c)
	if err != nil {
		return err
	}
	if err := a.Moderation.DeleteAnnouncement(c.Request.Context(), web.Caller(c).Account, id); err != nil {
		return err
	}
	return web.OK(c, api.Empty{})
}
