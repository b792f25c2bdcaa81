package db

import (
	"context"
	"slices"
	"strings"
)

// User holds the credentials and settings of a local account's owner.
type User struct {
	AccountID                string `gorm:"primaryKey"`
	Email                    string
	EmailKey                 *string // lower case; nil when there is no address
	EmailConfirmedAt         Time    // by its link or by an admin; zero if it was not
	InviteID                 *int64  // the invite they registered with
	PasswordHash             string
	CredentialVersion        int64 // counts the changes of credentials
	RegistrationReason       string
	PasswordResetPending     bool
	TOTPSecret               string        `gorm:"column:totp_secret"`
	TOTPEnabled              bool          `gorm:"column:totp_enabled"`
	TOTPPending              string        `gorm:"column:totp_pending"` // shown, not yet confirmed
	TOTPStep                 int64         `gorm:"column:totp_step"`    // the last step with a used code
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
	return one[User](ctx, d, "user "+accountID, "SELECT * FROM users WHERE account_id = ?", accountID)
}

// UserByEmail returns the user with this address, in any case.
func (d *DB) UserByEmail(ctx context.Context, email string) (*User, error) {
	return one[User](ctx, d, "user by email", "SELECT * FROM users WHERE email_key = ?", strings.ToLower(email))
}

// TakenEmails returns those of these addresses that users have, in lower case.
func (d *DB) TakenEmails(ctx context.Context, addresses []string) (map[string]bool, error) {
	rows, err := inChunks(lower(addresses), func(keys []string) ([]string, error) {
		return list[string](ctx, d, "users by email", "SELECT email_key FROM users WHERE email_key IN ?", keys)
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

// Addresses returns the mail addresses of those accounts that have one, in
// order.
func (d *DB) Addresses(ctx context.Context, accountIDs []string) ([]string, error) {
	if len(accountIDs) == 0 {
		return nil, nil
	}
	out, err := list[string](ctx, d, "addresses", "SELECT email FROM users WHERE account_id IN ? AND email_key IS NOT NULL", accountIDs)
	slices.Sort(out)
	return out, err
}

// OwnStanding is the state that an account's owner is shown beside the account.
// It holds only the user columns that the API shows and the version of the
// credentials, not the credentials.
type OwnStanding struct {
	User
	Version             int64 // of the account
	FollowRequests      int
	UnseenNotifications int // up to 5000
	UnreadConversations int // up to 1000
}

// OwnStanding returns an account's user with its unread counts, in one
// statement.
func (d *DB) OwnStanding(ctx context.Context, accountID string) (*OwnStanding, error) {
	return one[OwnStanding](ctx, d, "user "+accountID, `SELECT a.version, u.account_id, u.credential_version, u.settings_store, u.block_from_strangers, u.hide_notification_contents,
		(SELECT COUNT(*) FROM follows f WHERE f.target_id = u.account_id AND f.pending) AS follow_requests,
		`+unseenOf("u.account_id")+` AS unseen_notifications,
		(SELECT COUNT(*) FROM (SELECT 1 FROM participations p WHERE p.account_id = u.account_id AND p.unread LIMIT 1000) pg) AS unread_conversations
		FROM users u JOIN accounts a ON a.id = u.account_id WHERE u.account_id = ?`, accountID)
}
