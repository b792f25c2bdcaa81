package adminapi

import (
	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/server/api/web"
)

const banPage = 50

// MediaBans is GET /media_proxy_caches.
func (a *API) MediaBans(c *gin.Context) error {
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

// UnbanMedia is POST /media_proxy_caches/delete.
func (a *API) UnbanMedia(c *gin.Context) error {
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

// PurgeMedia is POST /media_proxy_caches/purge.
func (a *API) PurgeMedia(c *gin.Context) error {
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
