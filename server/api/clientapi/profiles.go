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

// account is the account that :id names, by id alone: of the lists below a
// profile, only its statuses accept a nickname.
func (a *shared) account(c *gin.Context) (*db.Account, error) {
	account, err := a.DB.Account(c.Request.Context(), c.Param("id"))
	return a.opened(c, account, err)
}

// opened returns an account if the caller may see it, else a refusal: only
// moderators and the account itself see a pending or deactivated one.
func (a *shared) opened(c *gin.Context, account *db.Account, err error) (*db.Account, error) {
	if errors.Is(err, db.ErrNotFound) {
		return nil, fault.NotFound("Can't find user")
	}
	if err != nil {
		return nil, err
	}
	if !a.mayOpen(c, account) {
		return nil, fault.NotFound("Can't find user")
	}
	if v := a.View.Viewer(web.Caller(c)); account.Local && v.NoLocalAccounts || !account.Local && v.NoRemoteAccounts {
		return nil, fault.Unauthenticated("This API requires an authenticated user")
	}
	return account, nil
}

func (a *shared) mayOpen(c *gin.Context, account *db.Account) bool {
	if !account.Deactivated && !account.ApprovalPending && !account.ConfirmationPending {
		return !account.Invisible
	}
	caller := web.Caller(c)
	return caller != nil && (caller.Account.ID == account.ID || caller.Account.Staff())
}
