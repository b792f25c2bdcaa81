package signup

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/fault"
	"svc/server/platform/jobs"
	"svc/server/platform/mail"
	"svc/server/rules/auth"
)

// confirmationLife is the life of a confirmation link.
const confirmationLife = 7 * 24 * time.Hour

// errLink refuses an invalid link.
var errLink = fault.NotFound("This link was used already, is too old, or is not complete.")

// escape returns a token as it is written in links. Its alphabet needs only its
// padding escaped.
func escape(token string) string { return url.QueryEscape(token) }

// letters are the mails with links, by purpose.
var letters = map[string]string{db.TokenConfirmation: mail.Confirmation, db.TokenPasswordReset: mail.PasswordReset}

// sendLink mails a link to u, in a transaction. Mails above the limit of a
// mailbox are not sent.
func (s *Service) sendLink(ctx context.Context, settings *config.Settings, u *db.User, purpose string) error {
	if !settings.Mailer.On() || u.Email == "" {
		return nil
	}
	if ok, err := mail.Allow(ctx, s.db, letters[purpose], u.Email, s.now()); err != nil || !ok {
		return err
	}
	return s.enqueueLink(ctx, u.AccountID, purpose)
}

func (s *Service) enqueueLink(ctx context.Context, accountID, purpose string) error {
	return jobs.Enqueue(ctx, s.db, jobs.SendLink{AccountID: accountID, Purpose: purpose})
}

// SendLink mails a link. Only its hash is stored, so that each attempt makes
// its own.
func (s *Service) SendLink(ctx context.Context, id string, args jobs.SendLink) error {
	if !s.settings.Load().Mailer.On() {
		return nil
	}
	var m *jobs.SendMail
	err := s.db.Tx(ctx, func(tx *db.DB) (err error) {
		m, err = s.In(tx).writeLink(ctx, args)
		return err
	})
	if err != nil {
		return ignoreNotFound(err)
	}
	if m.To == "" {
		return nil
	}
	return s.mail.Send(ctx, id, *m)
}

// writeLink creates a link and its mail, in a transaction that holds the
// account: a link never goes to a former address.
func (s *Service) writeLink(ctx context.Context, args jobs.SendLink) (*jobs.SendMail, error) {
	if err := s.db.HoldAccounts(ctx, args.AccountID); err != nil {
		return nil, err
	}
	a, err := s.db.Account(ctx, args.AccountID)
	if err != nil {
		return nil, err
	}
	u, err := s.db.User(ctx, args.AccountID)
	if err != nil {
		return nil, err
	}
	m := &jobs.SendMail{To: u.Email, Template: letters[args.Purpose], Data: map[string]string{"nickname": a.Nickname}}
	if u.Email == "" {
		return m, nil
	}
	switch args.Purpose {
	case db.TokenConfirmation:
		token, err := s.newLink(ctx, a.ID, args.Purpose, confirmationLife)
		if err != nil {
			return nil, err
		}
		m.Data["link"] = s.base + "/api/account/confirm_email/" + a.ID + "/" + escape(token)
	case db.TokenPasswordReset:
		reset, err := s.ResetLink(ctx, a.ID)
		if err != nil {
			return nil, err
		}
		m.Data["link"], m.Data["validity"] = reset.URL, span(s.settings.Load().Instance.PasswordResetTokenValidity)
	default:
		return nil, fmt.Errorf("send link: no purpose %q", args.Purpose)
	}
	return m, nil
}

// newLink stores a new token for a purpose and returns it.
func (s *Service) newLink(ctx context.Context, accountID, purpose string, life time.Duration) (string, error) {
	token := newToken()
	now := db.At(s.now())
	return token, s.db.CreateMailToken(ctx, &db.MailToken{
		TokenHash: auth.Hash(token), AccountID: accountID, Purpose: purpose, CreatedAt: now, ExpiresAt: now.Add(life),
	})
}

// span writes a duration in the largest unit that fits it.
func span(d time.Duration) string {
	n, unit := int64(d/time.Second), "second"
	for _, u := range []struct {
		name string
		of   int64
	}{{"minute", 60}, {"hour", 60}} {
		if n%u.of != 0 || n == 0 {
			break
		}
		n, unit = n/u.of, u.name
	}
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

// findUser finds a local user by nickname or mail address; nil if there is
// none.
func (s *Service) findUser(ctx context.Context, name string) (*db.Account, *db.User, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		return nil, nil, nil
	}
	var (
		a   *db.Account
		u   *db.User
		err error
	)
	if strings.Contains(name, "@") {
		if u, err = s.db.UserByEmail(ctx, name); err == nil {
			a, err = s.db.Account(ctx, u.AccountID)
		}
	} else if a, err = s.db.AccountByNickname(ctx, name); err == nil {
		u, err = s.db.User(ctx, a.ID)
	}
	if err != nil {
		return nil, nil, ignoreNotFound(err)
	}
	return a, u, nil
}

// ResendConfirmation mails another confirmation link to the account with this
// nickname or address, if it is unconfirmed. The outcome is not disclosed.
func (s *Service) ResendConfirmation(ctx context.Context, name string) error {
	a, u, err := s.findUser(ctx, name)
	if err != nil || a == nil || !a.ConfirmationPending || a.Deactivated {
		return err
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		return s.In(tx).sendLink(ctx, s.settings.Load(), u, db.TokenConfirmation)
	})
}

// Resend mails another confirmation link to an account, for an admin, confirmed
// or not and without a limit. An account without an address gets none.
func (s *Service) Resend(ctx context.Context, accountID string) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		u, err := tx.User(ctx, accountID)
		if err != nil {
			return ignoreNotFound(err)
		}
		if !s.settings.Load().Mailer.On() || u.Email == "" {
			return nil
		}
		return s.In(tx).enqueueLink(ctx, accountID, db.TokenConfirmation)
	})
}

// RequestReset mails a link to choose a new password to the account with this
// nickname or address. The outcome is not disclosed.
func (s *Service) RequestReset(ctx context.Context, name string) error {
	a, u, err := s.findUser(ctx, name)
	if err != nil || a == nil || a.Deactivated {
		return err
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		return s.In(tx).sendLink(ctx, s.settings.Load(), u, db.TokenPasswordReset)
	})
}

// Reset is a link to choose a new password.
type Reset struct{ Token, URL string }

// ResetLink creates a link to choose a new password for a local account, valid
// once and as long as the settings say. Older links stay valid. An unknown id
// is db.ErrNotFound.
func (s *Service) ResetLink(ctx context.Context, accountID string) (*Reset, error) {
	if _, err := s.db.User(ctx, accountID); err != nil {
		return nil, err
	}
	token, err := s.newLink(ctx, accountID, db.TokenPasswordReset, s.settings.Load().Instance.PasswordResetTokenValidity)
	if err != nil {
		return nil, err
	}
	return &Reset{token, s.base + s.words.Link("/api/svc/password_reset/") + escape(token)}, nil
}

// ResetUsable reports whether this token is valid for a new password.
func (s *Service) ResetUsable(ctx context.Context, token string) (bool, error) {
	_, err := s.db.MailToken(ctx, auth.Hash(token), db.TokenPasswordReset)
	return err == nil, ignoreNotFound(err)
}

// ResetPassword sets a new password with the token of a link, which is valid
// once. It ends a forced reset, all logins and the other links. An invalid
// token is refused as not found; an invalid password is refused and keeps the
// link valid.
func (s *Service) ResetPassword(ctx context.Context, token, password string) error {
	t, err := s.db.MailToken(ctx, auth.Hash(token), db.TokenPasswordReset)
	if errors.Is(err, db.ErrNotFound) {
		return errLink
	}
	if err != nil {
		return err
	}
	hash, err := s.auth.HashPassword(ctx, t.AccountID, password)
	if err != nil {
		return err
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if err := tx.HoldAccounts(ctx, t.AccountID); err != nil {
			return err
		}
		if _, err := tx.TakeMailToken(ctx, t.TokenHash, db.TokenPasswordReset); err != nil {
			if errors.Is(err, db.ErrNotFound) {
				return errLink
			}
			return err
		}
		return s.auth.In(tx).ReplacePassword(ctx, t.AccountID, hash)
	})
}

// sweepChunk bounds the rows that one transaction of a sweep removes.
const sweepChunk = 5000

// Sweep removes expired links and captchas.
func (s *Service) Sweep(ctx context.Context) error {
	return s.db.Steps(ctx, func(tx *db.DB) (bool, error) { return tx.SweepSignups(ctx, sweepChunk) })
}
