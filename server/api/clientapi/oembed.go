package clientapi

import (
	"html"
	"time"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
)

// The width of an embedded status, and how long other sites may cache it.
const (
	embedWidth    = 400
	embedWidthMax = 2000
	embedAge      = 24 * time.Hour
)

// OEmbed is GET /api/oembed?url=: a status of this server that everybody may
// see.
func (a *Instance) OEmbed(c *gin.Context) error {
	var q api.OEmbedQuery
	if err := web.BindQuery(c, &q); err != nil {
		return err
	}
	if q.URL == "" {
		return web.Missing("url")
	}
	ctx := c.Request.Context()
	refs, err := a.statusAt(ctx, a.View.Viewer(nil), q.URL, true)
	if err != nil {
		return err
	}
	statuses, err := a.View.StatusValues(ctx, refs)
	if err != nil {
		return err
	}
	if len(statuses) == 0 || !statuses[0].Svc.Local || statuses[0].Reblog != nil {
		return db.ErrNotFound
	}
	s := &statuses[0]
	width := embedWidth
	if q.MaxWidth > 0 {
		width = min(q.MaxWidth, embedWidthMax)
	}
	return web.OK(c, api.OEmbed{
		Type: "rich", Version: "1.0", AuthorName: s.Account.DisplayName, AuthorURL: s.Account.URL,
		ProviderName: a.Settings.Load().Instance.Name, ProviderURL: a.Site.Base, CacheAge: int(embedAge / time.Second),
		HTML: embedded(s), Width: width,
	})
}

// embedded shows a status as a quotation. Its content is clean already; one with
// a warning is shown by that.
func embedded(s *api.Status) string {
	content := s.Content
	if s.SpoilerText != "" {
		content = html.EscapeString(s.SpoilerText)
	}
	return `<blockquote cite="` + html.EscapeString(s.URL) + `">` + content + `<footer><a href="` + html.EscapeString(s.Account.URL) + `">` +
		html.EscapeString(s.Account.DisplayName) + `</a>, <a href="` + html.EscapeString(s.URL) + `">` + s.CreatedAt.UTC().Format(time.DateOnly) + `</a></footer></blockquote>`
}
