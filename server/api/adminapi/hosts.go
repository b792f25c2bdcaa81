package adminapi

import (
	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
	"svc/server/federation/delivery"
	"svc/server/platform/hosts"
)

// hostPage is the default size of a page of hosts or jobs, hostPageMost the
// largest.
const (
	hostPage     = 50
	hostPageMost = 500
)

// sized returns the size of a page.
func sized(limit *int64) int {
	if limit == nil || *limit < 1 {
		return hostPage
	}
	return int(min(*limit, hostPageMost))
}

// Hosts answers requests about the servers that activities are sent to.
type Hosts struct {
	DB       *db.DB
	Delivery *delivery.Service
}

// Hosts are the handlers of the servers that activities are sent to.
func (p *Parts) Hosts() Hosts { return Hosts{p.DB, p.Delivery} }

// List is GET /federation/hosts.
func (a Hosts) List(c *gin.Context) error {
	var in struct {
		State string `json:"state"`
		After string `json:"after"`
		Limit *int64 `json:"limit"`
	}
	if err := web.BindQuery(c, &in); err != nil {
		return err
	}
	switch in.State {
	case "", db.HostsFailing, db.HostsDead, db.HostsWaiting:
	default:
		return bad()
	}
	limit := sized(in.Limit)
	rows, err := a.Delivery.Hosts(c.Request.Context(), in.State, in.After, limit)
	if err != nil {
		return err
	}
	out := api.Hosts{}
	for i := range rows {
		out.Hosts = append(out.Hosts, a.shown(&rows[i]))
	}
	if len(rows) == limit {
		out.Next = rows[limit-1].Host
	}
	return web.OK(c, out)
}

func (a Hosts) shown(h *db.HostState) api.Host {
	return api.Host{
		Host: h.Host, Software: h.Software, Waiting: max(h.Waiting, 0), Failures: h.Failures, GivenUp: a.Delivery.GivenUp(h),
		LastError: h.LastError, LastErrorAt: api.At(h.LastErrorAt.Time), UnreachableSince: api.At(h.UnreachableSince.Time),
		RetryAt: api.At(h.RetryAt.Time), DeliveredAt: api.At(h.DeliveredAt.Time), HeardAt: api.At(h.HeardAt.Time),
	}
}

// hostIn is the host in the path, as hosts are kept.
func hostIn(c *gin.Context) (string, error) {
	host, err := web.Path(c, "host")
	return hosts.Clean(host), err
}

// Show is GET /federation/hosts/:host.
func (a Hosts) Show(c *gin.Context) error {
	host, err := hostIn(c)
	if err != nil {
		return err
	}
	row, err := a.DB.HostState(c.Request.Context(), host)
	if err != nil {
		return err
	}
	return web.OK(c, a.shown(row))
}

// Retry is POST /federation/hosts/:host/retry.
func (a Hosts) Retry(c *gin.Context) error {
	host, err := hostIn(c)
	if err != nil {
		return err
	}
	if err := a.Delivery.RetryHost(c.Request.Context(), web.Caller(c).Account, host); err != nil {
		return err
	}
	return a.Show(c)
}

// Forget is DELETE /federation/hosts/:host.
func (a Hosts) Forget(c *gin.Context) error {
	host, err := hostIn(c)
	if err != nil {
		return err
	}
	n, err := a.Delivery.ForgetHost(c.Request.Context(), web.Caller(c).Account, host)
	if err != nil {
		return err
	}
	return web.OK(c, api.Dropped{Dropped: n})
}
