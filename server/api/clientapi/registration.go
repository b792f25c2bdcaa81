package clientapi

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/server/api/web"
	"svc/server/platform/fault"
	"svc/server/rules/signup"
)

// Register is POST /api/v1/accounts.
func (a *Registration) Register(c *gin.Context) error {
	noStore(c)
	var in api.NewAccount
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	out, err := a.Signup.Register(c.Request.Context(), web.Caller(c), signup.NewAccount{
		Nickname: in.Username, Email: in.Email, Password: in.Password, Name: in.Fullname, Bio: in.Bio, Reason: in.Reason,
		Invite: in.Token, Locale: in.Locale,
		Addr:    web.RemoteAddr(c),
		Captcha: signup.Solution{Digits: in.CaptchaSolution, Token: in.CaptchaToken, Sealed: in.CaptchaAnswerData},
	})
	if err != nil {
		return refusedRegistration(err)
	}
	if out.Token == nil {
		return web.OK(c, api.Registration{Message: out.Message, Identifier: out.Identifier})
	}
	token := tokenOf(out.Token)
	return web.OK(c, api.Registration{Token: &token})
}

// refusedRegistration renders refused fields as this endpoint does: an object
// of lists of messages, as a text inside the error.
func refusedRegistration(err error) error {
	var f *fault.Error
	if !errors.As(err, &f) || len(f.Fields) == 0 {
		return err
	}
	byField := map[string][]string{}
	for _, field := range f.Fields {
		byField[field.Name] = append(byField[field.Name], field.Message)
	}
	text, err := json.Marshal(byField)
	if err != nil {
		return err
	}
	return &web.Answer{Status: http.StatusBadRequest, Body: api.Error{Error: string(text)}}
}

// ResendConfirmation is POST /api/v1/svc/accounts/confirmation_resend. The
// answer is the same for unknown users.
func (a *Registration) ResendConfirmation(c *gin.Context) error {
	name, err := whoIs(c)
	if err != nil {
		return err
	}
	if err := a.Signup.ResendConfirmation(c.Request.Context(), name); err != nil {
		return err
	}
	return web.NoContent(c)
}

// RequestPasswordReset is POST /auth/password. The answer is the same for
// unknown users.
func (a *Registration) RequestPasswordReset(c *gin.Context) error {
	name, err := whoIs(c)
	if err != nil {
		return err
	}
	if err := a.Signup.RequestReset(c.Request.Context(), name); err != nil {
		return err
	}
	return web.NoContent(c)
}

// whoIs reads the mail address or nickname in the query or body.
func whoIs(c *gin.Context) (string, error) {
	var in api.WhoIs
	if err := web.BindAny(c, &in); err != nil {
		return "", err
	}
	if in.Email != "" {
		return in.Email, nil
	}
	return in.Nickname, nil
}
