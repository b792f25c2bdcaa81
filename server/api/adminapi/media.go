package adminapi

import (
	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
	"svc/server/platform/config"
	"svc/server/platform/media"
	"svc/server/rules/moderation"
)

const banPage = 50

// MediaBans answers requests about banned and cached files.
type MediaBans struct {
	DB         *db.DB
	Proxy      *media.Proxy
	Moderation *moderation.Service
}

// MediaBans are the handlers of banned and cached files.
func (p *Parts) MediaBans() MediaBans { return MediaBans{p.DB, p.Proxy, p.Moderation} }

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

// Cached is GET /media_proxy_caches/files.
func (a MediaBans) Cached(c *gin.Context) error {
	sel, err := selection(c)
	if err != nil {
		return err
	}
	found, err := a.Proxy.Cached(sel)
	if err != nil {
		return err
	}
	return web.OK(c, cachedMedia(found))
}

// PurgeCached is DELETE /media_proxy_caches/files.
func (a MediaBans) PurgeCached(c *gin.Context) error {
	sel, err := selection(c)
	if err != nil {
		return err
	}
	found, err := a.Moderation.PurgeCachedMedia(c.Request.Context(), web.Caller(c).Account, sel)
	if err != nil {
		return err
	}
	return web.OK(c, cachedMedia(found))
}

// selection reads which cached files are meant.
func selection(c *gin.Context) (media.Selection, error) {
	var in api.CachedMediaQuery
	if err := web.BindAny(c, &in); err != nil {
		return media.Selection{}, err
	}
	p := &params{}
	sel := media.Selection{Host: in.Host, Before: moment(p, in.Before)}
	if sel.Host != "" {
		name, ok := config.ListedHost(sel.Host)
		if sel.Host = name; !ok {
			p.bad = true
		}
	}
	if p.bad {
		return sel, bad()
	}
	return sel, nil
}

func cachedMedia(found []media.HostFiles) api.CachedMedia {
	out := api.CachedMedia{}
	for i, h := range found {
		out.Files += h.Files
		out.Bytes += h.Bytes
		if i < api.MaxCachedHosts {
			out.Hosts = append(out.Hosts, api.CachedMediaHost{Host: h.Host, Files: h.Files, Bytes: h.Bytes, OldestAt: api.Time{Time: h.Oldest}})
		}
	}
	return out
}
