package adminapi

import (
	"context"
	"errors"
	"strings"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/view"
	"svc/server/api/web"
	"svc/server/platform/hosts"
	"svc/server/rules/moderation"
)

const userPage = 50

// Users answers requests about users.
type Users struct {
	DB         *db.DB
	View       *view.View
	Moderation *moderation.Service
	people     people
}

// Users are the handlers of users.
func (p *Parts) Users() Users { return Users{p.DB, p.View, p.Moderation, p.people()} }

// List is GET /users. Who may read pending accounts alone asks for these.
func (a Users) List(c *gin.Context) error {
	var in struct {
		Query      any `json:"query"`
		Name       any `json:"name"`
		Email      any `json:"email"`
		MailDomain any `json:"mail_domain"`
		Tags       any `json:"tags"`
		ActorTypes any `json:"actor_types"`
		Filters    any `json:"filters"`
		Page       any `json:"page"`
		PageSize   any `json:"page_size"`
	}
	if err := web.BindAny(c, &in); err != nil {
		return err
	}
	p := &params{}
	f := db.UserFilter{
		Name: p.text(in.Name), Email: p.text(in.Email), MailDomain: p.text(in.MailDomain), Tags: p.list(in.Tags), ActorTypes: p.list(in.ActorTypes),
	}
	a.people.query(&f, p.text(in.Query))
	for word := range strings.SplitSeq(p.text(in.Filters), ",") {
		userFilter(&f, word)
	}
	page := p.page(in.Page, in.PageSize, userPage)
	if p.bad {
		return bad()
	}
	if !f.NeedApprove {
		if err := a.people.readsUsers(c); err != nil {
			return err
		}
	}
	rows, total, err := a.DB.AdminUsers(c.Request.Context(), f, page)
	if err != nil {
		return err
	}
	users := a.View.AdminUsers(rows)
	if err := a.people.countReports(c, users); err != nil {
		return err
	}
	return web.OK(c, api.UserList{Users: users, Count: int(total), PageSize: page.Size})
}

// query selects accounts by a part of the nickname, by host, or by both in one
// handle. Local nicknames are stored without our host.
func (p people) query(f *db.UserFilter, query string) {
	nick, host, full := hosts.Handle(query)
	switch own := p.Site.Host; {
	case full && host == own:
		f.Query, f.Local = nick, true
	case !full && hosts.Same(nick, own):
		f.Local = true
	default:
		f.Query = p.local(query)
	}
}

func userFilter(f *db.UserFilter, word string) {
	switch word {
	case "local":
		f.Local = true
	case "external":
		f.External = true
	case "active":
		f.Active = true
	case "deactivated":
		f.Deactivated = true
	case "need_approval":
		f.NeedApprove = true
	case "unconfirmed":
		f.Unconfirmed = true
	case "is_admin":
		f.Admins = true
	case "is_moderator":
		f.Moderators = true
	}
}

// Show is GET /users/:nickname_or_id. Who may read pending accounts alone is refused
// all others, known or not, and none is asked for elsewhere.
func (a Users) Show(c *gin.Context) error {
	refusal := a.people.readsUsers(c)
	account, err := a.shown(c, refusal != nil)
	switch {
	case refusal != nil && (errors.Is(err, db.ErrNotFound) || err == nil && !account.ApprovalPending):
		return refusal
	case err != nil:
		return err
	}
	users, err := a.people.users(c, account.ID)
	if err != nil {
		return err
	}
	return web.OK(c, users[0])
}

// shown finds the account that the path names, only among those kept here if so asked.
func (a Users) shown(c *gin.Context, kept bool) (*db.Account, error) {
	if !kept {
		return a.people.account(c)
	}
	handle, err := web.Path(c, "nickname_or_id")
	if err != nil {
		return nil, err
	}
	return a.DB.FindAccount(c.Request.Context(), a.people.local(handle))
}

// Toggle is PATCH /users/:nickname/toggle_activation.
func (a Users) Toggle(c *gin.Context) error {
	nickname, err := web.Path(c, "nickname")
	if err != nil {
		return err
	}
	ctx := c.Request.Context()
	id, err := a.Moderation.Toggle(ctx, web.Caller(c).Account, a.people.found(ctx, nickname))
	if err != nil {
		return err
	}
	users, err := a.people.users(c, id)
	if err != nil {
		return err
	}
	return web.OK(c, users[0])
}

// Activate is PATCH /users/activate.
func (a Users) Activate(c *gin.Context) error { return a.each(c, a.Moderation.Activate) }

// Deactivate is PATCH /users/deactivate.
func (a Users) Deactivate(c *gin.Context) error { return a.each(c, a.Moderation.Deactivate) }

// Approve is PATCH /users/approve.
func (a Users) Approve(c *gin.Context) error { return a.each(c, a.Moderation.Approve) }

// Reject is PATCH /users/reject.
func (a Users) Reject(c *gin.Context) error {
	var in struct {
		Nicknames any `json:"nicknames"`
		Message   any `json:"message"`
	}
	if err := web.BindAny(c, &in); err != nil {
		return err
	}
	p := &params{}
	sent, ok := p.names(in.Nicknames)
	message, text := in.Message.(string)
	text = text && web.IsText(message) || in.Message == nil
	if !ok || !text || p.bad {
		return bad()
	}
	if err := a.Moderation.Reject(c.Request.Context(), web.Caller(c).Account, message, a.people.locals(sent)...); err != nil {
		return err
	}
	return web.OK(c, sent)
}

// each runs do for the accounts of the parameter nicknames, and answers with
// them in its order.
func (a Users) each(c *gin.Context, do func(ctx context.Context, by *db.Account, nicknames ...string) ([]string, error)) error {
	sent, err := nicknames(c, bad())
	if err != nil {
		return err
	}
	ctx := c.Request.Context()
	ids, err := do(ctx, web.Caller(c).Account, a.people.allFound(ctx, sent)...)
	if err != nil {
		return err
	}
	users, err := a.people.users(c, ids...)
	if err != nil {
		return err
	}
	return web.OK(c, api.Users{Users: users})
}
