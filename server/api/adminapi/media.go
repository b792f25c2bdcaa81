package adminapi

import (
	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
	"svc/server/platform/media"
)

const banPage = 50

// MediaBans answers requests about banned files.
type MediaBans struct {
	DB    *db.DB
	Proxy *media.Proxy
}

// MediaBans are the handlers of banned files.
func (p *Parts) MediaBans() MediaBans { return MediaBans{p.DB, p.Proxy} }

// List is GET /media_proxy_caches.
func (a MediaBans) List(c *gin.Context) error {
	var in struct {
		Page     *int64 `json:"page"`
		PageSize *int64 `json:"page_size"`
		Query    string `json:"query"`
	}
	if err := web.BindQuery(c, &in); err != nil {
		return err
	}
	page := numbered(in.Page, in.PageSize, banPage)
	urls, count, err := a.DB.MediaBans(c.Request.Context(), in.Query, page)
	if err != nil {
		return err
	}
	return web.OK(c, api.MediaBans{URLs: urls, Count: int(count), PageSize: page.Size})
}

// Unban is POST /media_proxy_caches/delete.
func (a MediaBans) Unban(c *gin.Context) error {
	var in struct {
		URLs []string `json:"urls" binding:"required"`
	}
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	if err := a.Proxy.Unban(c.Request.Context(), web.Caller(c).Account, in.URLs); err != nil {
		return err
	}
	return web.OK(c, struct{}{})
}

// Purge is POST /media_proxy_caches/purge.
func (a MediaBans) Purge(c *gin.Context) error {
	var in struct {
		URLs []string `json:"urls" binding:"required"`
		Ban  *bool    `json:"ban" binding:"exact"`
	}
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	if err := a.Proxy.Purge(c.Request.Context(), web.Caller(c).Account, in.URLs, in.Ban == nil || *in.Ban); err != nil {
		return err
	}
	return web.OK(c, struct{}{})
}
