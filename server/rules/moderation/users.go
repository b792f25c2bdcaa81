package moderation

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/rights"
	"svc/server/rules/signup"
)

// CreateUsers creates local users, all or none, whether registration is open or
// not; each proceeds as a confirmed user. If any is invalid it is
// *signup.NotMade.
func (s *Service) CreateUsers(ctx context.Context, by *db.Account, key string, asked ...signup.Asked) error {
	if err := s.rights.Check(by, UsersCreated.right); err != nil || len(asked) == 0 {
		return err
	}
	_, err := db.Once(ctx, s.db, "users", key, func(claim db.Claim[int64]) (any, error) {
		drafts, err := s.signup.Draft(ctx, asked)
		if err != nil {
			return nil, err
		}
		return nil, s.db.Tx(ctx, func(tx *db.DB) error {
			if err := claim(ctx, tx, 0); err != nil {
				return err
			}
			friends, err := s.signup.In(tx).Friends(ctx)
			if err != nil {
				return err
			}
			if err := s.rights.Hold(ctx, tx, by, UsersCreated.right, friends...); err != nil {
				return err
			}
			made, err := s.signup.In(tx).CreateDrafts(ctx, drafts)
			if err != nil {
				return err
			}
			return s.Log(ctx, tx, by, UsersCreated, Data{Users: made})
		})
	}, func(int64) (any, error) { return nil, nil })
	return err
}

// DeleteUsers deletes accounts for good, all or none, local, remote and
// deactivated ones. They are shut out at once, and a job removes their rows. A
// deleted one stays as it is, and is not logged again. An unknown nickname is
// db.ErrNotFound, and nothing changes.
func (s *Service) DeleteUsers(ctx context.Context, by *db.Account, nicknames ...string) error {
	_, err := s.onEach(ctx, by, UsersDeleted, nicknames, s.withFollows(true), func(tx *db.DB, a *db.Account) (bool, error) {
		return s.social.In(tx).DeleteAccount(ctx, by, a)
	})
	return err
}

// Approve approves accounts that await it, all or none, and each proceeds;
// others stay as they are, and are not logged. It returns the ids of all in the
// order of the nicknames.
func (s *Service) Approve(ctx context.Context, by *db.Account, nicknames ...string) ([]string, error) {
	return s.onEach(ctx, by, UsersApproved, nicknames, s.withFriends, func(tx *db.DB, a *db.Account) (bool, error) {
		if !a.ApprovalPending {
			return false, nil
		}
		return true, s.signup.In(tx).Approve(ctx, a.ID)
	})
}

// maxMessage bounds the message to a rejected person, in characters.
const maxMessage = 5000

// Reject deletes accounts that await approval, all or none, and mails a message to
// each with an address; an empty one is not mailed. Accounts that await nothing, which
// somebody else may have approved meanwhile, stay as they are and are not logged. An
// unknown nickname is db.ErrNotFound, and nothing changes.
func (s *Service) Reject(ctx context.Context, by *db.Account, message string, nicknames ...string) error {
	if err := s.rights.Check(by, UsersRejected.right); err != nil || len(nicknames) == 0 {
		return err
	}
	if message = strings.TrimSpace(message); utf8.RuneCountInString(message) > maxMessage {
		return fault.Malformed("Invalid parameters")
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		t, err := s.choose(ctx, tx, by, UsersRejected.right, nicknames, s.withFollows(true))
		if err != nil {
			return err
		}
		if err := t.sparesStaff(); err != nil {
			return err
		}
		var rejected []*db.Account
		for _, a := range t.inOrder() {
			if !a.ApprovalPending {
				continue
			}
			u, err := tx.User(ctx, a.ID)
			if errors.Is(err, db.ErrNotFound) { // deleted already
				continue
			}
			if err != nil {
				return err
			}
			if deleted, err := s.social.In(tx).DeleteSignup(ctx, by, a); err != nil || !deleted {
				return err
			}
			if err := s.signup.In(tx).TellRejected(ctx, a, u.Email, message); err != nil {
				return err
			}
			rejected = append(rejected, a)
		}
		if len(rejected) == 0 {
			return nil
		}
		return s.Log(ctx, tx, by, UsersRejected, Data{Users: rejected, Text: message})
	})
}

// ConfirmEmails confirms the addresses of accounts, all or none, and each
// unconfirmed one proceeds. All are logged.
func (s *Service) ConfirmEmails(ctx context.Context, by *db.Account, nicknames ...string) error {
	_, err := s.onEach(ctx, by, EmailConfirmed, nicknames, s.withFriends, func(tx *db.DB, a *db.Account) (bool, error) {
		return true, s.signup.In(tx).Confirm(ctx, a.ID)
	})
	return err
}

// ResendConfirmations mails another confirmation link to the accounts with an
// address, confirmed or not. All are logged.
func (s *Service) ResendConfirmations(ctx context.Context, by *db.Account, nicknames ...string) error {
	_, err := s.onEach(ctx, by, ConfirmationResent, nicknames, alone, func(tx *db.DB, a *db.Account) (bool, error) {
		return true, s.signup.In(tx).Resend(ctx, a.ID)
	})
	return err
}

// ForcePasswordReset shuts local accounts out until they choose new passwords,
// all or none. A remote one is db.ErrNotFound.
func (s *Service) ForcePasswordReset(ctx context.Context, by *db.Account, nicknames ...string) error {
	_, err := s.onEach(ctx, by, ResetForced, nicknames, alone, func(tx *db.DB, a *db.Account) (bool, error) {
		return true, s.auth.In(tx).ForceReset(ctx, a.ID)
	})
	return err
}

// LogOut ends all log-ins of local accounts, all or none. A remote one is db.ErrNotFound.
func (s *Service) LogOut(ctx context.Context, by *db.Account, nicknames ...string) error {
	_, err := s.onEach(ctx, by, LoggedOut, nicknames, alone, func(tx *db.DB, a *db.Account) (bool, error) {
		return true, s.auth.In(tx).EndLogIns(ctx, a.ID)
	})
	return err
}

// onEach applies do to accounts, all or none, and logs those that it changed.
// An unknown nickname is db.ErrNotFound, and nothing changes. It returns the
// ids in the order of the nicknames.
func (s *Service) onEach(ctx context.Context, by *db.Account, action *Action, nicknames []string, hold holding, do func(tx *db.DB, a *db.Account) (bool, error)) ([]string, error) {
	if err := s.rights.Check(by, action.right); err != nil || len(nicknames) == 0 {
		return nil, err
	}
	var ids []string
	err := s.db.Tx(ctx, func(tx *db.DB) error {
		t, err := s.choose(ctx, tx, by, action.right, nicknames, hold)
		if err != nil {
			return err
		}
		ids = t.ids
		done := map[string]bool{}
		for _, a := range t.inOrder() {
			if done[a.ID], err = do(tx, a); err != nil {
				return err
			}
		}
		var users []*db.Account
		for _, a := range t.each {
			if done[a.ID] {
				users = append(users, a)
			}
		}
		if len(users) == 0 {
			return nil
		}
		return s.Log(ctx, tx, by, action, Data{Users: users})
	})
	if err != nil {
		return nil, err
	}
	return ids, nil
}

// PasswordReset creates a link to choose a new password for a local account,
// once. The account is not notified, and it is not logged. An unknown, remote
// or deleted account is db.ErrNotFound.
func (s *Service) PasswordReset(ctx context.Context, by *db.Account, nickname string) (*signup.Reset, error) {
	if err := rights.Administer(by); err != nil {
		return nil, err
	}
	var link *signup.Reset
	err := s.db.Tx(ctx, func(tx *db.DB) error {
		t, err := s.choose(ctx, tx, by, rights.Admins, []string{nickname}, alone)
		if err != nil {
			return err
		}
		link, err = s.signup.In(tx).ResetLink(ctx, t.ids[0])
		return err
	})
	return link, err
}

// DisableMFA removes a local account's second factor, without a log entry. An
// unknown, remote or deleted account is db.ErrNotFound.
func (s *Service) DisableMFA(ctx context.Context, by *db.Account, nickname string) error {
	if err := rights.Administer(by); err != nil {
		return err
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		t, err := s.choose(ctx, tx, by, rights.Admins, []string{nickname}, alone)
		if err != nil {
			return err
		}
		return s.auth.In(tx).DisableMFA(ctx, t.each[0])
	})
}

// StartBackup makes an archive of a local account's data and mails the account
// about it, however new the last one is. It is refused while mail is off, and
// for an account without an address; an unknown one is db.ErrNotFound.
func (s *Service) StartBackup(ctx context.Context, by *db.Account, nickname, key string) error {
	if err := s.rights.Check(by, BackupRequested.right); err != nil {
		return err
	}
	return s.db.TxOnce(ctx, "backup", key, func(tx *db.DB) error {
		a, err := tx.AccountByNickname(ctx, nickname)
		if err != nil {
			return err
		}
		if err := s.rights.Hold(ctx, tx, by, BackupRequested.right, a.ID); err != nil {
			return err
		}
		if err := s.archive.In(tx).StartFor(ctx, a.ID); err != nil {
			return err
		}
		return s.Log(ctx, tx, by, BackupRequested, Data{Users: []*db.Account{a}})
	})
}
