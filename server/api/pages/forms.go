package pages

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"

	"github.com/gin-gonic/gin"

	"svc/server/rules/auth"
)

// The cookies: one identifies the session of a browser, one proves that a form
// is ours and tells browsers apart, and one has a note for the next page. With
// https their names begin with __Host-, so that no neighbouring host can set
// them.
const (
	sessionCookie = "svc_key"
	formCookie    = "svc_form"
	noteCookie    = "svc_note"
)

func (p *Pages) cookieName(name string) string {
	if p.Site.Secure() {
		return "__Host-" + name
	}
	return name
}

func (p *Pages) cookie(c *gin.Context, name string) string {
	k, err := c.Request.Cookie(p.cookieName(name))
	if err != nil {
		return ""
	}
	return k.Value
}

// setCookie sets a cookie for maxAge seconds: 0 until the browser closes,
// negative ends it.
func (p *Pages) setCookie(c *gin.Context, name, value string, maxAge int) {
	http.SetCookie(c.Writer, &http.Cookie{
		Name: p.cookieName(name), Value: value, Path: "/", MaxAge: maxAge,
		Secure: p.Site.Secure(), HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// formToken returns the token that a form on this page must bring back, made of
// the browser's secret. The token belongs to the session too: it ends with it.
func (p *Pages) formToken(c *gin.Context, session string) string {
	return formToken(p.browser(c), session)
}

// browser returns the secret cookie of this browser, and sets a missing one. A
// program that sends a form by itself has none, and gets none.
func (p *Pages) browser(c *gin.Context) string {
	const given = "svc.browser"
	if secret := c.GetString(given); secret != "" {
		return secret
	}
	secret := p.cookie(c, formCookie)
	if len(secret) == len(auth.Secret()) {
		return secret
	}
	if c.Request.Method == http.MethodPost && noBrowser(c.Request) {
		return ""
	}
	secret = auth.Secret()
	c.Set(given, secret)
	p.setCookie(c, formCookie, secret, 0)
	return secret
}

func formToken(nonce, session string) string {
	mac := hmac.New(sha256.New, []byte(nonce))
	mac.Write([]byte("form of " + session))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// genuine reports whether a form was sent by a page of ours: the browser must
// not name another origin, and the form's token must fit the cookies.
func (p *Pages) genuine(c *gin.Context, token string) bool {
	if p.cross.Check(c.Request) != nil {
		return false
	}
	if noBrowser(c.Request) {
		return true
	}
	nonce := p.cookie(c, formCookie)
	want := formToken(nonce, p.cookie(c, sessionCookie))
	return nonce != "" && subtle.ConstantTimeCompare([]byte(token), []byte(want)) == 1
}

// noBrowser reports whether a program sent the form. It has no cookie to abuse,
// and no page made it send the form: browsers name the origin of a POST.
func noBrowser(r *http.Request) bool {
	h := r.Header
	return len(r.Cookies()) == 0 && h.Get("Origin") == "" && h.Get("Sec-Fetch-Site") == "" && h.Get("Referer") == ""
}
