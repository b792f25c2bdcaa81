package auth

import (
	"context"
	"errors"
	"strings"

	"svc/db"
	"svc/server/config"
	"svc/server/fault"
)

// Why somebody with the right password may not come in.
var (
	errDisabled    = fault.Forbidden("Your account is currently disabled").With("account_is_disabled")
	errReset       = fault.Forbidden("Password reset is required").With("password_reset_required")
	errUnconfirmed = fault.Forbidden("Your login is missing a confirmed e-mail address").With("missing_confirmed_email")
	errUnapproved  = fault.Forbidden("Your account is awaiting approval.").With("awaiting_approval")
)

// standing tells whether a local account may sign in, and else why not.
func standing(a *db.Account, resetPending bool, settings *config.Settings) error {
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
// password_reset_required, missing_confirmed_email or awaiting_approval. Who
// was wrong too often, by his address addr, is refused as too quick; an empty
// addr is not counted. Who has a second factor is *MFARequired.
func (s *Service) Login(ctx context.Context, name, password, addr string) (*db.Account, error) {
	rate := s.settings.Load().RateLimits[config.BucketAuthentication].Anonymous
	if err := s.attempts.check(addr, rate, s.now()); err != nil {
		return nil, err
	}
	a, u, err := s.who(ctx, strings.TrimSpace(name), password)
	if errors.Is(err, errStranger) {
		s.attempts.wrong(addr, rate, s.now())
		return nil, badCredentials("The name or the password is wrong.")
	}
	if err != nil {
		return nil, err
	}
	if err := standing(a, u.PasswordResetPending, s.settings.Load()); err != nil {
		return nil, err
	}
	if u.TOTPEnabled {
		return nil, &MFARequired{Account: a}
	}
	return a, nil
}

// who finds whose name and password these are, by the directory where the
// settings name one, else or when that cannot be reached by what we keep. For
// nobody it is errStranger.
func (s *Service) who(ctx context.Context, name, password string) (*db.Account, *db.User, error) {
	if d := &s.settings.Load().Directory; d.On() {
		a, u, err := s.byDirectory(ctx, d, name, password)
		if !errors.Is(err, errUnreachable) {
			return a, u, err
		}
	}
	a, u, err := s.loginOf(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	ok, err := s.CheckPassword(ctx, u, password)
	if err == nil && !ok {
		err = errStranger
	}
	return a, u, err
}

// loginOf finds who is meant by name; for nobody, a user without a password.
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

// mayStill returns the account with this id when it may sign in.
func (s *Service) mayStill(ctx context.Context, id string) (*db.Account, error) {
	a, err := s.db.Account(ctx, id)
	if err != nil {
		return nil, err
	}
	u, err := s.db.User(ctx, id)
	if err != nil {
		return nil, err
	}
	return a, standing(a, u.PasswordResetPending, s.settings.Load())
}

// UserChanges says what SetUser changes; nil leaves a thing as it is.
type UserChanges struct {
	Admin     *bool
	Moderator *bool
	Password  *string
}

// SetUser changes the rights and password of the local account with this
// nickname, for whoever holds the machine. An unknown one is db.ErrNotFound.
func (s *Service) SetUser(ctx context.Context, nickname string, in UserChanges) (*db.Account, error) {
	a, err := s.db.AccountByNickname(ctx, nickname)
	if err != nil {
		return nil, err
	}
	if !a.Local {
		return nil, db.ErrNotFound
	}
	var hash string
	if in.Password != nil {
		if hash, err = s.HashPassword(ctx, *in.Password); err != nil {
			return nil, err
		}
	}
	err = s.db.Tx(ctx, func(tx *db.DB) error {
		if in.Admin != nil || in.Moderator != nil {
			if in.Admin != nil {
				a.IsAdmin = *in.Admin
			}
			if in.Moderator != nil {
				a.IsModerator = *in.Moderator
			}
			if err := tx.SetRoles(ctx, a); err != nil {
				return err
			}
		}
		if hash == "" {
			return nil
		}
		return replacePassword(ctx, tx, a.ID, hash)
	})
	return a, err
}
