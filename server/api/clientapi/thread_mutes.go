package clientapi

import (
	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/server/api/web"
)

// MuteThread is POST /api/v1/statuses/:id/mute.
func (a *Statuses) MuteThread(c *gin.Context) error {
	var in api.ThreadMute
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	status, err := a.Social.MuteThread(c.Request.Context(), web.Caller(c).Account, c.Param("id"), seconds(in.ExpiresIn))
	if err != nil {
		return err
	}
	return a.afterMuting(c, status.ID)
}

// UnmuteThread is POST /api/v1/statuses/:id/unmute.
func (a *Statuses) UnmuteThread(c *gin.Context) error {
	status, err := a.Social.UnmuteThread(c.Request.Context(), web.Caller(c).Account, c.Param("id"))
	if err != nil {
		return err
	}
	return a.afterMuting(c, status.ID)
}

// afterMuting answers with a status as the caller sees it after muting its thread,
// or unmuting it.
func (a *Statuses) afterMuting(c *gin.Context, id string) error {
	caller := *web.Caller(c)
	caller.Relations.ThreadMutes = true // as it may be by now
	raw, err := a.View.Status(c.Request.Context(), &caller, id)
	if err != nil {
		return err
	}
	return web.OK(c, raw)
}
