package signup

import (
	"context"
	"errors"
	"strings"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/fault"
	"svc/server/rules/auth"
)

// reserved refuses a reserved nickname to an admin.
const reserved = "is reserved"

// Asked is a local user to be created by an admin.
type Asked struct{ Nickname, Email, Password string }

// Drafts are valid users with hashed passwords.
type Drafts struct{ rows []*newRow }

// NotMade is the reason why no user was created: the first fault of each, in
// order, "" for none.
type NotMade struct{ Reasons []string }

// Error returns the first reason.
func (e *NotMade) Error() string {
	for _, r := range e.Reasons {
		if r != "" {
			return r
		}
	}
	return "nobody was made"
}

// Draft checks users for an admin and hashes their passwords, which takes tens
// of milliseconds each; CreateDrafts stores them. They are confirmed. Closed
// registration does not matter, required approval does. If any is invalid it is
// *NotMade.
func (s *Service) Draft(ctx context.Context, asked []Asked) (*Drafts, error) {
	settings := s.settings.Load()
	reasons, err := s.reasons(ctx, settings, asked)
	if err != nil {
		return nil, err
	}
	for _, r := range reasons {
		if r != "" {
			return nil, &NotMade{reasons}
		}
	}
	d := &Drafts{rows: make([]*newRow, len(asked))}
	for i, u := range asked {
		row := &newRow{account: db.NewAccount(s.base, u.Nickname), user: &db.User{Email: strings.TrimSpace(u.Email)}}
		row.account.ApprovalPending = settings.Instance.AccountApprovalRequired
		row.describe("", ".", s.base)
		if row.user.PasswordHash, err = s.auth.HashPassword(ctx, "drafts", u.Password); err != nil {
			return nil, err
		}
		d.rows[i] = row
	}
	return d, nil
}

// reasons returns the first fault of each, in 2 statements.
func (s *Service) reasons(ctx context.Context, settings *config.Settings, asked []Asked) ([]string, error) {
	var names, addresses []string
	for _, u := range asked {
		names, addresses = append(names, u.Nickname), append(addresses, strings.TrimSpace(u.Email))
	}
	known, err := s.db.AccountIDs(ctx, names)
	if err != nil {
		return nil, err
	}
	used, err := s.db.TakenEmails(ctx, addresses)
	if err != nil {
		return nil, err
	}
	reasons := make([]string, len(asked))
	for i, u := range asked {
		name, address := db.NicknameKey(u.Nickname), strings.ToLower(strings.TrimSpace(u.Email))
		_, taken := known[name]
		reasons[i] = askedFault(settings, &u, taken, used[address])
		known[name], used[address] = "asked for", true // refuses a repeated name
	}
	return reasons, nil
}

// askedFault returns the first fault of u.
func askedFault(settings *config.Settings, u *Asked, nameTaken, addressTaken bool) string {
	message := nicknameFault(settings, u.Nickname)
	switch {
	case message == refused:
		message = reserved
	case message == "" && nameTaken:
		message = taken
	}
	if message != "" {
		return "nickname " + message
	}
	address := strings.TrimSpace(u.Email)
	switch message = emailFault(settings.User.EmailBlacklist, address); {
	case address == "":
		message = blank
	case message == "" && addressTaken:
		message = taken
	}
	if message != "" {
		return "email " + message
	}
	if message = auth.PasswordFault(u.Password); message != "" {
		return "password " + message
	}
	return ""
}

// CreateDrafts creates users, all or none, and returns their accounts in order;
// each proceeds as a confirmed one. A name or address that was taken meanwhile
// is *NotMade.
func (s *Service) CreateDrafts(ctx context.Context, d *Drafts) ([]*db.Account, error) {
	settings := s.settings.Load()
	made := make([]*db.Account, len(d.rows))
	err := s.db.Tx(ctx, func(tx *db.DB) error {
		t := s.In(tx)
		for i, row := range d.rows {
			err := t.insert(ctx, row)
			var f *fault.Error
			if errors.As(err, &f) && len(f.Fields) > 0 {
				reasons := make([]string, len(d.rows))
				reasons[i] = f.Fields[0].Name + " " + f.Fields[0].Message
				return &NotMade{reasons}
			}
			if err != nil {
				return err
			}
			made[i] = row.account
		}
		for _, row := range d.rows {
			if err := t.proceed(ctx, settings, row.account, row.user); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}
