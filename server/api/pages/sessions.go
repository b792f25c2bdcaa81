package pages

import (
	"context"
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"

	"svc/server/api/web"
	"svc/server/rules/auth"
)

// begin starts a browser's session, in place of an earlier one. A program gets
// none.
func (p *Pages) begin(ctx context.Context, c *gin.Context, by *auth.Proof) error {
	if noBrowser(c.Request) {
		return nil
	}
	if err := p.Auth.SignOut(ctx, p.cookie(c, sessionCookie)); err != nil {
		return err
	}
	secret, err := p.Auth.SignIn(ctx, by)
	if err != nil {
		return err
	}
	p.setCookie(c, sessionCookie, secret, int(auth.SessionLife.Seconds()))
	return nil
}

// SignOut is POST and DELETE /auth/sign_out: it ends the browser's session.
// From an app's question it leads back to that question, for another person to
// answer.
func (p *Pages) SignOut(c *gin.Context) error {
	var form struct {
		Token         string  `json:"_csrf_token"`
		Authorization consent `json:"authorization"`
	}
	if err := web.Bind(c, &form); err != nil {
		return p.failed(c, err)
	}
	session := p.cookie(c, sessionCookie)
	ours := p.genuine(c, form.Token)
	if c.Request.Method == http.MethodDelete {
		// No page elsewhere can make a browser send this with our cookie.
		ours = p.cross.Check(c.Request) == nil
	}
	if !ours {
		return p.problem(c, http.StatusForbidden, problem{Heading: "You are still signed in", Text: staleForm})
	}
	if err := p.Auth.SignOut(c.Request.Context(), session); err != nil {
		return p.failed(c, err)
	}
	p.setCookie(c, sessionCookie, "", -1)
	next := "/"
	if in := form.Authorization; in.ClientID != "" {
		query := url.Values{
			"response_type": {"code"}, "client_id": {in.ClientID}, "redirect_uri": {in.RedirectURI}, "scope": {in.Asked},
		}
		for name, value := range map[string]string{
			"state": in.State, "code_challenge": in.Challenge, "code_challenge_method": in.ChallengeMethod,
		} {
			if value != "" {
				query.Set(name, value)
			}
		}
		next = "/oauth/authorize?" + query.Encode()
	}
	c.Header("Cache-Control", "no-store")
	c.Redirect(http.StatusFound, next)
	return nil
}
