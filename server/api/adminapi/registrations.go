package adminapi

import (
	"context"
	"errors"
	"net/http"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/view"
	"svc/server/api/web"
	"svc/server/rules/signup"
)

// Create is POST /users.
func (a Users) Create(c *gin.Context) error {
	var in struct {
		Users any `json:"users"`
	}
	if err := web.BindAny(c, &in); err != nil {
		return err
	}
	p := &params{}
	asked, ok := p.asked(in.Users)
	if !ok || p.bad {
		return bad()
	}
	err := a.Moderation.CreateUsers(c.Request.Context(), web.Caller(c).Account, web.IdempotencyKey(c), asked...)
	var refusal *signup.NotMade
	if errors.As(err, &refusal) {
		return &web.Answer{Status: http.StatusConflict, Body: results(asked, refusal.Reasons)}
	}
	if err != nil {
		return err
	}
	return web.OK(c, results(asked, nil))
}

// asked reads users to be created; false if one lacks a key, or has a value
// that is no text. null is an empty text.
func (p *params) asked(v any) ([]signup.Asked, bool) {
	items, ok := v.([]any)
	out := make([]signup.Asked, len(items))
	for i, item := range items {
		fields, _ := item.(map[string]any)
		for name, to := range map[string]*string{"nickname": &out[i].Nickname, "email": &out[i].Email, "password": &out[i].Password} {
			value, there := fields[name]
			if *to = p.text(value); !there || *to == "" && value != "" && value != nil {
				return nil, false
			}
		}
	}
	return out, ok
}

// results returns the outcome for each account; without reasons all succeeded.
func results(asked []signup.Asked, reasons []string) []api.UserResult {
	out := make([]api.UserResult, len(asked))
	for i, u := range asked {
		out[i] = api.UserResult{Type: api.UserMade, Code: http.StatusOK, Data: api.NamedUser{Nickname: u.Nickname, Email: u.Email}}
		if reasons != nil {
			out[i].Type, out[i].Code, out[i].Error = api.UserRefused, http.StatusConflict, &reasons[i]
		}
	}
	return out
}

// Delete is DELETE /users, in its older form with one nickname too.
func (a Users) Delete(c *gin.Context) error {
	var in struct {
		Nickname any `json:"nickname"`
	}
	if err := web.BindAny(c, &in); err != nil {
		return err
	}
	if in.Nickname == nil {
		return a.eachNamed(c, a.Moderation.DeleteUsers)
	}
	return a.one(c, in.Nickname, func(ctx context.Context, by *db.Account, nickname string) error {
		return a.Moderation.DeleteUsers(ctx, by, nickname)
	})
}

// ConfirmEmails is PATCH /users/confirm_email.
func (a Users) ConfirmEmails(c *gin.Context) error { return a.eachNamed(c, a.Moderation.ConfirmEmails) }

// ResendConfirmations is PATCH /users/resend_confirmation_email.
func (a Users) ResendConfirmations(c *gin.Context) error {
	return a.eachNamed(c, a.Moderation.ResendConfirmations)
}

// eachNamed runs do for the accounts of the parameter nicknames, and answers
// with these as they were sent.
func (a Users) eachNamed(c *gin.Context, do func(ctx context.Context, by *db.Account, nicknames ...string) error) error {
	sent, err := nicknames(c, bad())
	if err != nil {
		return err
	}
	ctx := c.Request.Context()
	if err := do(ctx, web.Caller(c).Account, a.people.allFound(ctx, sent)...); err != nil {
		return err
	}
	return web.OK(c, sent)
}

// one runs do for the account of this nickname, and answers with it as it was
// sent.
func (a Users) one(c *gin.Context, nickname any, do func(ctx context.Context, by *db.Account, nickname string) error) error {
	p := &params{}
	sent := p.named(nickname)
	if p.bad {
		return bad()
	}
	if err := do(c.Request.Context(), web.Caller(c).Account, a.people.local(sent)); err != nil {
		return err
	}
	return web.OK(c, sent)
}

// ForcePasswordReset is PATCH /users/force_password_reset.
func (a Users) ForcePasswordReset(c *gin.Context) error {
	sent, err := nicknames(c, bad())
	if err != nil {
		return err
	}
	if err := a.Moderation.ForcePasswordReset(c.Request.Context(), web.Caller(c).Account, a.people.locals(sent)...); err != nil {
		return err
	}
	return web.NoContent(c)
}

// LogOut is PATCH /users/logout.
func (a Users) LogOut(c *gin.Context) error {
	sent, err := nicknames(c, bad())
	if err != nil {
		return err
	}
	if err := a.Moderation.LogOut(c.Request.Context(), web.Caller(c).Account, a.people.locals(sent)...); err != nil {
		return err
	}
	return web.NoContent(c)
}

// mostLogIns bounds the list of log-ins of one account.
const mostLogIns = 500

// LogIns is GET /users/:nickname_or_id/sessions: the newest log-ins.
func (a Users) LogIns(c *gin.Context) error {
	account, err := a.people.account(c)
	if err != nil {
		return err
	}
	rows, err := a.DB.LogIns(c.Request.Context(), account.ID, mostLogIns)
	if err != nil {
		return err
	}
	return web.OK(c, view.LogIns(rows))
}

// PasswordReset is GET /users/:nickname/password_reset.
func (a Users) PasswordReset(c *gin.Context) error {
	nickname, err := web.Path(c, "nickname_or_id")
	if err != nil {
		return err
	}
	reset, err := a.Moderation.PasswordReset(c.Request.Context(), web.Caller(c).Account, a.people.local(nickname))
	if err != nil {
		return err
	}
	return web.OK(c, api.PasswordReset{Token: reset.Token, Link: reset.URL})
}

// DisableMFA is PUT /users/disable_mfa.
func (a Users) DisableMFA(c *gin.Context) error {
	var in struct {
		Nickname any `json:"nickname"`
	}
	if err := web.BindAny(c, &in); err != nil {
		return err
	}
	return a.one(c, in.Nickname, a.Moderation.DisableMFA)
}

// Backup is POST /backups.
func (a Users) Backup(c *gin.Context) error {
	var in struct {
		Nickname any `json:"nickname"`
	}
	if err := web.BindAny(c, &in); err != nil {
		return err
	}
	p := &params{}
	nickname := p.named(in.Nickname)
	if p.bad {
		return bad()
	}
	if err := a.Moderation.StartBackup(c.Request.Context(), web.Caller(c).Account, a.people.local(nickname), web.IdempotencyKey(c)); err != nil {
		return err
	}
	return web.OK(c, "")
}

// Move is POST /users/:nickname/move.
func (a Users) Move(c *gin.Context) error {
	nickname, err := web.Path(c, "nickname")
	if err != nil {
		return err
	}
	var in api.UserMove
	if err := web.BindAny(c, &in); err != nil {
		return err
	}
	if err := a.Moderation.MoveUser(c.Request.Context(), web.Caller(c).Account, a.people.local(nickname), in.Target); err != nil {
		return err
	}
	return web.NoContent(c)
}

// CancelMove is DELETE /users/:nickname/move.
func (a Users) CancelMove(c *gin.Context) error {
	nickname, err := web.Path(c, "nickname")
	if err != nil {
		return err
	}
	if err := a.Moderation.CancelMove(c.Request.Context(), web.Caller(c).Account, a.people.local(nickname)); err != nil {
		return err
	}
	return web.NoContent(c)
}

// Follow is POST /users/follow.
func (a Users) Follow(c *gin.Context) error { return a.pair(c, a.Moderation.Follow) }

// Unfollow is POST /users/unfollow.
func (a Users) Unfollow(c *gin.Context) error { return a.pair(c, a.Moderation.Unfollow) }

func (a Users) pair(c *gin.Context, do func(ctx context.Context, by *db.Account, follower, followed string) error) error {
	var in struct {
		Follower any `json:"follower"`
		Followed any `json:"followed"`
	}
	if err := web.BindAny(c, &in); err != nil {
		return err
	}
	p := &params{}
	follower, followed := p.named(in.Follower), p.named(in.Followed)
	if p.bad {
		return bad()
	}
	ctx := c.Request.Context()
	both := a.people.allFound(ctx, []string{follower, followed})
	if err := do(ctx, web.Caller(c).Account, both[0], both[1]); err != nil {
		return err
	}
	return web.OK(c, "ok")
}
