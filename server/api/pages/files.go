package pages

import (
	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/server/api/web"
)

// Manifest is GET /web/manifest.json: how a phone keeps the instance among its
// apps. Shape: W3C Web App Manifest.
func (p *Pages) Manifest(c *gin.Context) error {
	s := p.Settings.Load()
	return web.OK(c, api.Manifest{
		Name: s.Instance.Name, ShortName: s.Instance.Name, Description: s.Instance.Description, Icons: s.Look.Manifest.Icons,
		ThemeColor: s.Look.Manifest.ThemeColor, BackgroundColor: s.Look.Manifest.BackgroundColor,
		Display: "standalone", Scope: p.Site.Base + "/", StartURL: p.Site.Base + "/", Categories: []string{"social"},
	})
}

// Robots is GET /robots.txt: the paths that search engines should not visit.
func (p *Pages) Robots(c *gin.Context) error {
	out := "User-agent: *\nDisallow: /api/\nDisallow: /auth/\nDisallow: /oauth/\nDisallow: /proxy/\n"
	if !p.Settings.Load().Instance.Public {
		out = "User-agent: *\nDisallow: /\n"
	}
	c.Header("Cache-Control", "public, max-age=3600")
	c.Data(200, "text/plain; charset=utf-8", []byte(out))
	return nil
}
