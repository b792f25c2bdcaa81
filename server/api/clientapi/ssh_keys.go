package clientapi

import (
	"strconv"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/view"
	"svc/server/api/web"
	"svc/server/rules/auth"
)

// List is GET /api/svc/ssh_keys.
func (a *SSHKeys) List(c *gin.Context) error {
	rows, err := a.Auth.SSHKeys(c.Request.Context(), web.Caller(c).Account.ID)
	if err != nil {
		return err
	}
	return web.OK(c, view.SSHKeys(rows))
}

// Add is POST /api/svc/ssh_keys.
func (a *SSHKeys) Add(c *gin.Context) error {
	var in api.NewSSHKey
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	caller := web.Caller(c)
	row, err := a.Auth.AddSSHKey(c.Request.Context(), caller.Account.ID, auth.NewSSHKey{Text: in.Key, Name: in.Name, Scopes: caller.SSHScopes()})
	if err != nil {
		return err
	}
	return web.OK(c, view.SSHKey(row))
}

// Delete is DELETE /api/svc/ssh_keys/:id.
func (a *SSHKeys) Delete(c *gin.Context) error {
	id, err := strconv.ParseInt(c.Param("id"), 10, 64)
	if err != nil {
		return db.ErrNotFound
	}
	if _, err := a.Auth.DeleteSSHKey(c.Request.Context(), web.Caller(c).Account.ID, id); err != nil {
		return err
	}
	return web.OK(c, struct{}{})
}
