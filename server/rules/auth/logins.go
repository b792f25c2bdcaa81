package auth

import (
	"context"
	"errors"
	"strings"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/fault"
)

// Why an account with the right password may not sign in.
var (
	errDisabled    = fault.Forbidden("Your account is currently disabled").With("account_is_disabled")
	errReset       = fault.Forbidden("Password reset is required").With("password_reset_required")
	errUnconfirmed = fault.Forbidden("Your login is missing a confirmed e-mail address").With("missing_confirmed_email")
	errUnapproved  = fault.Forbidden("Your account is awaiting approval.").With("awaiting_approval")
)

// mayLogIn returns nil if a local account may sign in, else the reason.
func mayLogIn(a *db.Account, resetPending bool, settings *config.Settings) error {
	switch {
	case a.Deactivated:
		return errDisabled
	case resetPending:
		return errReset
	case a.ApprovalPending:
		return errUnapproved
	case a.ConfirmationPending && settings.Instance.AccountActivationRequired:
		return errUnconfirmed
	}
	return nil
}

// Login returns the local account with this nickname or e-mail address and
// password. It takes as long for an unknown one. A refusal is a *Denied for
// wrong credentials, else forbidden with an identifier: account_is_disabled,
// password_reset_required, missing_confirmed_email or awaiting_approval. Too
// many wrong passwords from the address addr, or for one account, are rate
// limited; an empty addr is not counted. With a second factor it is
// *MFARequired.
func (s *Service) Login(ctx context.Context, name, password, addr string) (*Proof, error) {
	name = strings.TrimSpace(name)
	a, u, err := s.loginOf(ctx, name)
	if err != nil {
		return nil, err
	}
	rate := s.settings.Load().RateLimits[config.BucketAuthentication].Anonymous
	try := attemptOf(a, name, addr)
	// Checked before and after waiting: many guesses may come at once.
	at := place{lane: try.lane(), still: func() error { return s.attempts.check(try, rate, s.now()) }}
	if err := at.still(); err != nil {
		return nil, err
	}
	a, u, err = s.authenticate(ctx, at, a, u, name, password)
	if errors.Is(err, errStranger) {
		s.attempts.wrong(try, rate, s.now())
		return nil, badCredentials("The name or the password is wrong.")
	}
	if err != nil {
		return nil, err
	}
	s.attempts.right(try)
	if err := mayLogIn(a, u.PasswordResetPending, s.settings.Load()); err != nil {
		return nil, err
	}
	if u.TOTPEnabled {
		return nil, &MFARequired{proofOf(a, u)}
	}
	return proofOf(a, u), nil
}

// authenticate returns the owner of a name and password: by the directory if
// the settings name one, else, or if that is unreachable, by the stored a and
// u. A wrong pair is errStranger.
func (s *Service) authenticate(ctx context.Context, at place, a *db.Account, u *db.User, name, password string) (*db.Account, *db.User, error) {
	if d := &s.settings.Load().Directory; d.On() {
		a, u, err := s.byDirectory(ctx, at, d, name, password)
		if !errors.Is(err, errUnreachable) {
			return a, u, err
		}
	}
	ok, err := s.hasher.matches(ctx, at, u.PasswordHash, password)
	if err == nil && !ok {
		err = errStranger
	}
	return a, u, err
}

// loginOf finds the account of a login name; for an unknown one, a user without
// a password.
func (s *Service) loginOf(ctx context.Context, name string) (*db.Account, *db.User, error) {
	nobody := func(err error) (*db.Account, *db.User, error) {
		if errors.Is(err, db.ErrNotFound) {
			return nil, &db.User{}, nil
		}
		return nil, nil, err
	}
	if strings.Contains(name, "@") {
		u, err := s.db.UserByEmail(ctx, name)
		if err != nil {
			return nobody(err)
		}
		a, err := s.db.Account(ctx, u.AccountID)
		if err != nil {
			return nobody(err)
		}
		return a, u, nil
	}
	a, err := s.db.AccountByNickname(ctx, name)
	if err != nil {
		return nobody(err)
	}
	u, err := s.db.User(ctx, a.ID)
	if err != nil {
		return nobody(err)
	}
	return a, u, nil
}

// UserChanges is a change by SetUser; nil keeps a value.
type UserChanges struct {
	Admin        *bool
	Moderator    *bool
	PasswordHash string // as HashPassword makes it; empty leaves the password
}

// SetUser changes the rights and password of the local account with this
// nickname, for a command on the machine. An unknown one is db.ErrNotFound.
func (s *Service) SetUser(ctx context.Context, nickname string, in UserChanges) (*db.Account, error) {
	found, err := s.db.AccountByNickname(ctx, nickname)
	if err != nil {
		return nil, err
	}
	if !found.Local {
		return nil, db.ErrNotFound
	}
	var a *db.Account
	err = s.db.Tx(ctx, func(tx *db.DB) error {
		if err := tx.HoldAccounts(ctx, found.ID); err != nil {
			return err
		}
		if a, err = tx.Account(ctx, found.ID); err != nil {
			return err
		}
		if in.Admin != nil {
			a.IsAdmin = *in.Admin
		}
		if in.Moderator != nil {
			a.IsModerator = *in.Moderator
		}
		if in.Admin != nil || in.Moderator != nil {
			if err := tx.SetRoles(ctx, a); err != nil {
				return err
			}
		}
		if in.PasswordHash == "" {
			return nil
		}
		return replacePassword(ctx, tx, a.ID, in.PasswordHash)
	})
	return a, err
}
