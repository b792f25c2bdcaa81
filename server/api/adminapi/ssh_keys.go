package adminapi

import (
	"strconv"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/view"
	"svc/server/api/web"
	"svc/server/rules/auth"
	"svc/server/rules/moderation"
)

// SSHKeys answers requests about the keys with which accounts sign in over SSH.
type SSHKeys struct {
	DB         *db.DB
	Moderation *moderation.Service
	people     people
}

// SSHKeys are the handlers of keys.
func (p *Parts) SSHKeys() SSHKeys { return SSHKeys{p.DB, p.Moderation, p.people()} }

// List is GET /users/:nickname_or_id/ssh_keys.
func (a SSHKeys) List(c *gin.Context) error {
	account, err := a.people.account(c)
	if err != nil {
		return err
	}
	rows, err := a.DB.SSHKeys(c.Request.Context(), account.ID)
	if err != nil {
		return err
	}
	return web.OK(c, view.SSHKeys(rows))
}

// Add is POST /users/:nickname/ssh_keys.
func (a SSHKeys) Add(c *gin.Context) error {
	var in api.NewSSHKey
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	caller := web.Caller(c)
	key := auth.NewSSHKey{Text: in.Key, Name: in.Name, Scopes: caller.SSHScopes()}
	row, err := a.Moderation.AddSSHKey(c.Request.Context(), caller.Account, a.people.local(c.Param("nickname")), key)
	if err != nil {
		return err
	}
	return web.OK(c, view.SSHKey(row))
}

// Delete is DELETE /users/:nickname/ssh_keys/:id.
func (a SSHKeys) Delete(c *gin.Context) error {
	if err := web.Scope(c); err != nil {
		return err
	}
	id, err := strconv.ParseInt(c.Param("id"), 10, 64)
	if err != nil {
		return db.ErrNotFound
	}
	if err := a.Moderation.DeleteSSHKey(c.Request.Context(), web.Caller(c).Account, a.people.local(c.Param("nickname")), id); err != nil {
		return err
	}
	return web.NoContent(c)
}
