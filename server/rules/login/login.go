// Package login signs people in by name and password. A directory may know
// someone who has no account here yet: the first sign-in makes one. Passwords,
// tokens and second factors are auth's, accounts are signup's; this package
// stands above both.
package login

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"svc/server/platform/fault"
	"svc/server/rules/auth"
	"svc/server/rules/signup"
)

// Service signs people in.
type Service struct {
	auth   *auth.Service
	signup *signup.Service
	log    *slog.Logger
}

// New returns a Service. The log names newcomers without an account because its
// creation was refused.
func New(a *auth.Service, s *signup.Service, log *slog.Logger) *Service { return &Service{a, s, log} }

// Login is auth's Login, and creates accounts for newcomers.
func (s *Service) Login(ctx context.Context, name, password, addr string) (*auth.Proof, error) {
	return admitting(ctx, s, func() (*auth.Proof, error) { return s.auth.Login(ctx, name, password, addr) })
}

// Grant is auth's Grant, and creates accounts for newcomers.
func (s *Service) Grant(ctx context.Context, g auth.Grant) (*auth.Issued, error) {
	return admitting(ctx, s, func() (*auth.Issued, error) { return s.auth.Grant(ctx, g) })
}

// admitting creates an account for a newcomer and tries again. An account that
// a concurrent sign-in created serves as well.
func admitting[T any](ctx context.Context, s *Service, try func() (T, error)) (T, error) {
	out, err := try()
	newcomer := new(auth.Newcomer)
	if !errors.As(err, &newcomer) {
		return out, err
	}
	_, failed := s.signup.Admit(ctx, newcomer)
	if out, err = try(); failed != nil && errors.As(err, &newcomer) {
		err = s.notMade(ctx, newcomer, failed)
	}
	return out, err
}

// notMade logs the refused creation of a newcomer's account, and returns the
// refusal of the sign-in.
func (s *Service) notMade(ctx context.Context, n *auth.Newcomer, err error) error {
	var refused *fault.Error
	if !errors.As(err, &refused) {
		return err
	}
	s.log.WarnContext(ctx, "somebody in the directory can be given no account", "nickname", n.Nickname, "err", err)
	why := refused.Message
	if len(refused.Fields) > 0 {
		f := refused.Fields[0]
		if why = f.Message; !strings.HasPrefix(why, "Invalid ") {
			why = "the " + f.Name + " " + f.Message
		}
	}
	return auth.NotMade(why)
}
