package signup

import (
	"context"
	"strconv"
	"strings"
	"time"

	"svc/db"
	"svc/server/platform/mail"
)

const (
	// digestedKey is the key of the last digest's time.
	digestedKey = "new_users_digest"
	// digested bounds the accounts that one mail names, counted those that it
	// counts.
	digested, counted = 100, 1000
	// admins bounds the admins that get the mail.
	admins = 1000
)

// DigestNewUsers mails admins the new users since the last digest, at most a
// day back: once a day by UTC, if the settings say so and there are new users.
func (s *Service) DigestNewUsers(ctx context.Context) error {
	settings := s.settings.Load()
	if !settings.Mailings.NewUsersDigest || !settings.Mailer.On() {
		return nil
	}
	now := s.now().UTC()
	return s.db.Tx(ctx, func(tx *db.DB) error {
		raw, err := tx.Meta(ctx, digestedKey)
		if err != nil {
			return err
		}
		since := now.Add(-24 * time.Hour)
		if last, err := time.Parse(time.RFC3339Nano, raw); err == nil {
			if last.Format(time.DateOnly) == now.Format(time.DateOnly) {
				return nil
			}
			if last.After(since) {
				since = last
			}
		}
		if err := tx.SetMeta(ctx, digestedKey, now.Format(time.RFC3339Nano)); err != nil {
			return err
		}
		accounts, err := tx.NewAccounts(ctx, since, counted)
		if err != nil || len(accounts) == 0 {
			return err
		}
		told, _, err := tx.AdminUsers(ctx, db.UserFilter{Local: true, Active: true, Admins: true}, db.NumberedPage{Number: 1, Size: admins})
		if err != nil {
			return err
		}
		var to []string
		for _, u := range told {
			if u.Email != "" {
				to = append(to, u.Email)
			}
		}
		return mail.Enqueue(ctx, tx, settings, mail.NewUsers, digest(accounts), to...)
	})
}

// digest lists accounts, one in each line.
func digest(accounts []db.Account) map[string]string {
	more := ""
	if len(accounts) > digested {
		accounts, more = accounts[:digested], strconv.Itoa(len(accounts)-digested)
	}
	lines := make([]string, len(accounts))
	for i, a := range accounts {
		lines[i] = strconv.Itoa(i+1) + ". @" + a.Nickname
		switch {
		case a.ApprovalPending:
			lines[i] += ", who waits to be approved"
		case a.ConfirmationPending:
			lines[i] += ", who has not confirmed his address"
		}
	}
	return map[string]string{"users": strings.Join(lines, "\n"), "more": more}
}
