package login

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"svc/client"
	"svc/client/api"
)

// Scopes is the default scopes of a login: all rights of people's clients, and
// the admin API.
const Scopes = "read write follow admin:read admin:write"

// Login is one attempt to speak for somebody at one instance.
type Login struct {
	origin *url.URL
	known  Credential
	scopes string
	opts   []client.Option
	client *client.Client
	now    func() time.Time
}

// NewLogin starts a login at origin. known is the credential of an earlier
// login there, and its registered client is used again; empty scopes are
// Scopes.
func NewLogin(origin *url.URL, known Credential, scopes string, opts ...client.Option) (*Login, error) {
	if scopes == "" {
		scopes = Scopes
	}
	if known.Origin != origin.String() {
		known = Credential{}
	}
	// ParseOrigin allowed this http.
	opts = append(slices.Clone(opts), client.WithInsecureHTTP())
	c, err := client.New(origin.String(), opts...)
	if err != nil {
		return nil, err
	}
	return &Login{origin: origin, known: known, scopes: scopes, opts: opts, client: c, now: time.Now}, nil
}

// Code is the login without a browser on this machine: the person opens the
// returned page anywhere and brings the code it shows to redeem.
func (l *Login) Code(ctx context.Context) (page string, redeem func(context.Context, string) (Credential, error), err error) {
	c, app, err := l.register(ctx)
	if err != nil {
		return "", nil, err
	}
	pkce := client.NewPKCE()
	page = l.authorizeURL(app, client.OutOfBand, client.RandomState(), pkce)
	return page, func(ctx context.Context, code string) (Credential, error) {
		token, err := l.client.OAuth.Code(ctx, app, strings.TrimSpace(code), client.OutOfBand, pkce.Verifier)
		return l.accept(c, token, err)
	}, nil
}

// Password logs in with a nickname or email and a password.
func (l *Login) Password(ctx context.Context, username, password string) (Credential, error) {
	c, app, err := l.register(ctx)
	if err != nil {
		return c, err
	}
	token, err := l.client.OAuth.Password(ctx, app, username, password, l.scopes)
	return l.accept(c, token, err)
}

// Token takes a token that was made elsewhere.
func (l *Login) Token(text string) (Credential, error) {
	token, err := trimToken(text)
	if err != nil {
		return Credential{}, &AuthError{Message: "token", Err: err}
	}
	return Credential{Origin: l.origin.String(), AccessToken: token}, nil
}

func (l *Login) authorizeURL(app *api.App, redirect, state string, pkce client.PKCE) string {
	return l.client.OAuth.AuthorizeURL(client.Authorization{
		ClientID: app.ClientID, RedirectURI: redirect, Scope: l.scopes, State: state, Challenge: pkce.Challenge,
	})
}

// register returns the client to log in with: the known one when the instance
// still takes it and it may ask for the scopes, else a new one.
func (l *Login) register(ctx context.Context) (Credential, *api.App, error) {
	c := Credential{
		Origin: l.origin.String(), ClientID: l.known.ClientID, ClientSecret: l.known.ClientSecret,
		ClientScopes: l.known.ClientScopes,
	}
	if c.ClientID != "" && covers(c.ClientScopes, l.scopes) {
		token, err := l.client.OAuth.ClientCredentials(ctx, c.app())
		if err == nil {
			// The proof is not needed any longer; that it stays is harmless.
			_ = l.client.OAuth.Revoke(ctx, c.app(), token.AccessToken)
			return c, c.app(), nil
		}
		if !errors.Is(err, client.ErrInvalid) && !errors.Is(err, client.ErrForbidden) {
			return c, nil, err
		}
	}
	redirects := []string{client.OutOfBand}
	for _, port := range ports {
		redirects = append(redirects, redirectURI(port))
	}
	app, err := l.client.Apps.Create(ctx, api.NewApp{
		ClientName: "svcctl", RedirectURIs: strings.Join(redirects, " "), Scopes: l.scopes,
	})
	if err != nil {
		return c, nil, fmt.Errorf("register with the instance: %w", err)
	}
	c.ClientID, c.ClientSecret, c.ClientScopes = app.ClientID, app.ClientSecret, l.scopes
	return c, app, nil
}

func covers(have, want string) bool {
	held := strings.Fields(have)
	for _, scope := range strings.Fields(want) {
		if !slices.Contains(held, scope) {
			return false
		}
	}
	return true
}

func (l *Login) accept(c Credential, token *api.Token, err error) (Credential, error) {
	if err == nil {
		return c.withToken(token, l.now()), nil
	}
	var refusal *client.Error
	if errors.As(err, &refusal) && refusal.Status < 500 {
		e := &AuthError{Message: "log in to " + l.origin.Host, Err: errors.New(refusal.Message)}
		if refusal.Message == "mfa_required" {
			e.Err = errors.New("this account has a second factor")
			e.Hint = "svcctl auth login " + l.origin.String() + " --no-browser"
		}
		return c, e
	}
	return c, err
}

// Abilities is the rights that a credential turned out to have.
type Abilities struct {
	Account string // nickname
	Admin   bool   // the admin API answers it
	Reason  string // why the admin API does not
	Scopes  string // as far as known
	// Privileges are the parts of the admin API for it, as far as the server says;
	// only those, with Moderator.
	Privileges []api.Privilege
	Moderator  bool
}

// Try uses the credential. It finds its owner, and whether the admin API
// accepts it. A credential without an owner is an *AuthError.
func (l *Login) Try(ctx context.Context, c Credential) (Credential, Abilities, error) {
	probe, err := client.New(l.origin.String(), append(slices.Clone(l.opts), client.WithToken(c.AccessToken))...)
	if err != nil {
		return c, Abilities{}, err
	}
	able, err := Probe(ctx, probe)
	if err != nil {
		if errors.Is(err, client.ErrForbidden) {
			err = &AuthError{Message: l.origin.Host + " does not take this token", Err: err}
		}
		return c, able, err
	}
	c.Account = able.Account
	able.Scopes = c.Scopes
	return c, able, nil
}

// Probe returns the account of c's token, and its rights, after one read of the
// admin API.
func Probe(ctx context.Context, c *client.Client) (Abilities, error) {
	account, err := c.Accounts.Verify(ctx)
	if err != nil {
		return Abilities{}, err
	}
	able := Abilities{Account: account.Acct, Privileges: account.Svc.Privileges}
	moderator := account.Svc.IsAdmin != nil && !*account.Svc.IsAdmin && len(able.Privileges) > 0
	err = readOne(ctx, c, account)
	switch {
	case err == nil:
		able.Admin, able.Moderator = !moderator, moderator
	case errors.Is(err, client.ErrForbidden):
		var refusal *client.Error
		errors.As(err, &refusal)
		able.Reason = refusal.Message
	default:
		return able, err
	}
	return able, nil
}

// readOne reads what the account may read in the admin API, to try its scopes.
func readOne(ctx context.Context, c *client.Client, account *api.Account) (err error) {
	switch a := c.Admin; {
	case account.May(api.PrivilegeReports):
		_, err = a.Reports.List(api.ReportQuery{PageSize: 1}).Page(ctx)
	case account.May(api.PrivilegeStatuses):
		_, err = a.Statuses.List(api.StatusQuery{PageSize: 1}).Page(ctx)
	case account.May(api.PrivilegeUsersRead):
		_, err = a.Users.List(api.UserQuery{PageSize: 1}).Page(ctx)
	case account.May(api.PrivilegeLog):
		_, err = a.Log.List(api.LogQuery{PageSize: 1}).Page(ctx)
	case account.May(api.PrivilegeMedia):
		_, err = a.Media.Bans(api.MediaBanQuery{PageSize: 1}).Page(ctx)
	case account.May(api.PrivilegeInvites), account.May(api.PrivilegeUsersActivation):
		// Invites have no pages, and activations nothing to read.
	default:
		_, err = a.Reports.List(api.ReportQuery{PageSize: 1}).Page(ctx)
	}
	return err
}

// Save keeps the credential and makes its context the current one. An empty
// name is the context that knows the instance already, or else its host.
// where is "keyring" or a file.
func (l *Login) Save(paths Paths, store *Store, name string, insecure bool, c Credential) (chosen, where string, err error) {
	config, err := LoadConfig(paths.Config)
	if err != nil {
		return "", "", err
	}
	if name == "" {
		name = ContextFor(config, l.origin)
	}
	if err := CheckContextName(name); err != nil {
		return "", "", err
	}
	if old, ok := config.Contexts[name]; ok && !sameOrigin(old, l.origin) {
		return "", "", &ConfigError{
			Message: fmt.Sprintf("context %s is for %s", name, old.URL), Hint: "choose another name with --context",
		}
	}
	if c.ClientID == "" {
		// A token from elsewhere keeps the client that logins use.
		c.ClientID, c.ClientSecret, c.ClientScopes = l.known.ClientID, l.known.ClientSecret, l.known.ClientScopes
		c.RefreshToken = ""
	}
	if where, err = store.Put(name, c); err != nil {
		return "", "", err
	}
	entry := config.Contexts[name]
	entry.URL, entry.Account = l.origin.String(), c.Account
	entry.InsecureHTTP = entry.InsecureHTTP || insecure && l.origin.Scheme == "http" && !loopback(l.origin.Hostname())
	config.Contexts[name] = entry
	config.Current = name
	return name, where, config.Save(paths.Config)
}

// ContextFor is the name of the context for an instance: one there already, or
// a new one from the host.
func ContextFor(config *Config, origin *url.URL) string {
	if name, _, ok := contextAt(config, origin); ok {
		return name
	}
	return strings.Map(func(r rune) rune {
		if r == ':' || r == '[' || r == ']' {
			return '-'
		}
		return r
	}, strings.Trim(origin.Host, "[]"))
}

// Logout gives the stored token back to the instance and forgets it. The
// registered client stays, for the next login. A server that cannot be reached
// does not keep us from forgetting; its error is returned all the same.
func Logout(ctx context.Context, store *Store, name string, opts ...client.Option) error {
	c, err := store.Get(name)
	if err != nil {
		return err
	}
	var revokeErr error
	if api, err := client.New(c.Origin, append(slices.Clone(opts), client.WithInsecureHTTP())...); err != nil {
		revokeErr = err
	} else {
		for _, token := range []string{c.AccessToken, c.RefreshToken} {
			if token != "" && revokeErr == nil {
				revokeErr = api.OAuth.Revoke(ctx, c.app(), token)
			}
		}
	}
	left := Credential{Origin: c.Origin, ClientID: c.ClientID, ClientSecret: c.ClientSecret, ClientScopes: c.ClientScopes}
	if left.ClientID == "" {
		if err := store.Delete(name); err != nil {
			return err
		}
	} else if _, err := store.Put(name, left); err != nil {
		return err
	}
	if revokeErr != nil {
		return fmt.Errorf("forgotten here, but the instance was not told: %w", revokeErr)
	}
	return nil
}

func (c Credential) app() *api.App {
	return &api.App{ClientID: c.ClientID, ClientSecret: c.ClientSecret}
}

func (c Credential) withToken(t *api.Token, now time.Time) Credential {
	c.AccessToken, c.Scopes = t.AccessToken, t.Scope
	if t.RefreshToken != "" {
		c.RefreshToken = t.RefreshToken
	}
	c.ExpiresAt = time.Time{}
	if t.ExpiresIn > 0 {
		c.ExpiresAt = now.Add(time.Duration(t.ExpiresIn) * time.Second).UTC().Truncate(time.Second)
	}
	return c
}

func refreshToken(ctx context.Context, origin *url.URL, c Credential) (*api.Token, error) {
	api, err := client.New(origin.String(), client.WithInsecureHTTP())
	if err != nil {
		return nil, err
	}
	return api.OAuth.Refresh(ctx, c.app(), c.RefreshToken)
}
