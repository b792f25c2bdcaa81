package signup

import (
	"context"
	"errors"
	"strings"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/mail"
)

// ChangeEmail changes an account's address, given its password.
func (s *Service) ChangeEmail(ctx context.Context, account *db.Account, password, address string) error {
	address = strings.TrimSpace(address)
	err := s.auth.WithPassword(ctx, account, password, func(tx *db.DB) error {
		if address == "" {
			return emailRefused(blank)
		}
		if message := emailFault(s.settings.Load().User.EmailBlacklist, address); message != "" {
			return emailRefused(message)
		}
		return s.In(tx).replaceEmail(ctx, account.ID, address)
	})
	if errors.Is(err, db.ErrDuplicate) {
		return emailRefused(taken)
	}
	return err
}

// SetEmail changes a local account's address, "" for none, for an admin: of any
// domain, and confirmed. An unknown id is db.ErrNotFound.
func (s *Service) SetEmail(ctx context.Context, accountID, address string) error {
	address = strings.TrimSpace(address)
	if address != "" {
		message := emailFault(nil, address)
		if message == "" {
			other, err := s.db.UserByEmail(ctx, address)
			switch {
			case err == nil && other.AccountID != accountID:
				message = taken
			case ignoreNotFound(err) != nil:
				return err
			}
		}
		if message != "" {
			return fault.Invalid("", fault.Field{Name: "email", Message: message})
		}
	}
	err := s.db.Tx(ctx, func(tx *db.DB) error { return s.In(tx).replaceEmail(ctx, accountID, address) })
	if errors.Is(err, db.ErrDuplicate) { // taken meanwhile
		return fault.Invalid("", fault.Field{Name: "email", Message: taken})
	}
	return err
}

// replaceEmail changes an account's address, "" for none, in a transaction.
// Links mailed to the former address become invalid, and its owner is notified.
func (s *Service) replaceEmail(ctx context.Context, accountID, address string) error {
	if err := s.db.HoldAccounts(ctx, accountID); err != nil {
		return err
	}
	a, err := s.db.Account(ctx, accountID)
	if err != nil {
		return err
	}
	u, err := s.db.User(ctx, accountID)
	if err != nil {
		return err
	}
	before := u.Email
	u.Email, u.EmailKey, u.EmailConfirmedAt = address, nil, db.Time{}
	if key := strings.ToLower(address); key != "" {
		u.EmailKey = &key
	}
	columns := []string{"email", "email_key"}
	if !strings.EqualFold(before, address) {
		columns = append(columns, "email_confirmed_at")
	}
	if err := s.db.UpdateUser(ctx, u, columns...); err != nil || strings.EqualFold(before, address) {
		return err
	}
	for _, purpose := range []string{db.TokenPasswordReset, db.TokenConfirmation} {
		if err := s.db.DeleteMailTokens(ctx, accountID, purpose); err != nil {
			return err
		}
	}
	return mail.TellChange(ctx, s.db, s.settings.Load(), s.now(), a.Nickname, before,
		"your account was given another e-mail address: from now on it is not this one.")
}

func emailRefused(message string) error {
	if message == "Invalid email" {
		return fault.Malformed(message + ".")
	}
	return fault.Malformed("Email " + message + ".")
}
