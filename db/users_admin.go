package db

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// AdminUser is an account as admins see it: columns of the account and two of
// its user, empty for remote accounts.
type AdminUser struct {
	Serial              int64
	ID                  string
	Version             int64 // of the account
	Nickname            string
	URI, URL            string
	Local               bool
	ActorType           string
	DisplayName         string
	Tags                Slice[string]
	Avatar              string
	Deactivated         bool
	ConfirmationPending bool
	ApprovalPending     bool
	IsAdmin             bool
	IsModerator         bool
	Email               string
	RegistrationReason  string
	CreatedAt           Time
	StatusesCount       int
	LastStatusAt        Time    // zero for none
	DeletedAt           Time    // zero unless it was deleted for good
	Signup              *Signup // of accounts that await approval
}

const adminUserColumns = `SELECT a.serial, a.id, a.version, a.nickname, a.uri, a.url, a.local, a.actor_type, a.display_name, a.tags,
	a.avatar, a.deactivated, a.confirmation_pending, a.approval_pending, a.is_admin, a.is_moderator,
	COALESCE(u.email, ''), COALESCE(u.registration_reason, ''), a.created_at, a.statuses_count, a.last_status_at,
	(SELECT g.created_at FROM deletions g WHERE g.account_id = a.id)`

func adminUserCells(u *AdminUser) []any {
	return []any{&u.Serial, &u.ID, &u.Version, &u.Nickname, &u.URI, &u.URL, &u.Local, &u.ActorType, &u.DisplayName, &u.Tags,
		&u.Avatar, &u.Deactivated, &u.ConfirmationPending, &u.ApprovalPending, &u.IsAdmin, &u.IsModerator,
		&u.Email, &u.RegistrationReason, &u.CreatedAt, &u.StatusesCount, &u.LastStatusAt, &u.DeletedAt}
}

// window returns the start of a page in an order of total rows, its number of
// rows, and whether to read from the end, which is shorter for pages in the
// second half.
func (p NumberedPage) window(total int64) (offset, size int64, backwards bool) {
	offset = int64(p.Offset())
	size = min(int64(p.Size), max(total-offset, 0))
	if size > 0 && offset > total/2 {
		return total - offset - size, size, true
	}
	return offset, size, false
}

// AdminUsers returns a page of the accounts that f selects, by nickname, and
// their total (up to 5 statements). Invisible service actors are never among
// them.
func (d *DB) AdminUsers(ctx context.Context, f UserFilter, p NumberedPage) ([]AdminUser, int64, error) {
	f.Query = NicknameKey(f.Query)
	have, lack := f.masks()
	if have&lack != 0 {
		return nil, 0, nil
	}
	way, total, err := d.userPath(ctx, &f, have, lack)
	if err != nil {
		return nil, 0, err
	}
	offset, size, backwards := p.window(total)
	if size <= 0 {
		return nil, total, nil
	}
	q := &selection{}
	q.add(adminUserColumns + ` FROM (`)
	way.page(q, size, offset, backwards)
	q.add(`) p JOIN accounts a ON a.nickname_key = p.nickname_key LEFT JOIN users u ON u.account_id = a.id`)
	rows, err := scanAll(ctx, d, "users", adminUserCells, q.sql.String(), q.args...)
	slices.SortFunc(rows, func(a, b AdminUser) int {
		return cmp.Compare(strings.ToLower(a.Nickname), strings.ToLower(b.Nickname))
	})
	if err == nil {
		err = d.addSignups(ctx, rows)
	}
	return rows, total, err
}

// AdminUsersByID returns the accounts with these ids, in no order; unknown ids
// are left out (2 statements).
func (d *DB) AdminUsersByID(ctx context.Context, ids []string) ([]AdminUser, error) {
	rows, err := inChunks(ids, func(ids []string) ([]AdminUser, error) {
		return scanAll(ctx, d, "users", adminUserCells,
			adminUserColumns+` FROM accounts a LEFT JOIN users u ON u.account_id = a.id WHERE a.id IN ?`, ids)
	})
	if err == nil {
		err = d.addSignups(ctx, rows)
	}
	return rows, err
}

// FindAccount returns the account of a handle: its id, serial number or
// nickname, tried in this order.
func (d *DB) FindAccount(ctx context.Context, handle string) (*Account, error) {
	if a, err := d.Account(ctx, handle); err == nil || !errors.Is(err, ErrNotFound) {
		return a, err
	}
	if serial, err := strconv.ParseInt(handle, 10, 64); err == nil {
		if a, err := d.AccountBySerial(ctx, serial); err == nil || !errors.Is(err, ErrNotFound) {
			return a, err
		}
	}
	return d.AccountByNickname(ctx, handle)
}

// LockAccounts locks accounts until the transaction ends, and returns them as
// they are now, in no order.
func (d *DB) LockAccounts(ctx context.Context, ids []string) ([]Account, error) {
	if err := d.HoldAccounts(ctx, ids...); err != nil {
		return nil, err
	}
	return inChunks(ids, func(ids []string) ([]Account, error) { return d.Accounts(ctx, ids) })
}

// AccountIDs returns the ids of the accounts with these nicknames, in any case,
// by NicknameKey. Unknown ones are left out.
func (d *DB) AccountIDs(ctx context.Context, nicknames []string) (map[string]string, error) {
	type named struct{ key, id string }
	cells := func(n *named) []any { return []any{&n.key, &n.id} }
	rows, err := inChunks(nicknameKeys(nicknames), func(keys []string) ([]named, error) {
		return scanAll(ctx, d, "accounts by nickname", cells, `SELECT nickname_key, id FROM accounts WHERE nickname_key IN ?`, keys)
	})
	out := make(map[string]string, len(rows))
	for _, n := range rows {
		out[n.key] = n.id
	}
	return out, err
}

// UserStamp tells whether a cached rendering of an account and its user is
// current: the account's version, and the shown columns of the user.
type UserStamp struct {
	ID                 string
	Version            int64
	Email              string
	RegistrationReason string
}

// UserStamps returns the stamps of these accounts, in no order; unknown ids are
// left out.
func (d *DB) UserStamps(ctx context.Context, ids []string) ([]UserStamp, error) {
	cells := func(s *UserStamp) []any { return []any{&s.ID, &s.Version, &s.Email, &s.RegistrationReason} }
	return inChunks(ids, func(ids []string) ([]UserStamp, error) {
		return scanAll(ctx, d, "stamps of users", cells, `SELECT a.id, a.version, COALESCE(u.email, ''), COALESCE(u.registration_reason, '')
			FROM accounts a LEFT JOIN users u ON u.account_id = a.id WHERE a.id IN ?`, ids)
	})
}
