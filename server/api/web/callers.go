package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/fault"
	"svc/server/platform/rights"
	"svc/server/rules/auth"
	"svc/server/rules/login"
)

const (
	callerKey = "svc.caller"
	tokenKey  = "svc.token"
)

// Caller returns the caller, nil for a stranger.
func Caller(c *gin.Context) *auth.Identity {
	id, _ := c.Value(callerKey).(*auth.Identity)
	return id
}

// Token is the access token of the caller, "" for none.
func Token(c *gin.Context) string { return c.GetString(tokenKey) }

// Guard checks callers for routes.
type Guard struct {
	Identities *auth.Identities
	Login      *login.Service
	Rights     *rights.Service
	// AdminScopesOnly reads the setting enforce_oauth_admin_scope_usage.
	AdminScopesOnly func() bool
	// AdminToken reads the secret that stands for an admin, "" for none. Wrong
	// guesses of it are counted by Guesses.
	AdminToken func() string
	Guesses    *Limiter
}

// identify returns the caller: the holder of a token, or else the account of a
// name and password. It is nil for a stranger.
func (g *Guard) identify(c *gin.Context) (*auth.Identity, error) {
	id, err := g.tokenHolder(c)
	if id != nil || err != nil {
		return id, err
	}
	name, password, ok := c.Request.BasicAuth()
	if !ok {
		return nil, nil
	}
	id, err = g.Identities.IdentifyPassword(c.Request.Context(), g.Login.Login, name, password, RemoteAddr(c))
	if err != nil || id == nil {
		return nil, err
	}
	known(c, id)
	return id, nil
}

// tokenHolder returns the holder of the first valid token of a request: the
// parameter access_token, then a bearer token. The header is read before a
// body, since its holder may send more. A token in the body still takes
// precedence, but not one among files.
func (g *Guard) tokenHolder(c *gin.Context) (*auth.Identity, error) {
	id, err := g.byToken(c, Query(c, "access_token"))
	if id != nil || err != nil {
		return id, err
	}
	id, err = g.byToken(c, bearer(c.GetHeader("Authorization")))
	if err != nil {
		return nil, err
	}
	if id == nil || !isMultipart(c.Request) {
		inBody, err := g.byToken(c, field(c, "access_token"))
		if inBody != nil || err != nil {
			return inBody, err
		}
	}
	return id, nil
}

// byToken makes the holder of a token the caller, nil for an invalid one.
func (g *Guard) byToken(c *gin.Context, token string) (*auth.Identity, error) {
	if token == "" {
		return nil, nil
	}
	id, err := g.Identities.Identify(c.Request.Context(), token)
	if err != nil || id == nil {
		return nil, err
	}
	known(c, id)
	c.Set(tokenKey, token)
	return id, nil
}

// known makes id the caller.
func known(c *gin.Context, id *auth.Identity) {
	c.Set(callerKey, id)
	admit(c, id)
}

func bearer(header string) string {
	if len(header) > 6 && strings.EqualFold(header[:6], "Bearer") {
		return strings.TrimSpace(strings.TrimPrefix(header[6:], ":"))
	}
	return ""
}

// field is a text of the body, "" if there is none. A form with files is
// searched only as far as strangers may send. A body that cannot be read has no
// text; the handler reports its error.
func field(c *gin.Context, name string) string {
	in := intakeOf(c.Request)
	if in == nil {
		return ""
	}
	if kind, boundary := mediaType(c.Request); kind == multipartType {
		return ofParts(in.peek(strangerLimit), boundary, name)
	}
	t, err := body(c)
	if err != nil {
		return ""
	}
	text, _ := last(t[name]).(string)
	return text
}

// Public serves everybody; a caller is known but needs no scope.
func (g *Guard) Public(h Handler) Handler {
	return func(c *gin.Context) error {
		if _, err := g.identify(c); err != nil {
			return err
		}
		return h(c)
	}
}

// Optional serves everybody. A user counts as signed in if the token covers one of
// scopes; other tokens count as none.
func (g *Guard) Optional(h Handler, scopes ...string) Handler {
	return func(c *gin.Context) error {
		id, err := g.identify(c)
		if err != nil {
			return err
		}
		if id != nil && (id.Account == nil || !id.Can(scopes...)) {
			c.Set(callerKey, nil)
		}
		return h(c)
	}
}

// User serves users with a token that covers one of scopes; none named, any token.
func (g *Guard) User(h Handler, scopes ...string) Handler {
	return g.holder(h, func(id *auth.Identity) error {
		if id.Account == nil {
			return fault.Invalid("This method requires an authenticated user")
		}
		return covers(id, scopes)
	})
}

// App serves an app's own token only: registration.
func (g *Guard) App(h Handler) Handler {
	return g.holder(h, func(id *auth.Identity) error {
		if id.Account != nil {
			return fault.Forbidden("Invalid credentials.")
		}
		return nil
	})
}

// Token serves users and apps with a token that covers one of scopes.
func (g *Guard) Token(h Handler, scopes ...string) Handler {
	return g.holder(h, func(id *auth.Identity) error { return covers(id, scopes) })
}

// holder serves callers with a token that refuse does not refuse.
func (g *Guard) holder(h Handler, refuse func(id *auth.Identity) error) Handler {
	return func(c *gin.Context) error {
		id, err := g.identify(c)
		if err != nil {
			return err
		}
		if id == nil {
			return fault.Unauthenticated("The access token is invalid")
		}
		if err := refuse(id); err != nil {
			return err
		}
		return h(c)
	}
}

func covers(id *auth.Identity, scopes []string) error {
	if len(scopes) > 0 && !id.Can(scopes...) {
		return fault.Forbidden("This action is outside the authorized scopes")
	}
	return nil
}

// Admin serves admins, and moderators with the right: the right first, then the
// request's shape, as the handler decides, then the scope. A password alone has no scopes, and does
// not count.
func (g *Guard) Admin(h Handler, right rights.Right, scope string) Handler {
	return func(c *gin.Context) error {
		id, err := g.tokenHolder(c)
		switch {
		case err != nil:
			return err
		case id == nil || id.Account == nil:
			return g.keyholder(c, h)
		}
		if err := g.Rights.Check(id.Account, right); err != nil {
			return err
		}
		c.Set(scopeKey, adminScopes{scope, func(scope string) error { return g.adminScope(id, scope) }})
		return h(c)
	}
}

// Admits checks that a signed-in user may use the routes of the admin API with
// this right and scope.
func (g *Guard) Admits(id *auth.Identity, right rights.Right, scope string) error {
	if err := g.Rights.Check(id.Account, right); err != nil {
		return err
	}
	return g.adminScope(id, scope)
}

// keyholder serves a request with the admin token, as parameter admin_token or
// header X-Admin-Token, with every scope.
func (g *Guard) keyholder(c *gin.Context, h Handler) error {
	secret, given := g.AdminToken(), c.GetHeader("X-Admin-Token")
	if given == "" {
		given = Query(c, "admin_token")
	}
	if secret != "" && given == "" {
		given = field(c, "admin_token")
	}
	if secret == "" || given == "" {
		return fault.Forbidden("Invalid credentials.")
	}
	right, err := g.Guesses.Try(c, Limit{Bucket: config.BucketAuthentication, Kind: "admin_token"}, func() bool {
		a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(secret))
		return subtle.ConstantTimeCompare(a[:], b[:]) == 1
	})
	switch {
	case err != nil:
		return err
	case !right:
		return fault.Forbidden("Invalid credentials.")
	}
	known(c, auth.Keyholder())
	return h(c)
}

const scopeKey = "svc.scope"

// adminScopes is the scope of an admin route, and the check of one.
type adminScopes struct {
	route string
	check func(scope string) error
}

func (g *Guard) adminScope(id *auth.Identity, scope string) error {
	wanted := []string{"admin:" + scope}
	if !g.AdminScopesOnly() {
		wanted = append(wanted, scope)
	}
	if id.Can(wanted...) {
		return nil
	}
	return fault.Forbiddenf("Insufficient permissions: %s.", strings.Join(wanted, " | "))
}

// Scope checks the admin scope of the route, once the request's shape is known
// to be right: the admin API answers a wrong shape first. Bind and Path end and
// begin with it, so only handlers with neither call it.
func Scope(c *gin.Context) error {
	if s, ok := c.Value(scopeKey).(adminScopes); ok {
		return s.check(s.route)
	}
	return nil
}

// ScopeOf checks another admin scope, for a part of an answer that needs more
// than its route does.
func ScopeOf(c *gin.Context, scope string) error {
	if s, ok := c.Value(scopeKey).(adminScopes); ok {
		return s.check(scope)
	}
	return nil
}

// Path is a part of the path, for callers with the scope of the route. An empty
// one names nothing.
func Path(c *gin.Context, name string) (string, error) {
	if err := Scope(c); err != nil {
		return "", err
	}
	part := c.Param(name)
	if part == "" {
		return "", db.ErrNotFound
	}
	return part, nil
}

// IsRead reports whether a method changes nothing.
func IsRead(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}
