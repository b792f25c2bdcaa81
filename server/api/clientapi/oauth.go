package clientapi

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
	"svc/server/platform/fault"
	"svc/server/rules/auth"
)

// Token is POST /oauth/token.
func (a *OAuth) Token(c *gin.Context) error {
	noStore(c)
	var in api.TokenRequest
	if err := web.BindAny(c, &in); err != nil {
		return err
	}
	if id, secret, ok := c.Request.BasicAuth(); ok {
		in.ClientID, in.ClientSecret = formDecoded(id), formDecoded(secret)
	}
	issued, err := a.Login.Grant(c.Request.Context(), auth.Grant{
		Type: in.GrantType, ClientID: in.ClientID, ClientSecret: in.ClientSecret, Code: in.Code, RedirectURI: in.RedirectURI,
		Verifier: in.CodeVerifier, Username: in.Username, Password: in.Password, Scope: in.Scope, RefreshToken: in.RefreshToken,
		Addr: web.RemoteAddr(c),
	})
	if err != nil {
		return denied(err)
	}
	return web.OK(c, tokenOf(issued))
}

// Revoke is POST /oauth/revoke.
func (a *OAuth) Revoke(c *gin.Context) error {
	noStore(c)
	var in api.RevokeRequest
	if err := web.BindAny(c, &in); err != nil {
		return err
	}
	if err := a.Auth.Revoke(c.Request.Context(), in.Token); err != nil {
		return denied(err)
	}
	return web.OK(c, struct{}{})
}

// Tokens is GET /api/oauth_tokens.
func (a *OAuth) Tokens(c *gin.Context) error {
	rows, err := a.Auth.Tokens(c.Request.Context(), web.Caller(c).Account)
	if err != nil {
		return err
	}
	out := make([]api.GivenToken, len(rows))
	for i, t := range rows {
		out[i] = api.GivenToken{ID: t.ID, AppName: t.AppName, ValidUntil: api.Time{Time: t.ExpiresAt.Time}}
	}
	return web.OK(c, out)
}

// DeleteToken is DELETE /api/oauth_tokens/:id. A token ends itself; to end another it
// needs write:accounts.
func (a *OAuth) DeleteToken(c *gin.Context) error {
	id, err := strconv.ParseInt(c.Param("id"), 10, 64)
	if err != nil {
		return db.ErrNotFound
	}
	if by := web.Caller(c); id != by.TokenID && !by.Can("write:accounts") {
		return fault.Forbidden("Insufficient permissions: write:accounts.")
	}
	if err := a.Auth.DeleteToken(c.Request.Context(), web.Caller(c).Account, id); err != nil {
		return err
	}
	c.Data(http.StatusCreated, "application/json; charset=utf-8", nil)
	return nil
}

// Server is GET /.well-known/oauth-authorization-server, of a server with these
// scopes.
func (a *OAuth) Server(scopes func() []string) web.Handler {
	return func(c *gin.Context) error { return web.OK(c, a.server(scopes())) }
}

func (a *OAuth) server(scopes []string) api.OAuthServer {
	return api.OAuthServer{
		Issuer:                        a.Site.Base,
		AuthorizationEndpoint:         a.Site.Base + "/oauth/authorize",
		TokenEndpoint:                 a.Site.Base + "/oauth/token",
		RevocationEndpoint:            a.Site.Base + "/oauth/revoke",
		UserInfoEndpoint:              a.Site.Base + "/oauth/userinfo",
		AppRegistrationEndpoint:       a.Site.Base + "/api/v1/apps",
		ServiceDocumentation:          a.Site.Base + "/about",
		ScopesSupported:               scopes,
		ResponseTypesSupported:        []string{"code"},
		ResponseModesSupported:        []string{"query"},
		GrantTypesSupported:           []string{"authorization_code", "password", "client_credentials", "refresh_token"},
		TokenEndpointAuthMethods:      []string{"client_secret_basic", "client_secret_post"},
		CodeChallengeMethodsSupported: []string{"S256"},
	}
}

func tokenOf(t *auth.Issued) api.Token {
	return api.Token{
		TokenType: "Bearer", AccessToken: t.AccessToken, RefreshToken: t.RefreshToken, ExpiresIn: t.ExpiresIn,
		Scope: t.Scope, CreatedAt: t.CreatedAt.Unix(), Me: t.Me,
	}
}

// denied puts the words for developers into a refusal.
func denied(err error) error {
	if challenge := new(auth.MFAChallenge); errors.As(err, &challenge) {
		return challenged(challenge)
	}
	d := new(auth.Denied)
	if !errors.As(err, &d) {
		return err
	}
	return &web.Answer{Status: http.StatusBadRequest, Body: api.OAuthError{Error: d.Error(), ErrorDescription: d.Description}}
}

// noStore keeps secrets out of caches (RFC 6749, 5.1).
func noStore(c *gin.Context) {
	web.NoStore(c)
	c.Header("Pragma", "no-cache")
}

// formDecoded undoes the encoding of RFC 6749, 2.3.1; clients that send the
// bare text are understood too.
func formDecoded(s string) string {
	if d, err := url.QueryUnescape(s); err == nil {
		return d
	}
	return s
}
