// Package auth authenticates callers: passwords, apps, codes, tokens, sessions
// and scopes. A person's rights are checked by the operations.
package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"time"

	"svc/db"
	"svc/server/platform/config"
)

// Identity is the authenticated caller of a request. It is shared and never
// changed.
type Identity struct {
	Account   *db.Account // nil for an app's own token
	App       db.App
	TokenID   int64
	Scopes    []string
	Relations db.Relations

	unscoped bool // by password: all scopes
}

// Can reports whether the token covers one of the scopes.
func (i *Identity) Can(scopes ...string) bool {
	return i != nil && (i.unscoped || GrantsAny(i.Scopes, scopes...))
}

// SSHScopes are the scopes of SSH sessions with a key that the caller adds.
func (i *Identity) SSHScopes() []string {
	if i.unscoped {
		return SplitScopes(SSHScopes)
	}
	return i.Scopes
}

// Keyholder is an admin with the operator's secret in place of a token. It has
// no account; its name, which nobody can register, is for the log.
func Keyholder() *Identity {
	return &Identity{Account: &db.Account{Nickname: "admin.token", DisplayName: "admin.token", Local: true, IsAdmin: true}, unscoped: true}
}

// AccountOf returns the signed-in account, nil for none.
func AccountOf(i *Identity) *db.Account {
	if i == nil {
		return nil
	}
	return i.Account
}

// Identities authenticates tokens.
type Identities struct {
	db       *db.DB
	settings *config.Live
	now      func() time.Time
	known    *cached[*Identity] // by the hash of the credentials
	salt     string             // of the keys that stand for passwords
}

// NewIdentities returns an authenticator that subscribes to the announcements
// of d.
func NewIdentities(d *db.DB, settings *config.Live, now func() time.Time) (*Identities, error) {
	cache, err := newBelieved[*Identity](now)
	if err != nil {
		return nil, err
	}
	s := &Identities{db: d, settings: settings, now: now, known: cache, salt: Secret()}
	d.Subscribe(func(topic, payload string) { s.forget(topic, payload) })
	return s, nil
}

func (s *Identities) forget(topic, payload string) {
	switch topic {
	case db.AnythingMissed, db.AppChanged:
		s.known.forgetAll()
	case db.AccountChanged:
		s.known.forgetIf(func(id *Identity) bool { return id.Account != nil && id.Account.ID == payload })
	}
}

// Identify returns the owner of a token. An unknown or expired token, or one of
// an account that may not sign in, is nil without an error.
func (s *Identities) Identify(ctx context.Context, token string) (*Identity, error) {
	if token == "" {
		return nil, nil
	}
	hash := Hash(token)
	return s.known.get(hash, func() (*Identity, error) { return s.load(ctx, hash) })
}

func (s *Identities) load(ctx context.Context, hash string) (*Identity, error) {
	use, err := s.db.TokenUse(ctx, hash)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	if use.Account != nil && mayLogIn(use.Account, use.ResetPending, s.settings.Load()) != nil {
		return nil, nil
	}
	if use.Account == nil && !use.App.Used && s.now().Sub(use.App.CreatedAt.Time) > stillUsed {
		if err := s.db.MarkAppUsed(ctx, use.App.ID); err != nil {
			return nil, err
		}
	}
	return &Identity{
		Account: use.Account, App: use.App, TokenID: use.Token.ID,
		Scopes: SplitScopes(use.Token.Scopes), Relations: use.Relations,
	}, nil
}

// Secret returns 32 random bytes as base64url without padding: client ids and
// secrets, codes and tokens.
func Secret() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails, by crypto/rand's contract
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// Hash returns the stored form of a secret that is only compared. It has 256
// random bits, so a plain SHA-256 suffices.
func Hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
