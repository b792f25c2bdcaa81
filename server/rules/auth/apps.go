package auth

import (
	"context"
	"crypto/subtle"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/jobs"
	"svc/server/platform/rights"
)

// OutOfBand is the redirect URI for showing a code to the person instead of
// sending it.
const OutOfBand = "urn:ietf:wg:oauth:2.0:oob"

// Bounds of an app, in characters, since anybody may register one.
const (
	maxAppName      = 255
	maxAppWebsite   = 2000
	maxAppRedirects = 20
	maxAppRedirect  = 2000 // of one
	maxAppScopes    = 4000
)

const (
	// unusedFor is how long an unused app is kept.
	unusedFor = 7 * 24 * time.Hour
	// stillUsed is the age above which a call with an app's own token marks the app
	// as used.
	stillUsed = 24 * time.Hour
	// sweepChunk is how many apps are swept at once, and how many tokens of one are
	// removed.
	sweepChunk = 500
)

// App is a registered client with its plain secret.
type App struct {
	db.App
	ClientSecret string
}

// NewApp is a client to register. RedirectURIs are separated by spaces or line
// ends. Empty Scopes are read.
type NewApp struct {
	Name         string
	RedirectURIs string
	Scopes       string
	Website      string
	Trusted      bool // registrations through it need no captcha
	// IdempotencyKey makes a repeated request return the first app. It must be
	// unique to the caller.
	IdempotencyKey string
}

// CreateApp registers a client for anybody. Apps are never merged: each has
// credentials of its own.
func (s *Service) CreateApp(ctx context.Context, in NewApp) (*App, error) {
	app := &db.App{
		Name: strings.TrimSpace(in.Name), Website: strings.TrimSpace(in.Website), RedirectURIs: strings.TrimSpace(in.RedirectURIs),
		Scopes: strings.Join(unique(SplitScopes(in.Scopes)), " "), Trusted: in.Trusted,
	}
	if app.Scopes == "" {
		app.Scopes = "read"
	}
	if err := checkApp(app, "client_name"); err != nil {
		return nil, err
	}
	if err := s.createApp(ctx, app); err != nil {
		return nil, err
	}
	return s.withSecret(ctx, app)
}

// AddApp registers a client for an admin, who names the scopes too. Name and
// redirect URIs are stored as written.
func (s *Service) AddApp(ctx context.Context, by *db.Account, in NewApp) (*App, error) {
	if err := rights.Administer(by); err != nil {
		return nil, err
	}
	app := &db.App{
		Name: in.Name, Website: strings.TrimSpace(in.Website), RedirectURIs: in.RedirectURIs,
		Scopes: strings.Join(unique(SplitScopes(in.Scopes)), " "), Trusted: in.Trusted, Used: true,
	}
	if err := checkApp(app, "name"); err != nil {
		return nil, err
	}
	app, err := db.Once(ctx, s.db, "app", in.IdempotencyKey, func(claim db.Claim[int64]) (*db.App, error) {
		return app, s.db.Tx(ctx, func(tx *db.DB) error {
			if err := rights.HoldAdmin(ctx, tx, by); err != nil {
				return err
			}
			if err := s.In(tx).createApp(ctx, app); err != nil {
				return err
			}
			return claim(ctx, tx, app.ID)
		})
	}, func(id int64) (*db.App, error) { return s.db.App(ctx, id) })
	if err != nil {
		return nil, err
	}
	return s.withSecret(ctx, app)
}

func (s *Service) createApp(ctx context.Context, app *db.App) error {
	keys, err := s.seals(ctx)
	if err != nil {
		return err
	}
	app.ID, app.ClientID, app.Sealed = 0, Secret(), true
	if app.Secret, err = keys.seal(sealClient, app.ClientID, Secret()); err != nil {
		return err
	}
	return s.db.CreateApp(ctx, app)
}

// Apps returns a page of the apps that f selects, the oldest first, and the
// number of all of them.
func (s *Service) Apps(ctx context.Context, f db.AppFilter, p db.NumberedPage) ([]App, int64, error) {
	rows, total, err := s.db.Apps(ctx, f, p)
	if err != nil {
		return nil, 0, err
	}
	out := make([]App, len(rows))
	for i := range rows {
		app, err := s.withSecret(ctx, &rows[i])
		if err != nil {
			return nil, 0, err
		}
		out[i] = *app
	}
	return out, total, nil
}

func (s *Service) withSecret(ctx context.Context, app *db.App) (*App, error) {
	secret, err := s.clientSecret(ctx, app)
	return &App{*app, secret}, err
}

// clientSecret returns the plain secret of an app.
func (s *Service) clientSecret(ctx context.Context, app *db.App) (string, error) {
	if !app.Sealed {
		return app.Secret, nil
	}
	keys, err := s.seals(ctx)
	if err != nil {
		return "", err
	}
	return keys.unseal(sealClient, app.ClientID, app.Secret)
}

// Use marks an app as used: unused ones are swept.
func (s *Service) Use(ctx context.Context, app *db.App) error {
	if app.Used {
		return nil
	}
	return s.db.MarkAppUsed(ctx, app.ID)
}

// Sweep removes unused apps, and seals plain secrets of older apps.
func (s *Service) Sweep(ctx context.Context) error {
	before := db.At(s.now().Add(-unusedFor))
	err := s.db.Steps(ctx, func(tx *db.DB) (bool, error) {
		n, err := tx.SweepApps(ctx, before, sweepChunk)
		return n == sweepChunk, err
	})
	if err != nil {
		return err
	}
	return s.sealApps(ctx)
}

func (s *Service) sealApps(ctx context.Context) error {
	for {
		rows, err := s.db.AppsWithPlainSecrets(ctx, sweepChunk)
		if err != nil || len(rows) == 0 {
			return err
		}
		keys, err := s.seals(ctx)
		if err != nil {
			return err
		}
		err = s.db.Tx(ctx, func(tx *db.DB) error {
			for _, app := range rows {
				sealed, err := keys.seal(sealClient, app.ClientID, app.Secret)
				if err != nil {
					return err
				}
				if err := tx.SealApp(ctx, app.ID, sealed); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
}

// AppChange is an admin's change of a client; nil keeps a value.
type AppChange struct {
	Name         *string
	RedirectURIs *string
	Scopes       *string
	Website      *string
	Trusted      *bool
}

// ChangeApp changes a client under the rules of AddApp. Its tokens keep their
// scopes. An unknown one is db.ErrNotFound.
func (s *Service) ChangeApp(ctx context.Context, by *db.Account, id int64, in AppChange) (*App, error) {
	if err := rights.Administer(by); err != nil {
		return nil, err
	}
	var app *db.App
	err := s.db.Tx(ctx, func(tx *db.DB) (err error) {
		if err := rights.HoldAdmin(ctx, tx, by); err != nil {
			return err
		}
		if app, err = tx.HeldApp(ctx, id); err != nil {
			return err
		}
		if in.Name != nil {
			app.Name = *in.Name
		}
		if in.RedirectURIs != nil {
			app.RedirectURIs = *in.RedirectURIs
		}
		if in.Scopes != nil {
			app.Scopes = strings.Join(unique(SplitScopes(*in.Scopes)), " ")
		}
		if in.Website != nil {
			app.Website = strings.TrimSpace(*in.Website)
		}
		if in.Trusted != nil {
			app.Trusted = *in.Trusted
		}
		if err := checkApp(app, "name"); err != nil {
			return err
		}
		return tx.UpdateApp(ctx, app, "name", "redirect_uris", "scopes", "website", "trusted")
	})
	if err != nil {
		return nil, err
	}
	return s.withSecret(ctx, app)
}

// DeleteApp removes a client, which ends all its tokens; a job removes the rest of
// these if they are many. An unknown one is db.ErrNotFound.
func (s *Service) DeleteApp(ctx context.Context, by *db.Account, id int64) error {
	if err := rights.Administer(by); err != nil {
		return err
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if err := rights.HoldAdmin(ctx, tx, by); err != nil {
			return err
		}
		more, err := tx.DeleteApp(ctx, id, sweepChunk)
		if err != nil || !more {
			return err
		}
		return jobs.Enqueue(ctx, tx, jobs.ForgetApp{AppID: id})
	})
}

// ForgetApp runs a job of its kind, in steps of their own transactions. Run twice it
// does nothing more.
func (s *Service) ForgetApp(ctx context.Context, job jobs.ForgetApp) error {
	return s.db.Steps(ctx, func(tx *db.DB) (bool, error) { return tx.ForgetApp(ctx, job.AppID, sweepChunk) })
}

// checkApp refuses an invalid app; name is the name of its name in the request.
func checkApp(app *db.App, name string) error {
	var wrong []fault.Field
	check := func(name, message string, bad bool) {
		if bad {
			wrong = append(wrong, fault.Field{Name: name, Message: message})
		}
	}
	check(name, "can't be blank", strings.TrimSpace(app.Name) == "")
	check(name, "is too long", utf8.RuneCountInString(app.Name) > maxAppName)
	check("redirect_uris", "can't be blank", strings.TrimSpace(app.RedirectURIs) == "")
	redirects := strings.Fields(app.RedirectURIs)
	check("redirect_uris", "has more than 20 URIs", len(redirects) > maxAppRedirects)
	check("redirect_uris", "is too long", len(app.RedirectURIs) > maxAppRedirects*maxAppRedirect || slices.ContainsFunc(redirects, func(uri string) bool { return utf8.RuneCountInString(uri) > maxAppRedirect }))
	check("scopes", "can't be blank", app.Scopes == "")
	check("scopes", "is too long", len(app.Scopes) > maxAppScopes)
	check("website", "is too long", len(app.Website) > maxAppWebsite)
	check("website", "must be an http or https URL", app.Website != "" && !isWebsite(app.Website))
	for _, uri := range redirects {
		if !redirectable(uri) {
			check("redirect_uris", "must be absolute URIs", true)
			break
		}
	}
	if len(wrong) > 0 {
		return fault.Invalid("", wrong...)
	}
	return nil
}

func isWebsite(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// redirectable reports whether a browser may be sent to uri: an absolute URI
// without a fragment (RFC 6749, 3.1.2) that is not itself a document or script.
func redirectable(uri string) bool {
	if uri == OutOfBand {
		return true
	}
	u, err := url.Parse(uri)
	if err != nil || u.Scheme == "" || strings.Contains(uri, "#") || u.User != nil {
		return false
	}
	switch u.Scheme {
	case "http", "https":
		return u.Hostname() != ""
	case "javascript", "data", "vbscript", "blob", "file", "about", "urn", "view-source", "filesystem", "jar":
		return false
	}
	return true // of an app, even if nothing follows (RFC 8252, 7.1)
}

// listed reports whether uri is one of the app's, compared exactly.
func listed(app *db.App, uri string) bool {
	return uri != "" && slices.Contains(strings.Fields(app.RedirectURIs), uri) && redirectable(uri)
}

// client returns the app with these credentials.
func (s *Service) client(ctx context.Context, id, secret string) (*db.App, error) {
	app, err := s.db.AppByClientID(ctx, id)
	if err = refuseNotFound(err, "The client is unknown or its secret is wrong."); err != nil {
		return nil, err
	}
	known, err := s.clientSecret(ctx, app)
	if err != nil {
		return nil, err
	}
	if subtle.ConstantTimeCompare([]byte(known), []byte(secret)) != 1 {
		return nil, badCredentials("The client is unknown or its secret is wrong.")
	}
	return app, nil
}

func unique(words []string) []string {
	var out []string
	for _, w := range words {
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}
