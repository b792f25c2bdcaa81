package db

import (
	"context"
	"errors"
	"fmt"
)

// SSHKey is a public key with which an account signs in over SSH, by its hash.
type SSHKey struct {
	ID        int64 `gorm:"primaryKey;autoIncrement"`
	AccountID string
	Unique    string `gorm:"column:hash"`     // of the key and the account
	Hash      string `gorm:"column:key_hash"` // of the key
	Type      string
	Name      string
	Scopes    string // of sessions with it, separated by spaces
	UsedAt    Time
	CreatedAt Time `gorm:"autoCreateTime:false"`
}

// TableName keeps the mapper from splitting the abbreviation.
func (SSHKey) TableName() string { return "ssh_keys" }

// sshKeyColumns are those of a row. Rows of an older version have one hash.
const sshKeyColumns = "id, account_id, hash, COALESCE(key_hash, hash) AS key_hash, type, name, scopes, used_at, created_at"

// CreateSSHKey inserts k. A key that the account has is ErrDuplicate.
func (d *DB) CreateSSHKey(ctx context.Context, k *SSHKey) error {
	if k.CreatedAt.IsZero() {
		k.CreatedAt = d.Now()
	}
	k.Unique = k.Hash + "/" + k.AccountID
	return create(ctx, d, k, "create ssh key of %s", k.AccountID)
}

// SSHKeys returns the keys of an account, the oldest first.
func (d *DB) SSHKeys(ctx context.Context, accountID string) ([]SSHKey, error) {
	return list[SSHKey](ctx, d, "ssh keys", "SELECT "+sshKeyColumns+" FROM ssh_keys WHERE account_id = ? ORDER BY id", accountID)
}

// SSHKeysByHash returns up to limit keys with this hash, of different accounts, from
// the writing connection, since they may be new.
func (d *DB) SSHKeysByHash(ctx context.Context, hash string, limit int) ([]SSHKey, error) {
	return list[SSHKey](ctx, d.writing(), "ssh keys by hash", "SELECT "+sshKeyColumns+" FROM ssh_keys WHERE key_hash = ? OR hash = ? ORDER BY account_id LIMIT ?", hash, hash, limit)
}

// SSHKeyOf is SSHKeysByHash for the key of one account.
func (d *DB) SSHKeyOf(ctx context.Context, hash, accountID string) (*SSHKey, error) {
	return one[SSHKey](ctx, d.writing(), "ssh key", "SELECT "+sshKeyColumns+" FROM ssh_keys WHERE (key_hash = ? OR hash = ?) AND account_id = ?", hash, hash, accountID)
}

// UseSSHKey stores that a key was used now. One that is gone is ErrNotFound.
func (d *DB) UseSSHKey(ctx context.Context, id int64) error {
	n, err := d.exec(ctx, "use ssh key", "UPDATE ssh_keys SET used_at = ? WHERE id = ?", d.Now(), id)
	if err == nil && n == 0 {
		err = notFound(fmt.Sprintf("ssh key %d", id))
	}
	return err
}

// DeleteSSHKey removes a key of this account by its number, with the tokens of
// its sessions.
func (d *DB) DeleteSSHKey(ctx context.Context, accountID string, id int64) (*SSHKey, error) {
	k, err := one[SSHKey](ctx, d.writing(), "delete ssh key", "DELETE FROM ssh_keys WHERE id = ? AND account_id = ? RETURNING "+sshKeyColumns, id, accountID)
	if err != nil {
		return nil, err
	}
	rows, err := list[Token](ctx, d.writing(), "delete tokens of an ssh key", "DELETE FROM tokens WHERE account_id = ? AND ssh_key_id = ? RETURNING *", accountID, id)
	for i := range rows {
		err = errors.Join(err, d.forgetToken(ctx, &rows[i]))
	}
	return k, err
}

// SweepSSHTokens removes the expired tokens of an account's SSH sessions.
func (d *DB) SweepSSHTokens(ctx context.Context, accountID string) error {
	_, err := d.exec(ctx, "sweep tokens of ssh sessions", "DELETE FROM tokens WHERE account_id = ? AND ssh_key_id IS NOT NULL AND expires_at <= ?", accountID, d.Now())
	return err
}
