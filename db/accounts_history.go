package db

import (
	"context"
	"slices"
)

// AccountName is a name that an account had before.
type AccountName struct {
	Nickname    string
	DisplayName string
	Until       Time
}

// mostNames bounds the names that are kept of an account.
const mostNames = 20

// keepName keeps the names of an account as they are, if those of a are others.
func (d *DB) keepName(ctx context.Context, a *Account) error {
	n, err := d.exec(ctx, "keep name", `INSERT INTO account_names (account_id, until, nickname, display_name)
		SELECT id, CAST(? AS BIGINT), nickname, display_name FROM accounts WHERE id = ? AND (nickname <> ? OR display_name <> ?)
		ON CONFLICT DO NOTHING`, a.UpdatedAt, a.ID, a.Nickname, a.DisplayName)
	if err != nil || n == 0 {
		return err
	}
	_, err = d.exec(ctx, "forget old names", `DELETE FROM account_names WHERE account_id = ? AND until <= (
		SELECT until FROM account_names WHERE account_id = ? ORDER BY until DESC LIMIT 1 OFFSET ?)`, a.ID, a.ID, mostNames)
	return err
}

// AccountNames returns the names that an account had before, the newest first.
func (d *DB) AccountNames(ctx context.Context, accountID string) ([]AccountName, error) {
	return list[AccountName](ctx, d, "names of "+accountID, "SELECT nickname, display_name, until FROM account_names WHERE account_id = ? ORDER BY until DESC", accountID)
}

// Neighbours are other local accounts that share something with an account, the newest
// first.
type Neighbours struct {
	MailDomain string // of its address, "" for none
	ByMail     []string
	InviteID   int64 // that it registered with, 0 for none
	ByInvite   []string
}

// Neighbours returns those of a local account, up to limit of each kind (3 statements).
func (d *DB) Neighbours(ctx context.Context, accountID string, limit int) (Neighbours, error) {
	domain := d.mailDomain("email_key")
	shared, err := value[struct {
		MailDomain string
		InviteID   int64
	}](ctx, d, "sign-up of "+accountID, "SELECT COALESCE("+domain+", '') AS mail_domain, COALESCE(invite_id, 0) AS invite_id FROM users WHERE account_id = ?", accountID)
	out := Neighbours{MailDomain: shared.MailDomain, InviteID: shared.InviteID}
	if err != nil {
		return out, err
	}
	others := func(where string, same any) ([]string, error) {
		ids, err := list[string](ctx, d, "neighbours of "+accountID, "SELECT account_id FROM users WHERE "+where+" = ? ORDER BY account_id DESC"+limitOf(limit+1), same)
		ids = slices.DeleteFunc(ids, func(id string) bool { return id == accountID })
		return ids[:min(len(ids), limit)], err
	}
	if out.MailDomain != "" {
		if out.ByMail, err = others(domain, out.MailDomain); err != nil {
			return out, err
		}
	}
	if out.InviteID != 0 {
		out.ByInvite, err = others("invite_id", out.InviteID)
	}
	return out, err
}
