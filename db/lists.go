package db

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
)

// AccountList is a list of accounts with a timeline of its own.
type AccountList struct {
	ID        int64 `gorm:"primaryKey;autoIncrement"`
	AccountID string
	Title     string
	// RepliesPolicy selects the replies by members that the timeline has; "" of a new list
	// is RepliesToMembers.
	RepliesPolicy string
	Exclusive     bool // members are left out of the owner's home timeline
	CreatedAt     Time `gorm:"autoCreateTime:false"`
}

// The replies that a list's timeline has: to members, to accounts that the owner follows,
// or none; those to the owner, and of members to themselves, are always there.
const (
	RepliesToMembers  = "list"
	RepliesToFollowed = "followed"
	NoReplies         = "none"
)

// TableName names the table for the mapper.
func (AccountList) TableName() string { return "lists" }

// ListTimelineName returns the name of a list's timeline, for
// RemoveHomeEntries.
func ListTimelineName(id int64) string { return listPrefix + strconv.FormatInt(id, 10) }

// ListByID returns a list of ownerID; a list of another account is ErrNotFound.
func (d *DB) ListByID(ctx context.Context, ownerID string, id int64) (*AccountList, error) {
	return one[AccountList](ctx, d, fmt.Sprintf("list %d", id), "SELECT * FROM lists WHERE id = ? AND account_id = ?", id, ownerID)
}

// ListMembers returns the active members of a list, up to MaxListMembers, by
// account id.
func (d *DB) ListMembers(ctx context.Context, listID int64) ([]Account, error) {
	return list[Account](ctx, d, "members of a list", `SELECT a.* FROM list_accounts m JOIN accounts a ON a.id = m.account_id
		WHERE m.list_id = ? AND NOT a.deactivated AND NOT a.invisible ORDER BY m.account_id`+limit(MaxListMembers, 0), listID)
}

// The bounds of the lists of one account.
const (
	// MaxLists bounds the lists, MaxListMembers the members of one list.
	MaxLists       = 50
	MaxListMembers = 5000
)

// Lists returns an account's lists, newest first.
func (d *DB) Lists(ctx context.Context, ownerID string) ([]AccountList, error) {
	return list[AccountList](ctx, d, "lists of "+ownerID, "SELECT * FROM lists WHERE account_id = ? ORDER BY id DESC LIMIT ?", ownerID, MaxLists)
}

// ListsWith returns an account's lists with a given member, newest first.
func (d *DB) ListsWith(ctx context.Context, ownerID, memberID string) ([]AccountList, error) {
	return list[AccountList](ctx, d, "lists with "+memberID, `SELECT l.* FROM list_accounts m JOIN lists l ON l.id = m.list_id
		WHERE m.account_id = ? AND m.owner_id = ? ORDER BY m.list_id DESC`+limit(MaxLists, 0), memberID, ownerID)
}

// CreateList inserts l, giving it its id and the time.
func (d *DB) CreateList(ctx context.Context, l *AccountList) error {
	l.CreatedAt = d.Now()
	l.RepliesPolicy = cmp.Or(l.RepliesPolicy, RepliesToMembers)
	if err := create(ctx, d, l, "create list"); err != nil || !l.Exclusive {
		return err
	}
	return d.Announce(ctx, AccountChanged, l.AccountID)
}

// UpdateList writes all of l but its members.
func (d *DB) UpdateList(ctx context.Context, l *AccountList) error {
	_, err := d.exec(ctx, "update list", "UPDATE lists SET title = ?, replies_policy = ?, exclusive = ? WHERE id = ? AND account_id = ?",
		l.Title, l.RepliesPolicy, l.Exclusive, l.ID, l.AccountID)
	if err != nil {
		return err
	}
	return d.Announce(ctx, AccountChanged, l.AccountID)
}

// DeleteList removes a list and its members. Its timeline stays unreadable
// until RemoveListEntries has removed it.
func (d *DB) DeleteList(ctx context.Context, l *AccountList) error {
	n, err := d.exec(ctx, "delete list", "DELETE FROM lists WHERE id = ? AND account_id = ?", l.ID, l.AccountID)
	if err == nil && n == 0 {
		err = notFound("list %d", l.ID)
	}
	if err != nil {
		return err
	}
	_, err = d.exec(ctx, "delete list's members", "DELETE FROM list_accounts WHERE list_id = ?", l.ID)
	if err != nil || !l.Exclusive {
		return err
	}
	return d.Announce(ctx, AccountChanged, l.AccountID)
}
