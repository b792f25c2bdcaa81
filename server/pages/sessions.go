package pages

import (
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"

	"svc/server/web"
)

// SignOut is POST and DELETE /auth/sign_out: it ends the browser's session. Sent
// from the question of an app, it leads back to it, for somebody else to answer.
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
	if err := p.auth.SignOut(c.Request.Context(), session); err != nil {
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
