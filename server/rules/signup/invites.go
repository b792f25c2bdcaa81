package signup

import (
	"context"
	"errors"
	"time"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/mail"
	"svc/server/platform/rights"
)

var (
	errInviteUnknown = fault.Malformed("Invalid token")
	errInviteExpired = fault.Malformed("Expired token")
)

// NewInvite bounds an invite. Without bounds it is for one account.
type NewInvite struct {
	MaxUse    *int64
	ExpiresOn *time.Time // the last day, to its end
	// IdempotencyKey makes a repeated request return the first invite. It must be
	// unique to the caller.
	IdempotencyKey string
}

// CreateInvite creates an invite. Its token allows registration while
// registration is closed.
func (s *Service) CreateInvite(ctx context.Context, by *db.Account, in NewInvite) (*db.Invite, error) {
	if err := s.rights.Check(by, rights.Invites); err != nil {
		return nil, err
	}
	if in.MaxUse != nil && *in.MaxUse < 1 {
		return nil, fault.Malformed("max_use must be at least 1")
	}
	invite := &db.Invite{Token: newToken(), MaxUse: in.MaxUse}
	if in.ExpiresOn != nil {
		day := in.ExpiresOn.Format(time.DateOnly)
		invite.ExpiresOn = &day
	}
	return db.Once(ctx, s.db, "invite", in.IdempotencyKey, func(claim db.Claim[string]) (*db.Invite, error) {
		return invite, s.db.Tx(ctx, func(tx *db.DB) error {
			if err := s.rights.Hold(ctx, tx, by, rights.Invites); err != nil {
				return err
			}
			if err := tx.CreateInvite(ctx, invite); err != nil {
				return err
			}
			return claim(ctx, tx, invite.Token)
		})
	}, func(token string) (*db.Invite, error) { return s.db.Invite(ctx, token) })
}

// Invites returns up to limit invites with ids above after, including used
// ones, oldest first.
func (s *Service) Invites(ctx context.Context, after int64, limit int) ([]db.Invite, error) {
	return s.db.Invites(ctx, after, limit)
}

// RevokeInvite ends an invite for good. An unknown token is db.ErrNotFound.
func (s *Service) RevokeInvite(ctx context.Context, by *db.Account, token string) (*db.Invite, error) {
	if err := s.rights.Check(by, rights.Invites); err != nil {
		return nil, err
	}
	var invite *db.Invite
	err := s.db.Tx(ctx, func(tx *db.DB) (err error) {
		if err := s.rights.Hold(ctx, tx, by, rights.Invites); err != nil {
			return err
		}
		invite, err = tx.RevokeInvite(ctx, token)
		return err
	})
	return invite, err
}

// EmailInvite creates an invite for one account and mails it, once for each
// key. It is refused while registration is open or invites are off, and without
// mail.
func (s *Service) EmailInvite(ctx context.Context, by *db.Account, email, name, key string) error {
	if err := s.rights.Check(by, rights.Invites); err != nil {
		return err
	}
	settings := s.settings.Load()
	switch {
	case settings.Instance.RegistrationsOpen:
		return fault.Malformed("To send invites you need to set the `registrations_open` option to false.")
	case !settings.Instance.InvitesEnabled:
		return fault.Malformed("To send invites you need to set the `invites_enabled` option to true.")
	case !settings.Mailer.On():
		return fault.Malformed("deliveries_disabled")
	case emailFault(nil, email) != "":
		return fault.Malformed("Invalid email")
	}
	return s.db.TxOnce(ctx, "invitation", key, func(tx *db.DB) error {
		if ok, err := mail.Allow(ctx, tx, mail.Invitation, email, s.now()); err != nil {
			return err
		} else if !ok {
			return fault.RateLimited("This mailbox was sent enough invitations for now. Try again in an hour.")
		}
		invite, err := s.In(tx).CreateInvite(ctx, by, NewInvite{})
		if err != nil {
			return err
		}
		return mail.Enqueue(ctx, tx, settings, mail.Invitation, map[string]string{
			"name": name, "link": s.base + "/registration/" + escape(invite.Token),
		}, email)
	})
}

// InviteUsable reports whether this token allows a registration now.
func (s *Service) InviteUsable(ctx context.Context, token string) (bool, error) {
	invite, err := s.db.Invite(ctx, token)
	if errors.Is(err, db.ErrNotFound) {
		return false, nil
	}
	return err == nil && invite.Usable(db.At(s.now())), err
}

// checkInvite refuses a registration without a valid invite early; the use is
// counted later.
func (s *Service) checkInvite(ctx context.Context, token string) error {
	if token == "" {
		return errInviteExpired
	}
	invite, err := s.db.Invite(ctx, token)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return errInviteUnknown
	case err != nil:
		return err
	case !invite.Usable(db.At(s.now())):
		return errInviteExpired
	}
	return nil
}
