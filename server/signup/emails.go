package signup

import (
	"context"
	"errors"
	"strings"

	"svc/db"
	"svc/server/fault"
)

// ChangeEmail gives an account another address, for whoever knows its password.
func (s *Service) ChangeEmail(ctx context.Context, account *db.Account, password, address string) error {
	if err := s.auth.CheckOwnPassword(ctx, account, password); err != nil {
		return err
	}
	address = strings.TrimSpace(address)
	if address == "" {
		return emailRefused(blank)
	}
	if message := emailFault(s.settings.Load().User.EmailBlacklist, address); message != "" {
		return emailRefused(message)
	}
	key := strings.ToLower(address)
	err := s.db.UpdateUser(ctx, &db.User{AccountID: account.ID, Email: address, EmailKey: &key}, "email", "email_key")
	if errors.Is(err, db.ErrDuplicate) {
		return emailRefused(taken)
	}
	return err
}

// SetEmail gives a local account another address, "" for none, for an admin: of
// any domain, and taken as its own. An unknown id is db.ErrNotFound.
func (s *Service) SetEmail(ctx context.Context, accountID, address string) error {
	address = strings.TrimSpace(address)
	row := &db.User{AccountID: accountID, Email: address}
	if address != "" {
		message := emailFault(nil, address)
		if message == "" {
			other, err := s.db.UserByEmail(ctx, address)
			switch {
			case err == nil && other.AccountID != accountID:
				message = taken
			case orNothing(err) != nil:
				return err
			}
		}
		if message != "" {
			return fault.Invalid("", fault.Field{Name: "email", Message: message})
		}
		key := strings.ToLower(address)
		row.EmailKey = &key
	}
	err := s.db.UpdateUser(ctx, row, "email", "email_key")
	if errors.Is(err, db.ErrDuplicate) { // somebody was quicker
		return fault.Invalid("", fault.Field{Name: "email", Message: taken})
	}
	return err
}

func emailRefused(message string) error {
	if message == "Invalid email" {
		return fault.Malformed(message + ".")
	}
	return fault.Malformed("Email " + message + ".")
}
