package auth

import (
	"context"
	"errors"
	"math"
	"strings"
	"time"

	"svc/db"
)

const (
	// maxTokensListed bounds the list of an account's tokens.
	maxTokensListed = 200
	// maxOwnTokens bounds the own tokens of an app.
	maxOwnTokens = 50
)

// Grant is a token request. Type decides which other fields count.
type Grant struct {
	Type         string
	ClientID     string
	ClientSecret string
	Code         string
	RedirectURI  string
	Verifier     string
	Username     string // nickname or e-mail address
	Password     string
	Scope        string
	RefreshToken string
	Addr         string // of the caller, against guessing
}

// Issued is a plain token, which cannot be read again. ExpiresIn is in seconds
// and below 2³¹, since clients store it in that size. Me is the account's
// ActivityPub id, empty for an app's own token.
type Issued struct {
	AccessToken  string
	RefreshToken string
	ExpiresIn    int64
	Scope        string
	CreatedAt    time.Time
	Me           string
}

// Grant issues a token, or refuses with *Denied, the reason why the account may
// not sign in, or an *MFAChallenge.
func (s *Service) Grant(ctx context.Context, g Grant) (*Issued, error) {
	var grant func(context.Context, *db.App, Grant) (*Issued, error)
	switch g.Type {
	case "authorization_code":
		grant = s.exchange
	case "password":
		grant = s.password
	case "client_credentials":
		grant = s.appAlone
	case "refresh_token":
		grant = s.refresh
	case "":
		return nil, badRequest("The grant_type is missing.")
	default:
		return nil, badRequest("The grant_type is none of authorization_code, password, client_credentials and refresh_token.")
	}
	app, err := s.client(ctx, g.ClientID, g.ClientSecret)
	if err != nil {
		return nil, err
	}
	return grant(ctx, app, g)
}

// exchange issues the token for a code. An app with the code but wrong further
// data loses the code. A repeated code is refused, and ends its tokens: it is known to
// others (RFC 6749, 4.1.2).
func (s *Service) exchange(ctx context.Context, app *db.App, g Grant) (issued *Issued, err error) {
	hash := Hash(g.Code)
	unknown := badCredentials("The code is unknown, used or expired.")
	asked, err := s.db.Authorisation(ctx, hash, app.ID)
	if errors.Is(err, db.ErrNotFound) {
		if err := s.db.Tx(ctx, func(tx *db.DB) error { return s.In(tx).repeated(ctx, app, g) }); err != nil {
			return nil, err
		}
		return nil, unknown
	}
	if err != nil {
		return nil, err
	}
	var refused error
	err = s.db.Tx(ctx, func(tx *db.DB) error {
		issued, refused = nil, nil
		in := s.In(tx)
		account, _, err := in.held(ctx, asked.AccountID)
		if err != nil {
			return refuseNotFound(err, "The account is gone.")
		}
		a, err := tx.TakeAuthorisation(ctx, hash, app.ID)
		switch {
		case errors.Is(err, db.ErrNotFound): // exchanged already
			refused = unknown
			return in.repeated(ctx, app, g)
		case err != nil:
			return err
		case a.RedirectURI != g.RedirectURI:
			refused = badCredentials("The redirect_uri is not the one that the code was asked with.")
			return nil
		case !verify(a, g.Verifier):
			refused = badCredentials("The code_verifier does not fit the code.")
			return nil
		}
		t := in.token(app.ID, Secret())
		verifier := Hash(g.Verifier)
		t.row.AccountID, t.row.Scopes, t.row.CodeHash, t.row.VerifierHash, t.row.CodeUsedAt = &account.ID, a.Scopes, &hash, &verifier, t.row.CreatedAt
		issued = t.issued(account)
		return tx.CreateToken(ctx, t.row)
	})
	if err == nil {
		err = refused
	}
	return issued, err
}

// loadedTwice is how long a code may be shown again: browsers load the address that it
// comes back to twice, after a crash or from a list of tabs.
const loadedTwice = 10 * time.Second

// repeated ends the tokens of a code that is shown again, but by the same client with
// the same verifier within loadedTwice.
func (s *Service) repeated(ctx context.Context, app *db.App, g Grant) error {
	return s.db.DeleteCodeTokens(ctx, Hash(g.Code), app.ID, Hash(g.Verifier), db.At(s.now().Add(-loadedTwice)))
}

func (s *Service) password(ctx context.Context, app *db.App, g Grant) (issued *Issued, err error) {
	scopes, err := requested(app, g.Scope)
	if err != nil {
		return nil, badCredentials("The scope goes beyond what the app registered.")
	}
	proof, err := s.Login(ctx, g.Username, g.Password, g.Addr)
	if need := new(MFARequired); errors.As(err, &need) {
		token, err := s.startMFA(ctx, need.Proof, &db.MFAToken{AppID: &app.ID, Scopes: strings.Join(scopes, " ")})
		if err != nil {
			return nil, err
		}
		return nil, &MFAChallenge{token}
	}
	if err != nil {
		return nil, err
	}
	err = s.prove(ctx, proof, func(in *Service, account *db.Account) (err error) {
		if issued, err = in.Issue(ctx, app.ID, account, scopes); err != nil {
			return err
		}
		return in.Use(ctx, app)
	})
	return issued, err
}

// appAlone issues an app's own token, in place of its oldest if it has many.
func (s *Service) appAlone(ctx context.Context, app *db.App, _ Grant) (issued *Issued, err error) {
	err = s.db.Tx(ctx, func(tx *db.DB) (err error) {
		if issued, err = s.In(tx).Issue(ctx, app.ID, nil, SplitScopes(app.Scopes)); err != nil {
			return err
		}
		return tx.TrimAppTokens(ctx, app.ID, maxOwnTokens)
	})
	return issued, err
}

// refresh replaces the access token of a refresh token. The setting decides
// whether the refresh token is renewed; a kept one serves concurrent requests
// one after the other.
func (s *Service) refresh(ctx context.Context, app *db.App, g Grant) (issued *Issued, err error) {
	keep := s.settings.Load().OAuth.IssueNewRefreshToken // its name says the opposite of its effect
	const unknown = "The refresh token is unknown or used."
	old, err := s.db.RefreshToken(ctx, Hash(g.RefreshToken), app.ID)
	if err != nil {
		return nil, refuseNotFound(err, unknown)
	}
	err = s.db.Tx(ctx, func(tx *db.DB) error {
		in := s.In(tx)
		var account *db.Account
		if old.AccountID != nil {
			a, _, err := in.held(ctx, *old.AccountID)
			if err != nil {
				return refuseNotFound(err, "The account is gone.")
			}
			account = a
		}
		refresh := Secret()
		if keep {
			refresh = g.RefreshToken
		}
		t := in.token(app.ID, refresh)
		if err := tx.RenewToken(ctx, Hash(g.RefreshToken), t.row); err != nil {
			return refuseNotFound(err, unknown)
		}
		issued = t.issued(account)
		sealed, err := in.SealToken(ctx, t.row.ID, t.access)
		if err != nil {
			return err
		}
		return tx.RenewPushSubscription(ctx, t.row.ID, sealed)
	})
	if err != nil {
		return nil, err
	}
	return issued, nil
}

// Issue issues a token of an app for account, or its own for nil, without
// checks.
func (s *Service) Issue(ctx context.Context, appID int64, account *db.Account, scopes []string) (*Issued, error) {
	t := s.token(appID, Secret())
	t.row.Scopes = strings.Join(scopes, " ")
	if account != nil {
		t.row.AccountID = &account.ID
	}
	return t.issued(account), s.db.CreateToken(ctx, t.row)
}

// token is a token before it is stored: its secret, and the row with the hash.
type token struct {
	access, refresh string
	life            time.Duration
	row             *db.Token
}

func (s *Service) token(appID int64, refresh string) *token {
	now, life := s.now(), s.settings.Load().OAuth.TokenExpiresIn
	t := &token{access: Secret(), refresh: refresh, life: life}
	hash := Hash(refresh)
	t.row = &db.Token{TokenHash: Hash(t.access), RefreshHash: &hash, AppID: appID, ExpiresAt: db.At(now.Add(life)), CreatedAt: db.At(now)}
	return t
}

// issued returns the plain token, for account or, for nil, for the app alone.
func (t *token) issued(account *db.Account) *Issued {
	out := &Issued{
		AccessToken: t.access, RefreshToken: t.refresh, Scope: t.row.Scopes, CreatedAt: t.row.CreatedAt.Time,
		ExpiresIn: min(int64(t.life/time.Second), math.MaxInt32),
	}
	if account != nil {
		out.Me = account.URI
	}
	return out
}

// Revoke ends a token, given itself or its refresh token. An unknown one is no
// error.
func (s *Service) Revoke(ctx context.Context, token string) error {
	if token == "" {
		return badRequest("The token is missing.")
	}
	err := s.db.Tx(ctx, func(tx *db.DB) error { return tx.DeleteToken(ctx, Hash(token)) })
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	return err
}

// Tokens returns the newest valid tokens of an account.
func (s *Service) Tokens(ctx context.Context, account *db.Account) ([]db.NamedToken, error) {
	return s.db.AccountTokens(ctx, account.ID, maxTokensListed)
}

// DeleteToken ends a token of an account; another's is db.ErrNotFound.
func (s *Service) DeleteToken(ctx context.Context, account *db.Account, id int64) error {
	return s.db.Tx(ctx, func(tx *db.DB) error { return tx.DeleteAccountToken(ctx, account.ID, id) })
}

// refuseNotFound turns "not found" into a refusal.
func refuseNotFound(err error, description string) error {
	if errors.Is(err, db.ErrNotFound) {
		return badCredentials(description)
	}
	return err
}
