package clientapi

import (
	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
	"svc/server/rules/social"
)

// Update is PUT /api/v1/statuses/:id. Names in forms of new statuses that no edit
// changes, such as the visibility, are ignored.
func (a *Statuses) Update(c *gin.Context) error {
	var in api.StatusForm
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	edit := social.StatusEdit{
		Text: in.Status, SpoilerText: in.SpoilerText, Sensitive: bool(in.Sensitive), Language: in.Language, ContentType: in.ContentType,
		Poll: pollParams(in.Poll), Files: map[int64]social.FileChange{},
	}
	var err error
	if edit.MediaIDs, err = mediaIDs(in.MediaIDs); err != nil {
		return err
	}
	for _, m := range in.MediaAttributes {
		id, err := mediaIDs([]string{m.ID})
		if err != nil {
			return err
		}
		edit.Files[id[0]] = social.FileChange{Description: m.Description, Focus: m.Focus}
	}
	if err := a.Social.EditStatus(c.Request.Context(), web.Caller(c).Account, c.Param("id"), edit); err != nil {
		return err
	}
	raw, err := a.View.FullStatus(c.Request.Context(), a.View.Viewer(web.Caller(c)), c.Param("id"))
	if err != nil {
		return err
	}
	return web.OK(c, raw)
}

// pollParams converts the poll of a form.
func pollParams(p *api.NewPoll) *db.PollParams {
	if p == nil {
		return nil
	}
	out := &db.PollParams{Options: p.Options, Multiple: bool(p.Multiple), HideTotals: bool(p.HideTotals)}
	if p.ExpiresIn != nil {
		after := int64(*p.ExpiresIn)
		out.ExpiresIn = &after
	}
	return out
}

// Source is GET /api/v1/statuses/:id/source.
func (a *Statuses) Source(c *gin.Context) error {
	row, err := a.Social.Source(c.Request.Context(), web.Caller(c).Account, c.Param("id"))
	if err != nil {
		return err
	}
	return web.OK(c, api.StatusSource{ID: row.ID, Text: row.Text, SpoilerText: row.SpoilerText, ContentType: row.ContentType})
}

// History is GET /api/v1/statuses/:id/history.
func (a *Statuses) History(c *gin.Context) error {
	ctx := c.Request.Context()
	row, former, err := a.Social.History(ctx, a.View.Viewer(web.Caller(c)), c.Param("id"))
	if err != nil {
		return err
	}
	out, err := a.View.History(ctx, row, former)
	if err != nil {
		return err
	}
	return web.OK(c, out)
}
