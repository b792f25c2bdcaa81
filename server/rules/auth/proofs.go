package auth

import (
	"context"
	"errors"

	"svc/db"
)

// Proof is a local account with checked credentials, and their version at that
// moment. Logins are written for a proof alone, and only while the version is
// current.
type Proof struct {
	Account *db.Account
	version int64
}

// proofOf returns the proof of an account that was checked against u.
func proofOf(a *db.Account, u *db.User) *Proof { return &Proof{a, u.CredentialVersion} }

// errChanged refuses a proof that is older than the credentials.
var errChanged = badCredentials("The credentials were changed meanwhile.")

// prove runs fn in a transaction that holds the account of p, so that its
// credentials cannot change. It is refused if they changed since, or if the
// account may no longer sign in.
func (s *Service) prove(ctx context.Context, p *Proof, fn func(in *Service, account *db.Account) error) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		in := s.In(tx)
		account, u, err := in.held(ctx, p.Account.ID)
		if err != nil {
			return refuseNotFound(err, "The account is gone.")
		}
		if u.CredentialVersion != p.version {
			return errChanged
		}
		return fn(in, account)
	})
}

// held returns an account that may sign in, and its user, in a transaction that
// holds it.
func (s *Service) held(ctx context.Context, id string) (*db.Account, *db.User, error) {
	if err := s.db.HoldAccounts(ctx, id); err != nil {
		return nil, nil, err
	}
	return s.mayStill(ctx, id)
}

// mayStill returns the account with this id, and its user, if it may sign in.
func (s *Service) mayStill(ctx context.Context, id string) (*db.Account, *db.User, error) {
	a, err := s.db.Account(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	u, err := s.db.User(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	return a, u, mayLogIn(a, u.PasswordResetPending, s.settings.Load())
}

// WithPassword runs fn in a transaction for a signed-in account that repeats
// its password. A wrong one is ErrPassword; too many are rate limited. The
// password stays valid while fn runs.
func (s *Service) WithPassword(ctx context.Context, account *db.Account, password string, fn func(tx *db.DB) error) error {
	p, err := s.checkOwnPassword(ctx, account, password)
	if err != nil {
		return err
	}
	return s.whileProven(ctx, p, fn)
}

// WithPasswordPrepared is WithPassword with a preparation outside of the transaction, such
// as calls to other servers, once the password is right.
func (s *Service) WithPasswordPrepared(ctx context.Context, account *db.Account, password string, prepare func() error, fn func(tx *db.DB) error) error {
	p, err := s.checkOwnPassword(ctx, account, password)
	if err == nil {
		err = prepare()
	}
	if err != nil {
		return err
	}
	return s.whileProven(ctx, p, fn)
}

// whileProven runs fn in a transaction while p, of a password, is valid.
func (s *Service) whileProven(ctx context.Context, p *Proof, fn func(tx *db.DB) error) error {
	err := s.prove(ctx, p, func(in *Service, _ *db.Account) error { return fn(in.db) })
	if errors.Is(err, errChanged) {
		return ErrPassword
	}
	return err
}
