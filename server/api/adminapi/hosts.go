package adminapi

import (
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
	"svc/server/federation/delivery"
	"svc/server/platform/config"
	"svc/server/platform/hosts"
	"svc/server/rules/moderation"
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
	DB         *db.DB
	Delivery   *delivery.Service
	Moderation *moderation.Service
	Settings   *config.Live
	Site       config.Site
}

// Hosts are the handlers of the servers that activities are sent to.
func (p *Parts) Hosts() Hosts { return Hosts{p.DB, p.Delivery, p.Moderation, p.Settings, p.Site} }

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

// Limits is GET /federation/limits.
func (a Hosts) Limits(c *gin.Context) error {
	var in struct {
		After string `json:"after"`
		Limit *int64 `json:"limit"`
	}
	if err := web.BindQuery(c, &in); err != nil {
		return err
	}
	now, limit := a.Settings.Load(), sized(in.Limit)
	all := now.LimitedHosts()
	out := api.LimitedHosts{Idle: now.IdlePolicies(all)}
	from, found := slices.BinarySearchFunc(all, in.After, func(l config.LimitedHost, after string) int { return strings.Compare(l.Host, after) })
	if found {
		from++
	}
	for _, l := range all[from:min(from+limit, len(all))] {
		out.Hosts = append(out.Hosts, limitedHost(l))
	}
	if from+limit < len(all) {
		out.Next = all[from+limit-1].Host
	}
	return web.OK(c, out)
}

func limitedHost(l config.LimitedHost) api.LimitedHost {
	out := api.LimitedHost{Host: l.Host, Reason: l.Reason}
	for _, limit := range l.Limits {
		out.Limits = append(out.Limits, api.HostLimit(limit))
	}
	return out
}

// Limit is POST /federation/limits. Its answer has each server once, with the limits
// that it has now.
func (a Hosts) Limit(c *gin.Context) error {
	var in struct {
		Changes []struct {
			Host   string   `json:"host" binding:"required"`
			Add    []string `json:"add"`
			Remove []string `json:"remove"`
			Reason *string  `json:"reason"`
		} `json:"changes" binding:"required"`
	}
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	if len(in.Changes) > api.MaxLimitChanges {
		return bad()
	}
	changes := make([]moderation.HostLimits, len(in.Changes))
	for i, change := range in.Changes {
		changes[i] = moderation.HostLimits{Host: change.Host, Add: change.Add, Remove: change.Remove, Reason: change.Reason}
	}
	names, err := a.Moderation.LimitHosts(c.Request.Context(), web.Caller(c).Account, changes, a.Site.Host)
	if err != nil {
		return err
	}
	now, limited := a.Settings.Load(), map[string]config.LimitedHost{}
	for _, l := range now.LimitedHosts() {
		limited[l.Host] = l
	}
	out, shown := api.LimitedHosts{}, []config.LimitedHost{}
	for _, name := range names {
		l, known := limited[name]
		if !known {
			l = config.LimitedHost{Host: name}
		}
		if !slices.ContainsFunc(shown, func(before config.LimitedHost) bool { return before.Host == name }) {
			shown = append(shown, l)
			out.Hosts = append(out.Hosts, limitedHost(l))
		}
	}
	out.Idle = now.IdlePolicies(shown)
	return web.OK(c, out)
}
