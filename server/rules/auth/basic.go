package auth

import (
	"context"
	"errors"

	"svc/server/platform/fault"
)

var errBasicMFA = fault.Forbidden("Two-factor authentication enabled, you must use a access token.")

// Login checks a name and a password, as Service.Login does.
type Login func(ctx context.Context, name, password, addr string) (*Proof, error)

// IdentifyPassword authenticates a name and a password (HTTP Basic): nil for a
// wrong pair and for an account that may not sign in. It is refused for
// accounts with a second factor, and after too many guesses from one origin.
//
// A right pair is remembered as long as a token, so that a program that sends
// it with every request does not cost a hash each time.
func (s *Identities) IdentifyPassword(ctx context.Context, login Login, name, password, addr string) (*Identity, error) {
	key := "basic:" + Hash(s.salt+"\x00"+name+"\x00"+password)
	return s.known.get(key, func() (*Identity, error) { return s.loadByPassword(ctx, login, name, password, addr) })
}

func (s *Identities) loadByPassword(ctx context.Context, login Login, name, password, addr string) (*Identity, error) {
	proof, err := login(ctx, name, password, addr)
	switch {
	case errors.As(err, new(*MFARequired)):
		return nil, errBasicMFA
	case errors.As(err, new(*Denied)), fault.Is(err, fault.KindForbidden):
		return nil, nil
	case err != nil:
		return nil, err
	}
	relations, _, err := s.db.RelationsOf(ctx, proof.Account.ID)
	if err != nil {
		return nil, err
	}
	return &Identity{Account: proof.Account, Relations: relations, unscoped: true}, nil
}
