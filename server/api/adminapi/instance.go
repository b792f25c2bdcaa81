package adminapi

import (
	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
	"svc/server/platform/config"
	"svc/server/platform/hosts"
)

// Instance answers requests about the instance as a whole.
type Instance struct {
	DB   *db.DB
	Site config.Site
}

// Instance are the handlers of the instance as a whole.
func (p *Parts) Instance() Instance { return Instance{p.DB, p.Site} }

// Stats is GET /stats: the statuses of all servers, or of one. An unknown
// server has none.
func (a Instance) Stats(c *gin.Context) error {
	var in struct {
		Instance any `json:"instance"`
	}
	if err := web.BindAny(c, &in); err != nil {
		return err
	}
	p := &params{}
	var of []string
	if host := hosts.Clean(p.text(in.Instance)); host != "" {
		if of = []string{host}; host == a.Site.Host {
			of = append(of, "") // local statuses
		}
	}
	if p.bad {
		return bad()
	}
	n, err := a.DB.CountPosts(c.Request.Context(), of...)
	if err != nil {
		return err
	}
	return web.OK(c, api.Stats{StatusVisibility: api.StatusVisibility{
		Direct: n.Direct, Private: n.Private, Public: n.Public, Unlisted: n.Unlisted,
	}})
}
