package auth

import (
	"context"
	"errors"
	"time"

	"svc/db"
	"svc/server/platform/fault"
)

// SessionLife is the life of a browser session on the server's own pages.
const SessionLife = 30 * 24 * time.Hour

// SignIn begins a browser session and returns its secret.
func (s *Service) SignIn(ctx context.Context, by *Proof) (string, error) {
	secret := Secret()
	return secret, s.prove(ctx, by, func(in *Service, account *db.Account) error {
		return in.db.CreateSession(ctx, &db.Session{
			IDHash: Hash(secret), AccountID: account.ID, ExpiresAt: db.At(s.now().Add(SessionLife)),
		})
	})
}

// SignedIn returns the owner of a session: nil for none, an ended one, and one
// of an account that may no longer sign in.
func (s *Service) SignedIn(ctx context.Context, secret string) (*Proof, error) {
	if secret == "" {
		return nil, nil
	}
	session, err := s.db.Session(ctx, Hash(secret))
	if err != nil {
		return nil, absentIsNil(err)
	}
	a, _, err := s.mayStill(ctx, session.AccountID)
	if err != nil {
		return nil, absentIsNil(err)
	}
	return &Proof{a, session.CredentialVersion}, nil
}

func absentIsNil(err error) error {
	if errors.Is(err, db.ErrNotFound) || fault.Is(err, fault.KindForbidden) {
		return nil
	}
	return err
}

// SignOut ends a session; an unknown one is no error.
func (s *Service) SignOut(ctx context.Context, secret string) error {
	if secret == "" {
		return nil
	}
	return s.db.DeleteSession(ctx, Hash(secret))
}
