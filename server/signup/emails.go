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

func emailRefused(message string) error {
	if message == "Invalid email" {
		return fault.Malformed(message + ".")
	}
	return fault.Malformed("Email " + message + ".")
}
