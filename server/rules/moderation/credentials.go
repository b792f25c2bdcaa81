package moderation

import (
	"context"
	"errors"
	"strings"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/text"
	"svc/server/rules/auth"
	"svc/server/rules/social"
)

const blank = "can't be blank"

// Credentials is an admin's change of a local user; nil keeps a value.
type Credentials struct {
	Profile  social.Profile
	Email    *string // "" for none; it counts as confirmed
	Password *string
	// Unreadable are values of the request that no field can have. They are refused
	// together with those that break a rule.
	Unreadable []fault.Field
}

// named maps columns of an account to their names in requests.
var named = map[string]string{"display_name": "name", "note": "bio"}

// UpdateCredentials changes a local user's profile and settings, all or none; a
// refusal's fields name everything wrong. A new password ends all logins of the
// user, who must then choose another one. An unknown, remote or deleted account
// is db.ErrNotFound.
func (s *Service) UpdateCredentials(ctx context.Context, by *db.Account, nickname string, c Credentials) error {
	if err := s.rights.Check(by, UsersUpdated.right); err != nil {
		return err
	}
	account, err := s.localUser(ctx, nickname)
	if err != nil {
		return err
	}
	found := c.Unreadable
	if name := c.Profile.DisplayName; name != nil && text.Line(*name) == "" {
		found = append(found, fault.Field{Name: "name", Message: "should be at least 1 character(s)"})
	}
	var hash string
	switch {
	case c.Password == nil:
	case strings.TrimSpace(*c.Password) == "":
		found = append(found, fault.Field{Name: "password", Message: blank}, fault.Field{Name: "password_confirmation", Message: blank})
	case auth.PasswordFault(*c.Password) != "":
		found = append(found, fault.Field{Name: "password", Message: auth.PasswordFault(*c.Password)})
	case len(found) == 0:
		if hash, err = s.auth.HashPassword(ctx, by.ID, *c.Password); err != nil {
			return err
		}
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		wrong := found[:len(found):len(found)]
		if _, err := s.choose(ctx, tx, by, UsersUpdated.right, []string{account.Nickname}, alone); err != nil {
			return err
		}
		if err := s.social.In(tx).CorrectProfile(ctx, account, c.Profile); err != nil {
			if wrong, err = join(wrong, err); err != nil {
				return err
			}
		}
		if c.Email != nil {
			if err := s.signup.In(tx).SetEmail(ctx, account.ID, *c.Email); err != nil {
				if wrong, err = join(wrong, err); err != nil {
					return err
				}
			}
		}
		if len(wrong) > 0 {
			return fault.Invalid("", wrong...)
		}
		if hash != "" {
			if err := s.auth.In(tx).ReplacePassword(ctx, account.ID, hash); err != nil {
				return err
			}
			if err := s.auth.In(tx).ForceReset(ctx, account.ID); err != nil {
				return err
			}
		}
		if err := s.Log(ctx, tx, by, UsersUpdated, Data{Users: []*db.Account{account}}); err != nil || hash == "" {
			return err
		}
		return s.Log(ctx, tx, by, ResetForced, Data{Users: []*db.Account{account}})
	})
}

// localUser returns the account with this nickname if it has a user.
func (s *Service) localUser(ctx context.Context, nickname string) (*db.Account, error) {
	account, err := s.db.AccountByNickname(ctx, nickname)
	if err != nil {
		return nil, err
	}
	_, err = s.db.User(ctx, account.ID)
	return account, err
}

// join adds the fields that err refuses, by their names in requests. An err
// without fields is returned.
func join(wrong []fault.Field, err error) ([]fault.Field, error) {
	var refusal *fault.Error
	if !errors.As(err, &refusal) || len(refusal.Fields) == 0 {
		return nil, err
	}
	for _, f := range refusal.Fields {
		if name := named[f.Name]; name != "" {
			f.Name = name
		}
		wrong = append(wrong, f)
	}
	return wrong, nil
}
