package signup

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"svc/db"
	"svc/server/auth"
	"svc/server/config"
	"svc/server/fault"
	"svc/server/jobs"
	"svc/server/mail"
)

// maxResets is how many links to a new password one account is sent in an hour,
// whoever asks: beyond, asking floods somebody's mailbox.
const maxResets = 5

// errLink refuses a link that does not work, or does not any more.
var errLink = fault.NotFound("This link was used already, is too old, or is not complete.")

// escape writes a token as it stands in links. Its alphabet asks for nothing
// but its padding to be escaped.
func escape(token string) string { return url.QueryEscape(token) }

// sendLink has a link mailed to u, in a transaction.
func (s *Service) sendLink(ctx context.Context, settings *config.Settings, u *db.User, purpose string) error {
	if !settings.Mailer.On() || u.Email == "" {
		return nil
	}
	return jobs.Enqueue(ctx, s.db, jobs.SendLink{AccountID: u.AccountID, Purpose: purpose})
}

// SendLink mails a link. Only its hash is kept, so each attempt makes its own.
func (s *Service) SendLink(ctx context.Context, id string, args jobs.SendLink) error {
	settings := s.settings.Load()
	if !settings.Mailer.On() {
		return nil
	}
	a, err := s.db.Account(ctx, args.AccountID)
	if err != nil {
		return orNothing(err)
	}
	u, err := s.db.User(ctx, args.AccountID)
	if err != nil {
		return orNothing(err)
	}
	if u.Email == "" {
		return nil
	}
	m := jobs.SendMail{To: u.Email, Data: map[string]string{"nickname": a.Nickname}}
	switch args.Purpose {
	case db.TokenConfirmation:
		token, err := s.newLink(ctx, a.ID, args.Purpose, 0)
		if err != nil {
			return err
		}
		m.Template = mail.Confirmation
		m.Data["link"] = s.base + "/api/account/confirm_email/" + a.ID + "/" + escape(token)
	case db.TokenPasswordReset:
		reset, err := s.ResetLink(ctx, a.ID)
		if err != nil {
			return err
		}
		m.Template = mail.PasswordReset
		m.Data["link"], m.Data["validity"] = reset.URL, span(settings.Instance.PasswordResetTokenValidity)
	default:
		return fmt.Errorf("send link: no purpose %q", args.Purpose)
	}
	return s.mail.Send(ctx, id, m)
}

// newLink keeps a new token for a purpose and returns it; life 0 is for ever.
func (s *Service) newLink(ctx context.Context, accountID, purpose string, life time.Duration) (string, error) {
	token := newToken()
	row := &db.MailToken{TokenHash: auth.Hash(token), AccountID: accountID, Purpose: purpose, CreatedAt: db.At(s.now())}
	if life > 0 {
		row.ExpiresAt = row.CreatedAt.Add(life)
	}
	return token, s.db.CreateMailToken(ctx, row)
}

// span says a duration in the largest unit that fits it.
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

// named finds a local user by his nickname or mail address; nil is nobody.
func (s *Service) named(ctx context.Context, name string) (*db.Account, *db.User, error) {
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
		return nil, nil, orNothing(err)
	}
	return a, u, nil
}

// ResendConfirmation mails whoever has this nickname or mail address another
// link to confirm it, if that is still to be done. Nobody is told whether.
func (s *Service) ResendConfirmation(ctx context.Context, name string) error {
	a, u, err := s.named(ctx, name)
	if err != nil || a == nil || !a.ConfirmationPending || a.Deactivated {
		return err
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		return s.In(tx).sendLink(ctx, s.settings.Load(), u, db.TokenConfirmation)
	})
}

// Resend mails an account another link to confirm its address, whether that is
// still to be done or not. Who has no address, remote accounts among them, is
// sent nothing.
func (s *Service) Resend(ctx context.Context, accountID string) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		u, err := tx.User(ctx, accountID)
		if err != nil {
			return orNothing(err)
		}
		return s.In(tx).sendLink(ctx, s.settings.Load(), u, db.TokenConfirmation)
	})
}

// RequestReset mails whoever has this nickname or mail address a link to choose
// a new password. Nobody is told whether somebody has.
func (s *Service) RequestReset(ctx context.Context, name string) error {
	a, u, err := s.named(ctx, name)
	if err != nil || a == nil || a.Deactivated {
		return err
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		n, err := tx.CountMailTokens(ctx, a.ID, db.TokenPasswordReset, db.At(s.now().Add(-time.Hour)))
		if err != nil || n >= maxResets {
			return err
		}
		return s.In(tx).sendLink(ctx, s.settings.Load(), u, db.TokenPasswordReset)
	})
}

// Reset is a link to choose a new password.
type Reset struct{ Token, URL string }

// ResetLink makes a link with which whoever holds it can choose a new password
// for a local account, once, as long as the settings say; links made before stay
// valid. An unknown id is db.ErrNotFound.
func (s *Service) ResetLink(ctx context.Context, accountID string) (*Reset, error) {
	if _, err := s.db.User(ctx, accountID); err != nil {
		return nil, err
	}
	token, err := s.newLink(ctx, accountID, db.TokenPasswordReset, s.settings.Load().Instance.PasswordResetTokenValidity)
	if err != nil {
		return nil, err
	}
	return &Reset{token, s.base + "/api/svc/password_reset/" + escape(token)}, nil
}

// ResetUsable tells whether a password can be chosen with this token.
func (s *Service) ResetUsable(ctx context.Context, token string) (bool, error) {
	_, err := s.db.MailToken(ctx, auth.Hash(token), db.TokenPasswordReset)
	return err == nil, orNothing(err)
}

// ResetPassword chooses a new password with the token of a link, which works
// once. It ends a forced reset, everything that the account was signed in with,
// and its other links. A token that does not work is refused as not found, a
// blank password as invalid; with that, the link still works.
func (s *Service) ResetPassword(ctx context.Context, token, password string) error {
	t, err := s.db.MailToken(ctx, auth.Hash(token), db.TokenPasswordReset)
	if errors.Is(err, db.ErrNotFound) {
		return errLink
	}
	if err != nil {
		return err
	}
	hash, err := s.auth.HashPassword(ctx, password)
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

// Sweep removes links and captchas that have expired.
func (s *Service) Sweep(ctx context.Context) error {
	return s.db.Tx(ctx, func(tx *db.DB) error { return tx.SweepSignups(ctx) })
}
