package adminapi

import (
	"errors"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
	"svc/server/platform/hosts"
)

// Known is GET /instances/:instance: accounts, follows, reports, limits and deliveries of
// another server, in two statements.
func (a Hosts) Known(c *gin.Context) error {
	path, err := web.Path(c, "instance")
	if err != nil {
		return err
	}
	host, ctx, now := hosts.Clean(path), c.Request.Context(), a.Settings.Load()
	counts, err := a.DB.CountHost(ctx, host)
	if err != nil {
		return err
	}
	out := api.KnownHost{
		Host: host, Accounts: counts.Accounts, Followed: counts.Followed, Followers: counts.Followers,
		Reports:  api.HostReports{Open: counts.Open, Closed: counts.Closed, Resolved: counts.Resolved},
		Settings: now.Naming(host),
	}
	limited := now.LimitsOf(host)
	for _, l := range limited {
		out.Limits = append(out.Limits, limitedHost(l))
	}
	out.Idle = now.IdlePolicies(limited)
	row, err := a.DB.HostState(ctx, host)
	switch {
	case err == nil:
		shown := a.shown(row)
		out.Delivery = &shown
	case !errors.Is(err, db.ErrNotFound):
		return err
	case host == "", counts == db.HostCounts{} && len(out.Settings) == 0:
		return err
	}
	return web.OK(c, out)
}
