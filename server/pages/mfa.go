package pages

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/auth"
	"svc/server/fault"
	"svc/server/web"
)

const (
	wrongCode    = "Two-factor authentication failed."
	tooManyCodes = "Too many wrong codes. Please try again in a few minutes."
)

// codeForm is the question for a second factor, as it travels in the query and
// in the form. Token stands for the right password.
type codeForm struct {
	Token       string `json:"mfa_token"`
	Kind        string `json:"challenge_type"`
	RedirectURI string `json:"redirect_uri"`
	State       string `json:"state"`
}

// codePage is what the page shows.
type codePage struct {
	codeForm
	Flash    string
	FormMark string
	Recovery bool
	Other    string // the address of the page for the other kind of code
}

// startCode asks somebody with the right password for his second factor.
func (p *Pages) startCode(c *gin.Context, account *db.Account, q *auth.Question, state string) error {
	token, err := p.Auth.StartMFA(c.Request.Context(), account, q)
	if err != nil {
		return p.failed(c, err)
	}
	return p.askCode(c, http.StatusOK, "", codeForm{Token: token, Kind: auth.TOTP, RedirectURI: q.RedirectURI, State: state})
}

// Code is GET /oauth/mfa: the form for a second factor, of either kind.
func (p *Pages) Code(c *gin.Context) error {
	var in codeForm
	if err := web.BindQuery(c, &in); err != nil {
		return p.failed(c, err)
	}
	return p.askCode(c, http.StatusOK, "", in)
}

func (p *Pages) askCode(c *gin.Context, status int, flash string, in codeForm) error {
	body := codePage{codeForm: in, Flash: flash, FormMark: p.formToken(c, p.cookie(c, sessionCookie)), Recovery: in.Kind == auth.Recovery}
	other := auth.Recovery
	if body.Recovery {
		other = auth.TOTP
	} else {
		body.Kind = auth.TOTP
	}
	body.Other = "/oauth/mfa?" + url.Values{
		"mfa_token": {in.Token}, "challenge_type": {other}, "redirect_uri": {in.RedirectURI}, "state": {in.State},
	}.Encode()
	return p.show(c, status, "mfa.html", "Second step", body, schemesOf(in.RedirectURI)...)
}

// VerifyCode is POST /oauth/mfa/verify: with the right code it goes on as
// Consent does with the right password.
func (p *Pages) VerifyCode(c *gin.Context) error {
	var form struct {
		Token string `json:"_csrf_token"`
		MFA   struct {
			codeForm
			Code string `json:"code"`
		} `json:"mfa"`
	}
	if err := web.Bind(c, &form); err != nil {
		return p.failed(c, err)
	}
	ctx, in := c.Request.Context(), form.MFA.codeForm
	if !p.genuine(c, form.Token) {
		return p.askCode(c, http.StatusForbidden, staleForm, in)
	}
	kind := in.Kind
	if kind == "" {
		kind = auth.TOTP
	}
	who, err := p.Auth.VerifyMFA(ctx, in.Token, kind, form.MFA.Code)
	switch {
	case errors.Is(err, auth.ErrCode):
		return p.askCode(c, http.StatusUnauthorized, wrongCode, in)
	case fault.Is(err, fault.KindRateLimited):
		return p.askCode(c, http.StatusTooManyRequests, tooManyCodes, in)
	case err != nil:
		return p.failed(c, err)
	}
	if err := p.begin(ctx, c, who.Account); err != nil {
		return p.failed(c, err)
	}
	if who.Question == nil {
		c.Redirect(http.StatusFound, "/")
		return nil
	}
	return p.authorise(c, who.Question, who.Account, in.State)
}
