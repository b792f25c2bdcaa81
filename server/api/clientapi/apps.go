package clientapi

import (
	"strconv"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/server/api/web"
	"svc/server/platform/fault"
	"svc/server/rules/auth"
)

// CreateApp is POST /api/v1/apps.
func (a *OAuth) CreateApp(c *gin.Context) error {
	var in api.NewApp
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	app, err := a.Auth.CreateApp(c.Request.Context(), auth.NewApp{
		Name: in.ClientName, RedirectURIs: in.RedirectURIs, Scopes: in.Scopes, Website: in.Website,
	})
	if err != nil {
		return err
	}
	key, err := a.Push.PublicKey(c.Request.Context())
	if err != nil {
		return err
	}
	return web.OK(c, api.App{
		ID: strconv.FormatInt(app.ID, 10), Name: app.Name, Website: optional(app.Website), RedirectURI: app.RedirectURIs,
		ClientID: app.ClientID, ClientSecret: app.ClientSecret, VAPIDKey: key,
	})
}

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
	return web.OK(c, api.VerifiedApp{Name: app.Name, Website: optional(app.Website), VAPIDKey: key})
}

// optional is nil for an empty text.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
