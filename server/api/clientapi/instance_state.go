package clientapi

import (
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
)

// maxUnreachable is the number of unreachable servers that are listed.
const maxUnreachable = 1000

// Activity is GET /api/v1/instance/activity.
func (a *Instance) Activity(c *gin.Context) error {
	f, err := a.facts(c.Request.Context())
	if err != nil {
		return err
	}
	out := make(api.List[api.ActivityWeek], len(f.activity))
	for i, w := range f.activity {
		out[i] = api.ActivityWeek{
			Week: strconv.FormatInt(w.Start.Unix(), 10), Statuses: strconv.FormatInt(w.Statuses, 10),
			Logins: strconv.FormatInt(w.Logins, 10), Registrations: strconv.FormatInt(w.Registrations, 10),
		}
	}
	return web.OK(c, out)
}

// FederationStatus is GET /api/v1/svc/federation_status: the servers that were
// given up, as the setting of days says.
func (a *Instance) FederationStatus(c *gin.Context) error {
	out := api.FederationStatus{Unreachable: map[string]api.Time{}}
	if days := a.Settings.Load().Instance.FederationReachabilityTimeoutDays; days > 0 {
		rows, err := a.DB.Unreachable(c.Request.Context(), db.At(a.Now().Add(-time.Duration(days)*24*time.Hour)), maxUnreachable)
		if err != nil {
			return err
		}
		for _, r := range rows {
			out.Unreachable[r.Host] = api.Time{Time: r.UnreachableSince.Time}
		}
	}
	return web.OK(c, out)
}

// FrontendConfigurations is GET /api/svc/frontend_configurations.
func (a *Instance) FrontendConfigurations(c *gin.Context) error {
	return web.OK(c, a.Settings.Load().FrontendConfigurations)
}

// Healthcheck is GET /api/svc/healthcheck, where the instance shows its health.
func (a *Instance) Healthcheck(c *gin.Context) error {
	if !a.Settings.Load().Instance.Healthcheck {
		return web.JSON(c, http.StatusServiceUnavailable, api.Empty{})
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	out := api.Health{
		MemoryUsed:    float64(memory.Sys>>10) / 1024,
		JobQueueStats: map[string]map[string]int64{},
	}
	h, err := a.DB.Health(c.Request.Context())
	if err != nil {
		return web.JSON(c, http.StatusServiceUnavailable, out)
	}
	out.PoolSize, out.Active, out.Idle, out.JobQueueStats, out.Healthy = h.Connections, h.Active, h.Idle, h.Jobs, true
	return web.OK(c, out)
}
