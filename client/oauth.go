package client

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"

	"svc/client/api"
)

// OutOfBand is the redirect URI with which the code is shown to the person
// instead of sent.
const OutOfBand = "urn:ietf:wg:oauth:2.0:oob"

// OAuth gets tokens and gives them back. None of its calls sends the client's
// own token.
type OAuth struct{ c *Client }

// PKCE ties a code to the program that asked for it: the challenge goes with
// the question, the verifier with the code. Shape: RFC 7636, S256.
type PKCE struct {
	Verifier  string
	Challenge string
}

// NewPKCE returns a random pair.
func NewPKCE() PKCE {
	verifier := RandomState()
	sum := sha256.Sum256([]byte(verifier))
	return PKCE{verifier, base64.RawURLEncoding.EncodeToString(sum[:])}
}

// RandomState returns 256 random bits as text, for Authorization.State.
func RandomState() string {
	var b [32]byte
	rand.Read(b[:]) // never fails: it ends the program instead
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// Authorization is the question that a person is asked in a browser. Scope is
// separated by spaces, empty for all of the app's; Challenge is PKCE's.
type Authorization struct {
	ClientID    string
	RedirectURI string
	Scope       string
	State       string
	Challenge   string
	ForceLogin  bool
}

// AuthorizeURL returns the page that asks. GET /oauth/authorize.
func (s *OAuth) AuthorizeURL(a Authorization) string {
	query := url.Values{
		"response_type": {"code"}, "client_id": {a.ClientID}, "redirect_uri": {a.RedirectURI},
	}
	for name, value := range map[string]string{"scope": a.Scope, "state": a.State, "code_challenge": a.Challenge} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if a.Challenge != "" {
		query.Set("code_challenge_method", "S256")
	}
	if a.ForceLogin {
		query.Set("force_login", "true")
	}
	return s.c.base.String() + "/oauth/authorize?" + query.Encode()
}

// Token exchanges a code, a password or a refresh token for a token. POST /oauth/token.
func (s *OAuth) Token(ctx context.Context, form api.TokenRequest) (*api.Token, error) {
	in := Request{Method: http.MethodPost, Body: values(form), Anonymous: true}
	return send[api.Token](ctx, s.c, in, []string{"/oauth/token"})
}

// Code exchanges an authorisation code. redirectURI must be the one asked with,
// verifier PKCE's or empty.
func (s *OAuth) Code(ctx context.Context, app *api.App, code, redirectURI, verifier string) (*api.Token, error) {
	return s.Token(ctx, api.TokenRequest{
		GrantType: "authorization_code", ClientID: app.ClientID, ClientSecret: app.ClientSecret,
		Code: code, RedirectURI: redirectURI, CodeVerifier: verifier,
	})
}

// Password exchanges a nickname or email and a password. An empty scope is all
// of the app's.
func (s *OAuth) Password(ctx context.Context, app *api.App, username, password, scope string) (*api.Token, error) {
	return s.Token(ctx, api.TokenRequest{
		GrantType: "password", ClientID: app.ClientID, ClientSecret: app.ClientSecret,
		Username: username, Password: password, Scope: scope,
	})
}

// ClientCredentials returns a token of the app itself, without a person.
func (s *OAuth) ClientCredentials(ctx context.Context, app *api.App) (*api.Token, error) {
	return s.Token(ctx, api.TokenRequest{
		GrantType: "client_credentials", ClientID: app.ClientID, ClientSecret: app.ClientSecret,
	})
}

// Refresh exchanges a refresh token for a new access token; the old one ends.
func (s *OAuth) Refresh(ctx context.Context, app *api.App, refreshToken string) (*api.Token, error) {
	return s.Token(ctx, api.TokenRequest{
		GrantType: "refresh_token", ClientID: app.ClientID, ClientSecret: app.ClientSecret,
		RefreshToken: refreshToken,
	})
}

// Challenge answers a password grant's mfa_required: in.ChallengeType is totp or
// recovery. POST /oauth/mfa/challenge.
func (s *OAuth) Challenge(ctx context.Context, app *api.App, in api.MFAChallenge) (*api.Token, error) {
	in.ClientID, in.ClientSecret = app.ClientID, app.ClientSecret
	return send[api.Token](ctx, s.c, Request{Method: http.MethodPost, Body: values(in), Anonymous: true}, []string{"/oauth/mfa/challenge"})
}

// Revoke ends a token; an unknown one is no error. POST /oauth/revoke.
func (s *OAuth) Revoke(ctx context.Context, app *api.App, token string) error {
	form := api.RevokeRequest{Token: token, ClientID: app.ClientID, ClientSecret: app.ClientSecret}
	in := Request{Method: http.MethodPost, Body: values(form), Anonymous: true, Repeatable: true}
	return perform(ctx, s.c, in, []string{"/oauth/revoke"})
}

// Server returns the addresses and abilities of the server's OAuth endpoints.
// GET /.well-known/oauth-authorization-server.
func (s *OAuth) Server(ctx context.Context) (*api.OAuthServer, error) {
	in := Request{Method: http.MethodGet, Anonymous: true}
	return send[api.OAuthServer](ctx, s.c, in, []string{"/.well-known/oauth-authorization-server"})
}
