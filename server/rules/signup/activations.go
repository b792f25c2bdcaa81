package signup

import (
	"context"
	"errors"
	"slices"
	"strings"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/jobs"
	"svc/server/platform/mail"
	"svc/server/rules/auth"
	"svc/server/rules/chats"
	"svc/server/rules/social"
)

// proceed takes the next step of an account after registration, confirmation or
// approval: it asks for confirmation of the address, waits for approval, or
// begins.
func (s *Service) proceed(ctx context.Context, settings *config.Settings, a *db.Account, u *db.User) error {
	switch {
	case a.ConfirmationPending:
		if !settings.Instance.AccountActivationRequired {
			return nil
		}
		return s.sendLink(ctx, settings, u, db.TokenConfirmation)
	case a.ApprovalPending:
		return s.askForApproval(ctx, settings, a, u)
	}
	return s.begin(ctx, settings, a, u)
}

// askForApproval mails a new account that it awaits approval, and the admins.
func (s *Service) askForApproval(ctx context.Context, settings *config.Settings, a *db.Account, u *db.User) error {
	if !settings.Mailer.On() {
		return nil
	}
	if u.Email != "" {
		if err := mail.Enqueue(ctx, s.db, settings, mail.ApprovalPending, map[string]string{"nickname": a.Nickname}, u.Email); err != nil {
			return err
		}
	}
	moderators, err := s.db.Moderators(ctx)
	if err != nil {
		return err
	}
	addresses, err := s.db.Addresses(ctx, moderators)
	if err != nil {
		return err
	}
	return mail.Enqueue(ctx, s.db, settings, mail.Review, map[string]string{
		"nickname": a.Nickname, "reason": u.RegistrationReason, "link": s.base + s.words.Link("/svc/admin/") + "#/users/" + a.ID + "/",
	}, addresses...)
}

// TellRejected mails a message to the person whose sign-up was rejected, once the
// transaction commits.
func (s *Service) TellRejected(ctx context.Context, a *db.Account, to, message string) error {
	settings := s.settings.Load()
	if to == "" || message == "" || !settings.Mailer.On() {
		return nil
	}
	if ok, err := mail.Allow(ctx, s.db, mail.Rejected, to, s.now()); err != nil || !ok {
		return err
	}
	return mail.Enqueue(ctx, s.db, settings, mail.Rejected, map[string]string{"nickname": a.Nickname, "message": message}, to)
}

// begin activates a new account: follows, followers, and welcome messages.
func (s *Service) begin(ctx context.Context, settings *config.Settings, a *db.Account, u *db.User) error {
	if err := s.befriend(ctx, &settings.Instance, a); err != nil {
		return err
	}
	w := &settings.Welcome
	if w.Email.Enabled && u.Email != "" {
		data := map[string]string{"nickname": a.Nickname, "name": a.DisplayName}
		if err := mail.Enqueue(ctx, s.db, settings, mail.Welcome, data, u.Email); err != nil {
			return err
		}
	}
	if !w.DirectMessage.Enabled && !w.ChatMessage.Enabled {
		return nil
	}
	return jobs.Enqueue(ctx, s.db, jobs.Welcome{AccountID: a.ID})
}

// Friends returns the ids of the accounts that a new account follows, or is followed
// by, as the settings name them. A transaction in which an account begins holds them
// together with the account.
func (s *Service) Friends(ctx context.Context) ([]string, error) {
	names := friends(&s.settings.Load().Instance)
	if len(names) == 0 {
		return nil, nil
	}
	known, err := s.db.AccountsByNickname(ctx, names, "")
	ids := make([]string, len(known))
	for i, k := range known {
		ids[i] = k.ID
	}
	return ids, err
}

func friends(i *config.Instance) []string {
	return slices.Concat(i.AutofollowedNicknames, i.AutofollowingNicknames)
}

// holdToBegin holds an account that may begin, and its friends.
func (s *Service) holdToBegin(ctx context.Context, accountID string) error {
	ids, err := s.Friends(ctx)
	if err != nil {
		return err
	}
	return s.db.HoldAccounts(ctx, append(ids, accountID)...)
}

// befriend creates the follows that the settings name. Accounts that are not
// local, unknown, inactive or blocked are skipped.
func (s *Service) befriend(ctx context.Context, i *config.Instance, a *db.Account) error {
	names := friends(i)
	if len(names) == 0 {
		return nil
	}
	if err := s.holdToBegin(ctx, a.ID); err != nil {
		return err
	}
	known, err := s.db.AccountsByNickname(ctx, names, "") // the current rows, held
	if err != nil {
		return err
	}
	slices.SortFunc(known, func(a, b db.Account) int { return strings.Compare(a.ID, b.ID) })
	named := func(list []string, k *db.Account) bool {
		return slices.ContainsFunc(list, func(n string) bool { return strings.EqualFold(n, k.Nickname) })
	}
	for i2 := range known {
		k := &known[i2]
		if !k.Local || k.ID == a.ID {
			continue
		}
		odds, err := s.atOdds(ctx, a, k)
		if err != nil {
			return err
		}
		if odds {
			continue
		}
		if named(i.AutofollowedNicknames, k) {
			if err := s.social.Follow(ctx, a, k.ID, social.FollowOptions{}); err != nil {
				return err
			}
		}
		if named(i.AutofollowingNicknames, k) {
			follower, err := s.db.Account(ctx, k.ID)
			if err != nil {
				return err
			}
			if err := s.social.Follow(ctx, follower, a.ID, social.FollowOptions{}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Service) atOdds(ctx context.Context, a, b *db.Account) (bool, error) {
	one, err := s.db.Blocks(ctx, a.ID, b.ID)
	if err != nil || one {
		return one, err
	}
	return s.db.Blocks(ctx, b.ID, a.ID)
}

// Greet sends the welcome messages of a new account, once however often it is
// called, in the names of the accounts from the settings. Remote or unknown
// ones send nothing.
func (s *Service) Greet(ctx context.Context, args jobs.Welcome) error {
	a, err := s.db.Account(ctx, args.AccountID)
	if err != nil {
		return ignoreNotFound(err)
	}
	w := &s.settings.Load().Welcome
	key := "welcome " + a.ID
	status := func(by *db.Account) error {
		_, err := s.social.PostStatus(ctx, by, social.NewStatus{
			Text: "@" + a.Nickname + "\n" + w.DirectMessage.Message, Visibility: db.Direct, IdempotencyKey: key,
		})
		return err
	}
	message := func(by *db.Account) error {
		chat, err := s.chats.Open(ctx, by, a.ID)
		if err != nil {
			return err
		}
		_, err = s.chats.Send(ctx, by, chat.ID, chats.NewMessage{Text: w.ChatMessage.Message, IdempotencyKey: key})
		return err
	}
	return errors.Join(s.say(ctx, &w.DirectMessage, a, status), s.say(ctx, &w.ChatMessage, a, message))
}

// say sends the message m to a from the account that it names, if it has a
// text.
func (s *Service) say(ctx context.Context, m *config.Message, a *db.Account, greet func(by *db.Account) error) error {
	if !m.Enabled || strings.TrimSpace(m.Message) == "" {
		return nil
	}
	by, err := s.db.AccountByNickname(ctx, m.SenderNickname)
	if err != nil {
		return ignoreNotFound(err)
	}
	if !by.Local || by.Deactivated || by.ID == a.ID {
		return nil
	}
	return greet(by)
}

// Confirm marks an account's address as confirmed; repeating it changes
// nothing. An unknown id is db.ErrNotFound.
func (s *Service) Confirm(ctx context.Context, accountID string) error {
	return s.change(ctx, accountID, func(t *Service, a *db.Account) (string, error) {
		if !a.ConfirmationPending {
			return "", nil
		}
		a.ConfirmationPending = false
		u := &db.User{AccountID: a.ID, EmailConfirmedAt: db.At(s.now())}
		if err := t.db.UpdateUser(ctx, u, "email_confirmed_at"); err != nil {
			return "", err
		}
		return "confirmation_pending", t.db.DeleteMailTokens(ctx, a.ID, db.TokenConfirmation)
	})
}

// Approve approves an account that awaits it; repeating it changes nothing. An
// unknown id is db.ErrNotFound.
func (s *Service) Approve(ctx context.Context, accountID string) error {
	return s.change(ctx, accountID, func(_ *Service, a *db.Account) (string, error) {
		if !a.ApprovalPending {
			return "", nil
		}
		a.ApprovalPending = false
		return "approval_pending", nil
	})
}

// change runs fn on a local account, stores the column that fn names, and takes
// the account's next step; without a column nothing happens.
func (s *Service) change(ctx context.Context, accountID string, fn func(t *Service, a *db.Account) (string, error)) error {
	settings := s.settings.Load()
	return s.db.Tx(ctx, func(tx *db.DB) error {
		t := s.In(tx)
		if err := t.holdToBegin(ctx, accountID); err != nil {
			return err
		}
		a, err := tx.Account(ctx, accountID)
		if err != nil || !a.Local {
			return err
		}
		column, err := fn(t, a)
		if err != nil || column == "" {
			return err
		}
		if err := tx.UpdateAccount(ctx, a, column); err != nil {
			return err
		}
		u, err := tx.User(ctx, a.ID)
		if err != nil {
			return err
		}
		return t.proceed(ctx, settings, a, u)
	})
}

// ConfirmWith confirms the account with this id by the token of a mailed link.
// A foreign or used token is db.ErrNotFound.
func (s *Service) ConfirmWith(ctx context.Context, accountID, token string) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		t, err := tx.TakeMailToken(ctx, auth.Hash(token), db.TokenConfirmation)
		if err != nil {
			return err
		}
		if t.AccountID != accountID {
			return db.ErrNotFound
		}
		return s.In(tx).Confirm(ctx, accountID)
	})
}

// ConfirmUsable reports whether ConfirmWith would succeed.
func (s *Service) ConfirmUsable(ctx context.Context, accountID, token string) (bool, error) {
	t, err := s.db.MailToken(ctx, auth.Hash(token), db.TokenConfirmation)
	if err != nil {
		return false, ignoreNotFound(err)
	}
	return t.AccountID == accountID, nil
}

// ignoreNotFound drops a "not found" error.
func ignoreNotFound(err error) error {
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	return err
}
