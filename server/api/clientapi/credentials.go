package clientapi

import (
	"context"
	"errors"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
	"svc/server/platform/fault"
	"svc/server/rules/social"
)

// ChangePassword is POST /api/svc/change_password.
func (a *Credentials) ChangePassword(c *gin.Context) error {
	var in api.PasswordChange
	if err := web.BindAny(c, &in); err != nil {
		return err
	}
	return outcome(c, a.Auth.ChangePassword(c.Request.Context(), web.Caller(c).Account, in.Password, in.NewPassword, in.Confirmation))
}

// ChangeEmail is POST /api/svc/change_email.
func (a *Credentials) ChangeEmail(c *gin.Context) error {
	var in api.EmailChange
	if err := web.BindAny(c, &in); err != nil {
		return err
	}
	return outcome(c, a.Signup.ChangeEmail(c.Request.Context(), web.Caller(c).Account, in.Password, in.Email))
}

// DeleteAccount is POST /api/svc/delete_account.
func (a *Credentials) DeleteAccount(c *gin.Context) error {
	return a.withPassword(c, func(ctx context.Context, s *social.Service, me *db.Account) error {
		_, err := s.DeleteAccount(ctx, me, me)
		return err
	})
}

// DisableAccount is POST /api/svc/disable_account.
func (a *Credentials) DisableAccount(c *gin.Context) error {
	return a.withPassword(c, func(ctx context.Context, s *social.Service, me *db.Account) error { return s.DisableAccount(ctx, me) })
}

// withPassword runs do once the caller has given their password again.
func (a *Credentials) withPassword(c *gin.Context, do func(ctx context.Context, s *social.Service, me *db.Account) error) error {
	var in api.WithPassword
	if err := web.BindAny(c, &in); err != nil {
		return err
	}
	ctx, me := c.Request.Context(), web.Caller(c).Account
	return outcome(c, a.Auth.WithPassword(ctx, me, in.Password, func(tx *db.DB) error { return do(ctx, a.Social.In(tx), me) }))
}

// Move is POST /api/svc/move_account.
func (a *Credentials) Move(c *gin.Context) error {
	var in api.MoveAccount
	if err := web.BindAny(c, &in); err != nil {
		return err
	}
	ctx, me := c.Request.Context(), web.Caller(c).Account
	var target *db.Account
	return outcome(c, a.Auth.WithPasswordPrepared(ctx, me, in.Password, func() (err error) {
		target, err = a.Social.MoveTarget(ctx, in.TargetAccount)
		return err
	}, func(tx *db.DB) error { return a.Social.In(tx).Move(ctx, me, target) }))
}

// CancelMove is DELETE /api/svc/move_account.
func (a *Credentials) CancelMove(c *gin.Context) error {
	return a.withPassword(c, func(ctx context.Context, s *social.Service, me *db.Account) error { return s.CancelMove(ctx, me) })
}

// Aliases is GET /api/svc/aliases.
func (a *Credentials) Aliases(c *gin.Context) error {
	all, err := a.Social.Aliases(c.Request.Context(), web.Caller(c).Account)
	if err != nil {
		return err
	}
	return web.OK(c, api.Aliases{Aliases: all})
}

// AddAlias is PUT /api/svc/aliases.
func (a *Credentials) AddAlias(c *gin.Context) error { return a.alias(c, a.Social.AddAlias) }

// RemoveAlias is DELETE /api/svc/aliases.
func (a *Credentials) RemoveAlias(c *gin.Context) error { return a.alias(c, a.Social.RemoveAlias) }

func (a *Credentials) alias(c *gin.Context, change func(ctx context.Context, by *db.Account, named string) error) error {
	var in api.Alias
	if err := web.BindAny(c, &in); err != nil {
		return err
	}
	if err := change(c.Request.Context(), web.Caller(c).Account, in.Alias); err != nil {
		return err
	}
	return web.OK(c, api.Outcome{Status: "success"})
}

// outcome answers a refusal of values with status 200, as clients of these
// endpoints expect.
func outcome(c *gin.Context, err error) error {
	refusal := new(fault.Error)
	switch {
	case err == nil:
		return web.OK(c, api.Outcome{Status: "success"})
	case errors.As(err, &refusal) && (refusal.Kind == fault.KindMalformed || refusal.Kind == fault.KindInvalid):
		return web.OK(c, api.Outcome{Error: refusal.Error()})
	}
	return err
}
