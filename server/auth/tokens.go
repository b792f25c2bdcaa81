package auth

import (
	"context"
	"errors"
	"math"
	"strings"
	"time"

	"svc/db"
)

// maxTokensListed bounds the list of an account's tokens.
const maxTokensListed = 200

// Grant is a wish for a token. Type says which other fields count.
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
	Addr         string // of who asks, against guessing
}

// Issued is a token in clear, which nobody can read again. ExpiresIn is in
// seconds and below 2³¹, which clients keep it in; Me is the account's
// ActivityPub id, empty for an app's own token.
type Issued struct {
	AccessToken  string
	RefreshToken string
	ExpiresIn    int64
	Scope        string
	CreatedAt    time.Time
	Me           string
}

// Grant gives a token, or a refusal: *Denied, why the account may not sign in,
// or an *MFAChallenge.
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

// exchange gives the token that a code stands for. An app that has the code but
// not what belongs to it loses the code.
func (s *Service) exchange(ctx context.Context, app *db.App, g Grant) (issued *Issued, err error) {
	var refused error
	err = s.db.Tx(ctx, func(tx *db.DB) error {
		issued, refused = nil, nil
		a, err := tx.TakeAuthorisation(ctx, Hash(g.Code), app.ID)
		if err = absent(err, "The code is unknown, used or expired."); err != nil {
			return err
		}
		switch {
		case a.RedirectURI != g.RedirectURI:
			refused = badCredentials("The redirect_uri is not the one that the code was asked with.")
			return nil
		case !verify(a, g.Verifier):
			refused = badCredentials("The code_verifier does not fit the code.")
			return nil
		}
		t := s.In(tx)
		account, err := t.mayStill(ctx, a.AccountID)
		if err != nil {
			return absent(err, "The account is gone.")
		}
		issued, err = t.Issue(ctx, app.ID, account, SplitScopes(a.Scopes))
		return err
	})
	if err == nil {
		err = refused
	}
	return issued, err
}

func (s *Service) password(ctx context.Context, app *db.App, g Grant) (*Issued, error) {
	scopes, err := requested(app, g.Scope)
	if err != nil {
		return nil, badCredentials("The scope goes beyond what the app registered.")
	}
	account, err := s.Login(ctx, g.Username, g.Password, g.Addr)
	if need := new(MFARequired); errors.As(err, &need) {
		token, err := s.startMFA(ctx, need.Account, &db.MFAToken{AppID: &app.ID, Scopes: strings.Join(scopes, " ")})
		if err != nil {
			return nil, err
		}
		return nil, &MFAChallenge{token}
	}
	if err != nil {
		return nil, err
	}
	return s.Issue(ctx, app.ID, account, scopes)
}

func (s *Service) appAlone(ctx context.Context, app *db.App, _ Grant) (*Issued, error) {
	return s.Issue(ctx, app.ID, nil, SplitScopes(app.Scopes))
}

// refresh replaces the token that was given with a refresh token. The refresh
// token is kept or renewed, as the setting says.
func (s *Service) refresh(ctx context.Context, app *db.App, g Grant) (issued *Issued, err error) {
	keep := s.settings.Load().OAuth.IssueNewRefreshToken // its name says the contrary of what it does
	err = s.db.Tx(ctx, func(tx *db.DB) error {
		old, err := tx.TakeRefreshToken(ctx, Hash(g.RefreshToken), app.ID)
		if errors.Is(err, db.ErrNotFound) && keep {
			// Another exchange of the same token may just have replaced the row
			// that this one waited for; the next statement sees the new one.
			old, err = tx.TakeRefreshToken(ctx, Hash(g.RefreshToken), app.ID)
		}
		if err = absent(err, "The refresh token is unknown or used."); err != nil {
			return err
		}
		var account *db.Account
		if old.AccountID != nil {
			if account, err = s.In(tx).mayStill(ctx, *old.AccountID); err != nil {
				return absent(err, "The account is gone.")
			}
		}
		refresh := Secret()
		if keep {
			refresh = g.RefreshToken
		}
		issued, err = s.In(tx).issue(ctx, app.ID, account, SplitScopes(old.Scopes), refresh)
		return err
	})
	return issued, err
}

// Issue gives an app a token for account, or one of its own for nil, without
// asking anybody.
func (s *Service) Issue(ctx context.Context, appID int64, account *db.Account, scopes []string) (*Issued, error) {
	return s.issue(ctx, appID, account, scopes, Secret())
}

func (s *Service) issue(ctx context.Context, appID int64, account *db.Account, scopes []string, refresh string) (*Issued, error) {
	now := s.now()
	life := s.settings.Load().OAuth.TokenExpiresIn
	refreshHash := Hash(refresh)
	out := &Issued{
		AccessToken: Secret(), RefreshToken: refresh, Scope: strings.Join(scopes, " "), CreatedAt: now,
		ExpiresIn: min(int64(life/time.Second), math.MaxInt32),
	}
	row := &db.Token{
		TokenHash: Hash(out.AccessToken), RefreshHash: &refreshHash, AppID: appID, Scopes: out.Scope,
		ExpiresAt: db.At(now.Add(life)), CreatedAt: db.At(now),
	}
	if account != nil {
		row.AccountID, out.Me = &account.ID, account.URI
	}
	return out, s.db.CreateToken(ctx, row)
}

// Revoke ends a token, given itself or its refresh token. Whoever holds it may;
// an unknown one is no error.
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

// Tokens returns the newest of an account's tokens that still work.
func (s *Service) Tokens(ctx context.Context, account *db.Account) ([]db.NamedToken, error) {
	return s.db.AccountTokens(ctx, account.ID, maxTokensListed)
}

// DeleteToken ends one of an account's own tokens, else it is db.ErrNotFound.
func (s *Service) DeleteToken(ctx context.Context, account *db.Account, id int64) error {
	return s.db.Tx(ctx, func(tx *db.DB) error { return tx.DeleteAccountToken(ctx, account.ID, id) })
}

// absent makes a refusal of not having found what the credentials name.
func absent(err error, description string) error {
	if errors.Is(err, db.ErrNotFound) {
		return badCredentials(description)
	}
	return err
}
