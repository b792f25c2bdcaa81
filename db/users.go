package db

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
)

// User is who logs in: the credentials and private settings of a local account.
type User struct {
	AccountID                string `gorm:"primaryKey"`
	Email                    string
	EmailKey                 *string // lower case; nil when there is no address
	PasswordHash             string
	CredentialVersion        int64 // counts the changes to what the user signs in with
	RegistrationReason       string
	PasswordResetPending     bool
	TOTPSecret               string        `gorm:"column:totp_secret"`
	TOTPEnabled              bool          `gorm:"column:totp_enabled"`
	TOTPPending              string        `gorm:"column:totp_pending"` // shown, not yet confirmed
	TOTPStep                 int64         `gorm:"column:totp_step"`    // the last whose code was used
	BackupCodes              Slice[string] // as hashes
	MFAWrong                 int           `gorm:"column:mfa_wrong"` // codes since MFAWrongSince
	MFAWrongSince            Time          `gorm:"column:mfa_wrong_since"`
	SettingsStore            Document
	BlockFromStrangers       bool
	HideNotificationContents bool
	CreatedAt                Time `gorm:"autoCreateTime:false"`
}

// CreateUser inserts u. A taken address is ErrDuplicate.
func (d *DB) CreateUser(ctx context.Context, u *User) error {
	if u.Email != "" {
		key := strings.ToLower(u.Email)
		u.EmailKey = &key
	}
	if u.CreatedAt.IsZero() {
		u.CreatedAt = d.Now()
	}
	return create(ctx, d, u, "create user %s", u.AccountID)
}

// User returns the credentials of an account.
func (d *DB) User(ctx context.Context, accountID string) (*User, error) {
	u, err := pickFrom[User](d.orm).Where("account_id = ?", accountID).Take(ctx)
	if err != nil {
		return nil, wrap(err, "user %s", accountID)
	}
	return &u, nil
}

// UserByEmail returns the user with this address, in any case.
func (d *DB) UserByEmail(ctx context.Context, email string) (*User, error) {
	u, err := pickFrom[User](d.orm).Where("email_key = ?", strings.ToLower(email)).Take(ctx)
	if err != nil {
		return nil, wrap(err, "user by email")
	}
	return &u, nil
}

// TakenEmails returns which of these addresses users have, in lower case.
func (d *DB) TakenEmails(ctx context.Context, addresses []string) (map[string]bool, error) {
	scan := func(rows *sql.Rows) (key string, err error) { return key, rows.Scan(&key) }
	rows, err := inChunks(lower(addresses), func(keys []string) ([]string, error) {
		return scanAll(ctx, d, "users by email", scan, "SELECT email_key FROM users WHERE email_key IN ?", keys)
	})
	out := make(map[string]bool, len(rows))
	for _, key := range rows {
		out[key] = true
	}
	return out, err
}

// UpdateUser writes the named columns of u.
func (d *DB) UpdateUser(ctx context.Context, u *User, columns ...string) error {
	err := d.writer(ctx).Model(&User{}).Where("account_id = ?", u.AccountID).Select(columns).Updates(u).Error
	if err != nil {
		return wrap(err, "update user %s", u.AccountID)
	}
	return d.Announce(ctx, AccountChanged, u.AccountID)
}

// Addresses returns the mail addresses of those of the accounts that have one,
// in order.
func (d *DB) Addresses(ctx context.Context, accountIDs []string) ([]string, error) {
	if len(accountIDs) == 0 {
		return nil, nil
	}
	var out []string
	err := d.reader(ctx).Raw("SELECT email FROM users WHERE account_id IN ? AND email_key IS NOT NULL", accountIDs).Find(&out).Error
	slices.Sort(out)
	return out, wrap(err, "addresses")
}

// OwnStanding is what an account's owner is shown besides it. Of the user only
// what the API shows is read: no credentials.
type OwnStanding struct {
	User
	Version             int64 // of the account
	FollowRequests      int
	UnseenNotifications int // up to 5000
	UnreadConversations int // up to 1000
}

// OwnStanding returns an account's user and counts what waits for him, in one
// statement.
func (d *DB) OwnStanding(ctx context.Context, accountID string) (*OwnStanding, error) {
	q := &selection{}
	q.add(`SELECT a.version, u.settings_store, u.block_from_strangers, u.hide_notification_contents,
		(SELECT COUNT(*) FROM follows f WHERE f.target_id = u.account_id AND f.pending),
		`+unseenOf("u.account_id")+`,
		(SELECT COUNT(*) FROM (SELECT 1 FROM participations p WHERE p.account_id = u.account_id AND p.unread LIMIT 1000) pg)
		FROM users u JOIN accounts a ON a.id = u.account_id WHERE u.account_id = ?`, accountID)
	rows, err := d.rows(ctx, q)
	if err != nil {
		return nil, wrap(err, "user %s", accountID)
	}
	defer func() { _ = rows.Close() }()
	if !rows.Next() {
		return nil, wrap(errors.Join(rows.Err(), sql.ErrNoRows), "user %s", accountID)
	}
	s := OwnStanding{User: User{AccountID: accountID}}
	if err := rows.Scan(&s.Version, &s.SettingsStore, &s.BlockFromStrangers, &s.HideNotificationContents, &s.FollowRequests, &s.UnseenNotifications, &s.UnreadConversations); err != nil {
		return nil, wrap(err, "user %s", accountID)
	}
	return &s, wrap(rows.Err(), "user %s", accountID)
}
