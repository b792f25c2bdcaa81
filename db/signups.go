package db

import "context"

// Signup is what admins need to decide about an account that awaits approval, beside
// what they see of all accounts.
type Signup struct {
	EmailConfirmedAt Time   // zero if nobody confirmed the address
	InviteID         *int64 // the invite they registered with
	MailDomain       string // of the address; "" without one
	// SameDomain is how many other users have an address of that domain, up to
	// MaxSameDomain.
	SameDomain int
}

// MaxSameDomain (api.MaxMailDomainUsers) bounds the counting of users of a mail domain, which may be a large
// provider's.
const MaxSameDomain = 100

// mailDomain is SQL for the domain of users.email_key as column, as the index
// users_mail_domain has it. No address has two at signs.
func (d *DB) mailDomain(column string) string {
	if d.pool.dialect == Postgres {
		return "split_part(" + column + ", '@', 2)"
	}
	return "substr(" + column + ", instr(" + column + ", '@') + 1)"
}

// addSignups adds the Signup of those accounts that await approval, in one statement.
func (d *DB) addSignups(ctx context.Context, rows []AdminUser) error {
	var ids []string
	for i := range rows {
		if rows[i].ApprovalPending {
			ids = append(ids, rows[i].ID)
		}
	}
	type found struct {
		id string
		Signup
	}
	cells := func(f *found) []any {
		return []any{&f.id, &f.EmailConfirmedAt, &f.InviteID, &f.MailDomain, &f.SameDomain}
	}
	domain := d.mailDomain("u.email_key")
	signups, err := inChunks(ids, func(ids []string) ([]found, error) {
		return scanAll(ctx, d, "sign-ups", cells, `SELECT u.account_id, u.email_confirmed_at, u.invite_id, COALESCE(`+domain+`, ''),
			CASE WHEN u.email_key IS NULL THEN 0 ELSE (SELECT COUNT(*) - 1 FROM (SELECT 1 FROM users o
				WHERE `+d.mailDomain("o.email_key")+` = `+domain+limit(MaxSameDomain+1, 0)+`) few) END
			FROM users u WHERE u.account_id IN ?`, ids)
	})
	if err != nil {
		return err
	}
	byID := make(map[string]*Signup, len(signups))
	for i := range signups {
		byID[signups[i].id] = &signups[i].Signup
	}
	for i := range rows {
		rows[i].Signup = byID[rows[i].ID]
	}
	return nil
}
