package pages

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"

	"svc/server/api/web"
	"svc/server/platform/fault"
	"svc/server/rules/auth"
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

// codePage is the content of the page.
type codePage struct {
	codeForm
	Flash    string
	FormMark string
	Recovery bool
	Other    string // the address of the page for the other kind of code
	App      string // the app of the sign-in; empty for none
	Website  string // host of it
	Target   string // the next address of the browser; empty when a code is shown
	Scopes   []scopeRow
}

// startCode asks a person with the right password for their second factor.
func (p *Pages) startCode(c *gin.Context, by *auth.Proof, q *auth.Question, state string) error {
	token, err := p.Auth.StartMFA(c.Request.Context(), by, q, p.browser(c))
	if err != nil {
		return p.failed(c, err)
	}
	return p.askCode(c, http.StatusOK, "", codeForm{Token: token, Kind: auth.TOTP, RedirectURI: q.RedirectURI, State: state}, q)
}

// Code is GET /oauth/mfa: the form for a second factor, of either kind.
func (p *Pages) Code(c *gin.Context) error {
	var in codeForm
	if err := web.BindQuery(c, &in); err != nil {
		return p.failed(c, err)
	}
	return p.askCodeAgain(c, http.StatusOK, "", in)
}

// askCodeAgain shows the form of a second factor again, in the browser that
// began. Another browser is refused: a code typed there would sign in the
// sender of the address.
func (p *Pages) askCodeAgain(c *gin.Context, status int, flash string, in codeForm) error {
	q, err := p.Auth.PendingMFA(c.Request.Context(), in.Token, p.browser(c))
	if errors.Is(err, auth.ErrCode) {
		return p.problem(c, http.StatusUnauthorized, problem{
			Heading: "Second step", Flash: wrongCode, Close: true,
			Text: "A code is taken for five minutes, in the browser in which the password was given. Please go back to the app and sign in again.",
		})
	}
	if err != nil {
		return p.failed(c, err)
	}
	return p.askCode(c, status, flash, in, q)
}

func (p *Pages) askCode(c *gin.Context, status int, flash string, in codeForm, q *auth.Question) error {
	body := codePage{codeForm: in, Flash: flash, FormMark: p.formToken(c, p.cookie(c, sessionCookie)), Recovery: in.Kind == auth.Recovery}
	other := auth.Recovery
	if body.Recovery {
		other = auth.TOTP
	} else {
		body.Kind = auth.TOTP
	}
	body.RedirectURI = ""
	if q != nil {
		body.RedirectURI = q.RedirectURI
		body.App, body.Website, body.Target = q.App.Name, hostOf(q.App.Website), targetOf(q.RedirectURI)
		body.Scopes = scopeRows(q.Scopes, q.Scopes)
	}
	body.Other = "/oauth/mfa?" + url.Values{
		"mfa_token": {in.Token}, "challenge_type": {other}, "redirect_uri": {body.RedirectURI}, "state": {in.State},
	}.Encode()
	return p.show(c, status, "mfa.html", "Second step", body, schemesOf(body.RedirectURI)...)
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
		return p.askCodeAgain(c, http.StatusForbidden, staleForm, in)
	}
	kind := in.Kind
	if kind == "" {
		kind = auth.TOTP
	}
	who, err := p.Auth.VerifyMFA(ctx, in.Token, p.browser(c), kind, form.MFA.Code)
	switch {
	case errors.Is(err, auth.ErrCode):
		return p.askCodeAgain(c, http.StatusUnauthorized, wrongCode, in)
	case fault.Is(err, fault.KindRateLimited):
		return p.askCodeAgain(c, http.StatusTooManyRequests, tooManyCodes, in)
	case err != nil:
		return p.failed(c, err)
	}
	if err := p.begin(ctx, c, who.Proof); err != nil {
		return p.failed(c, err)
	}
	if who.Question == nil {
		c.Redirect(http.StatusFound, "/")
		return nil
	}
	return p.authorise(c, who.Question, who.Proof, in.State)
}
