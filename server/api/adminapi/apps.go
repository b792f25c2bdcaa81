package adminapi

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
	"svc/server/platform/fault"
	"svc/server/rules/auth"
	"svc/server/rules/push"
)

const appPage = 50

// Apps answers requests about the OAuth applications.
type Apps struct {
	Auth *auth.Service
	Push *push.Service
}

// Apps are the handlers of the OAuth applications.
func (p *Parts) Apps() Apps { return Apps{p.Auth, p.Push} }

// List is GET /oauth_app.
func (a Apps) List(c *gin.Context) error {
	var in struct {
		Name     string `json:"name"`
		ClientID string `json:"client_id"`
		Page     *int64 `json:"page"`
		PageSize *int64 `json:"page_size"`
		Trusted  *bool  `json:"trusted" binding:"exact"`
	}
	if err := web.BindQuery(c, &in); err != nil {
		return err
	}
	f := db.AppFilter{Name: in.Name, ClientID: in.ClientID, Trusted: in.Trusted}
	page := numbered(in.Page, in.PageSize, appPage)
	rows, total, err := a.Auth.Apps(c.Request.Context(), f, page)
	if err != nil {
		return err
	}
	key, err := a.Push.PublicKey(c.Request.Context())
	if err != nil {
		return err
	}
	out := api.AdminApps{Apps: make(api.List[api.AdminApp], len(rows)), Count: int(total), PageSize: page.Size}
	for i := range rows {
		out.Apps[i] = adminApp(&rows[i], key)
	}
	return web.OK(c, out)
}

// app answers with one app.
func (a Apps) app(c *gin.Context, app *auth.App) error {
	key, err := a.Push.PublicKey(c.Request.Context())
	if err != nil {
		return err
	}
	return web.OK(c, adminApp(app, key))
}

func adminApp(app *auth.App, vapidKey string) api.AdminApp {
	out := api.AdminApp{
		ID: app.ID, Name: app.Name, ClientID: app.ClientID, ClientSecret: app.ClientSecret, RedirectURI: app.RedirectURIs, Trusted: app.Trusted,
		VAPIDKey: vapidKey, Website: &app.Website,
	}
	return out
}

// appForm is the body of a new app, and of a change to one.
type appForm struct {
	Name         *string   `json:"name"`
	RedirectURIs *string   `json:"redirect_uris"`
	Scopes       *[]string `json:"scopes"`
	Website      *string   `json:"website"`
	Trusted      *bool     `json:"trusted" binding:"exact"`
}

// appChange reads the form, for callers with the scope. Values of the wrong shape
// are refused by field.
func appChange(c *gin.Context) (auth.AppChange, error) {
	var in appForm
	err := web.Bind(c, &in)
	var shape *web.ShapeError
	if errors.As(err, &shape) {
		body := map[string]string{}
		for _, w := range shape.Values {
			field, _, _ := strings.Cut(strings.TrimPrefix(w.Pointer, "/"), "/")
			body[field] = "is invalid"
		}
		err = &web.Answer{Status: http.StatusBadRequest, Body: body}
	}
	if err != nil {
		return auth.AppChange{}, err
	}
	out := auth.AppChange{Name: in.Name, RedirectURIs: in.RedirectURIs, Website: in.Website, Trusted: in.Trusted}
	if in.Scopes != nil {
		all := strings.Join(*in.Scopes, " ")
		out.Scopes = &all
	}
	return out, nil
}

// Create is POST /oauth_app.
func (a Apps) Create(c *gin.Context) error {
	in, err := appChange(c)
	if err != nil {
		return err
	}
	web.Transient(c) // the answer has the secret
	app, err := a.Auth.AddApp(c.Request.Context(), web.Caller(c).Account, auth.NewApp{
		Name: or(in.Name), RedirectURIs: or(in.RedirectURIs), Scopes: or(in.Scopes), Website: or(in.Website), Trusted: in.Trusted != nil && *in.Trusted,
		IdempotencyKey: web.IdempotencyKey(c),
	})
	if err != nil {
		return byField(err)
	}
	return a.app(c, app)
}

func or(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// byField is a refusal as an object of messages by field: the first of each.
func byField(err error) error {
	var refused *fault.Error
	if !errors.As(err, &refused) || len(refused.Fields) == 0 {
		return err
	}
	body := map[string]string{}
	for _, f := range refused.Fields {
		if body[f.Name] == "" {
			body[f.Name] = f.Message
		}
	}
	return &web.Answer{Status: http.StatusBadRequest, Body: body}
}

// appID reads the app's number from the path. A number that is too large names
// no app.
func appID(c *gin.Context) (int64, error) {
	n, err := strconv.ParseInt(c.Param("id"), 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, web.BadParam("id", "id - Invalid integer. Got: string.")
	}
	return n, nil
}

// unknownApp is the answer to the number of an app that is not there.
func unknownApp(err error) error {
	if errors.Is(err, db.ErrNotFound) {
		return bad()
	}
	return err
}

// Update is PATCH /oauth_app/:id.
func (a Apps) Update(c *gin.Context) error {
	id, err := appID(c)
	if err != nil {
		return err
	}
	in, err := appChange(c)
	if err != nil {
		return err
	}
	web.Transient(c)
	app, err := a.Auth.ChangeApp(c.Request.Context(), web.Caller(c).Account, id, in)
	if err != nil {
		return byField(unknownApp(err))
	}
	return a.app(c, app)
}

// Delete is DELETE /oauth_app/:id.
func (a Apps) Delete(c *gin.Context) error {
	id, err := appID(c)
	if err != nil {
		return bad()
	}
	if err := web.Scope(c); err != nil {
		return err
	}
	if err := a.Auth.DeleteApp(c.Request.Context(), web.Caller(c).Account, id); err != nil {
		return unknownApp(err)
	}
	return web.NoContent(c)
}
