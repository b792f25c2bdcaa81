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

// mailHost is the SQL of the host of a user's address.
func (d *DB) mailHost() string {
	if d.Dialect() == Postgres {
		return "split_part(email_key, '@', 2)"
	}
	return "substr(email_key, instr(email_key, '@') + 1)"
}

// MailNeighbours returns the host of a local account's mail address, "" if it has none,
// and up to limit other accounts with one of that host, the newest first (2 statements).
func (d *DB) MailNeighbours(ctx context.Context, accountID string, limit int) (host string, ids []string, err error) {
	hosts, err := list[string](ctx, d, "mail host of "+accountID, "SELECT "+d.mailHost()+" FROM users WHERE account_id = ? AND email_key IS NOT NULL", accountID)
	if err != nil || len(hosts) == 0 || hosts[0] == "" {
		return "", nil, err
	}
	ids, err = list[string](ctx, d, "accounts of a mail host", "SELECT account_id FROM users WHERE "+d.mailHost()+
		" = ? AND email_key IS NOT NULL ORDER BY account_id DESC"+limitOf(limit+1), hosts[0])
	ids = slices.DeleteFunc(ids, func(id string) bool { return id == accountID })
	return hosts[0], ids[:min(len(ids), limit)], err
}
