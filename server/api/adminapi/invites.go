package adminapi

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
	"svc/server/platform/fault"
	"svc/server/rules/signup"
)

// invitePage is how many invites are read and sent at a time.
const invitePage = 5000

// Invites answers requests about invites.
type Invites struct {
	Signup *signup.Service
}

// Invites are the handlers of invites.
func (p *Parts) Invites() Invites { return Invites{p.Signup} }

// List is GET /users/invites. The list has no pages: it is sent as it is
// read, so that it costs little memory however long it is.
func (a Invites) List(c *gin.Context) error {
	if err := web.Scope(c); err != nil {
		return err
	}
	after := int64(0)
	return web.Stream(c, `{"invites":[`, `]}`, func() ([]byte, error) {
		rows, err := a.Signup.Invites(c.Request.Context(), after, invitePage)
		if err != nil || len(rows) == 0 {
			return nil, err
		}
		after = rows[len(rows)-1].ID
		var out []byte
		for i := range rows {
			raw, err := json.Marshal(invite(&rows[i]))
			if err != nil {
				return nil, err
			}
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, raw...)
		}
		return out, nil
	})
}

func invite(i *db.Invite) api.Invite {
	return api.Invite{ID: i.ID, Token: i.Token, Used: i.Used, Revoked: i.Revoked, ExpiresAt: i.ExpiresOn, Uses: i.Uses, MaxUse: i.MaxUse, InviteType: i.Type()}
}

// Create is POST /users/invite_token.
func (a Invites) Create(c *gin.Context) error {
	var in struct {
		MaxUse    *int64  `json:"max_use"`
		ExpiresAt *string `json:"expires_at"`
	}
	s := &shape{}
	if err := s.bind(web.Read(c, &in)); err != nil {
		return err
	}
	day := s.date("expires_at", in.ExpiresAt)
	if err := s.err(); err != nil {
		return err
	}
	if err := web.Scope(c); err != nil {
		return err
	}
	row, err := a.Signup.CreateInvite(c.Request.Context(), web.Caller(c).Account, signup.NewInvite{MaxUse: in.MaxUse, ExpiresOn: day, IdempotencyKey: web.IdempotencyKey(c)})
	if err != nil {
		return err
	}
	return web.OK(c, invite(row))
}

// date reads a day, YYYY-MM-DD; nil when absent or empty.
func (s *shape) date(name string, v *string) *time.Time {
	if v == nil || *v == "" || slices.ContainsFunc(s.wrong, func(w web.ShapeValue) bool { return w.Pointer == "/"+name }) {
		return nil
	}
	day, err := time.Parse(time.DateOnly, *v)
	if err != nil || day.Year() < 1 {
		s.wrong = append(s.wrong, web.BadParam(name, name+" - Invalid format. Expected :date.").Values...)
		return nil
	}
	return &day
}

// Revoke is POST /users/revoke_invite.
func (a Invites) Revoke(c *gin.Context) error {
	var in api.InviteToken
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	row, err := a.Signup.RevokeInvite(c.Request.Context(), web.Caller(c).Account, in.Token)
	if err != nil {
		return err
	}
	return web.OK(c, invite(row))
}

// Email is POST /users/email_invite.
func (a Invites) Email(c *gin.Context) error {
	var in api.InviteMail
	if err := web.Bind(c, &in); err != nil {
		return listed(err)
	}
	if err := a.Signup.EmailInvite(c.Request.Context(), web.Caller(c).Account, in.Email, in.Name, web.IdempotencyKey(c)); err != nil {
		return listed(err)
	}
	return web.NoContent(c)
}

// listed is a refusal as a list of messages.
func listed(err error) error {
	var (
		shape   *web.ShapeError
		refusal *fault.Error
		out     []api.Refusal
	)
	switch {
	case errors.As(err, &shape):
		for _, v := range shape.Values {
			out = append(out, api.Refusal{Error: v.Message})
		}
	case errors.As(err, &refusal) && refusal.Kind == fault.KindMalformed:
		out = append(out, api.Refusal{Error: refusal.Error()})
	default:
		return err
	}
	return &web.Answer{Status: http.StatusBadRequest, Body: out}
}
