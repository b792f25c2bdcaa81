package clientapi

import (
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/server/api/web"
	"svc/server/platform/fault"
	"svc/server/rules/auth"
)

// CreateApp is POST /api/v1/apps.
func (a *OAuth) CreateApp(c *gin.Context) error {
	var in struct {
		ClientName   string `json:"client_name" binding:"required"`
		RedirectURIs any    `json:"redirect_uris" binding:"required"` // a text, or a list of texts
		Scopes       string `json:"scopes"`
		Website      string `json:"website"`
	}
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	redirects, ok := redirectsOf(in.RedirectURIs)
	if !ok {
		return web.BadParam("redirect_uris", "Invalid value for redirect_uris.")
	}
	app, err := a.Auth.CreateApp(c.Request.Context(), auth.NewApp{
		Name: in.ClientName, RedirectURIs: redirects, Scopes: in.Scopes, Website: in.Website,
	})
	if err != nil {
		return err
	}
	key, err := a.Push.PublicKey(c.Request.Context())
	if err != nil {
		return err
	}
	return web.OK(c, api.App{
		ID: strconv.FormatInt(app.ID, 10), Name: app.Name, Website: optional(app.Website), RedirectURI: lines(app.RedirectURIs),
		ClientID: app.ClientID, ClientSecret: app.ClientSecret, VAPIDKey: key,
		RedirectURIs: strings.Fields(app.RedirectURIs), Scopes: auth.SplitScopes(app.Scopes),
	})
}

// redirectsOf are the redirect URIs of a request, one a line. ok is false for values that
// are neither a text nor a list of texts without blanks.
func redirectsOf(sent any) (uris string, ok bool) {
	switch sent := sent.(type) {
	case string:
		return sent, true
	case []any:
		all := make([]string, len(sent))
		for i := range sent {
			if all[i], ok = sent[i].(string); !ok || len(strings.Fields(all[i])) != 1 {
				return "", false
			}
		}
		return strings.Join(all, "\n"), true
	}
	return "", false
}

// lines are words, one a line.
func lines(words string) string { return strings.Join(strings.Fields(words), "\n") }

// VerifyApp is GET /api/v1/apps/verify_credentials.
func (a *OAuth) VerifyApp(c *gin.Context) error {
	app := web.Caller(c).App
	if app.ID == 0 { // called by password
		return fault.Unauthenticated("The access token is invalid")
	}
	key, err := a.Push.PublicKey(c.Request.Context())
	if err != nil {
		return err
	}
	return web.OK(c, api.VerifiedApp{
		ID: strconv.FormatInt(app.ID, 10), Name: app.Name, Website: optional(app.Website), VAPIDKey: key,
		RedirectURI: lines(app.RedirectURIs), RedirectURIs: strings.Fields(app.RedirectURIs), Scopes: auth.SplitScopes(app.Scopes),
	})
}

// optional is nil for an empty text.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
