package clientapi

import (
	"errors"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/api/web"
	"svc/server/platform/fault"
	"svc/server/platform/hosts"
)

// Page sizes of lists of accounts.
const (
	accountPage    = 40
	accountPageMax = 80
)

// profile is the account that :id names, by id or nickname.
func (a *shared) profile(c *gin.Context) (*db.Account, error) {
	ctx, id := c.Request.Context(), c.Param("id")
	account, err := a.DB.Account(ctx, id)
	if errors.Is(err, db.ErrNotFound) {
		account, err = a.DB.AccountByNickname(ctx, hosts.Nickname(id, a.Site.Host))
	}
	return a.opened(c, account, err)
}

// statusesOf is the id of the account that :id names as profile does, whose statuses the
// caller may list.
func (a *shared) statusesOf(c *gin.Context) (id string, err error) {
	ctx, id := c.Request.Context(), c.Param("id")
	standing, err := a.DB.Standing(ctx, id)
	if errors.Is(err, db.ErrNotFound) {
		var account *db.Account
		if account, err = a.DB.AccountByNickname(ctx, hosts.Nickname(id, a.Site.Host)); err == nil {
			standing = account.Standing()
		}
	}
	if err := a.admit(c, standing, err); err != nil {
		return "", err
	}
	return standing.ID, nil
}

// account is the account that :id names, by id alone: of the lists below a
// profile, only its statuses accept a nickname.
func (a *shared) account(c *gin.Context) (*db.Account, error) {
	account, err := a.DB.Account(c.Request.Context(), c.Param("id"))
	return a.opened(c, account, err)
}

// opened returns an account if the caller may see it, else a refusal: only
// moderators and the account itself see a pending or deactivated one.
func (a *shared) opened(c *gin.Context, account *db.Account, err error) (*db.Account, error) {
	if err != nil {
		return nil, a.admit(c, nil, err)
	}
	if err := a.admit(c, account.Standing(), nil); err != nil {
		return nil, err
	}
	return account, nil
}

// admit is opened for what decides alone.
func (a *shared) admit(c *gin.Context, account *db.Standing, err error) error {
	if errors.Is(err, db.ErrNotFound) {
		return fault.NotFound("Can't find user")
	}
	if err != nil {
		return err
	}
	if !a.mayOpen(c, account) {
		return fault.NotFound("Can't find user")
	}
	if v := a.View.Viewer(web.Caller(c)); account.Local && v.NoLocalAccounts || !account.Local && v.NoRemoteAccounts {
		return fault.Unauthenticated("This API requires an authenticated user")
	}
	return nil
}

func (a *shared) mayOpen(c *gin.Context, account *db.Standing) bool {
	if !account.Deactivated && !account.Pending {
		return !account.Invisible
	}
	caller := web.Caller(c)
	return caller != nil && (caller.Account.ID == account.ID || caller.Account.Staff())
}
