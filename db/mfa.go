package db

import (
	"context"
)

// MFAToken is a login with a right password that awaits its second factor, by
// the hash of its token.
type MFAToken struct {
	TokenHash     string `gorm:"primaryKey"`
	AccountID     string
	AppID         *int64
	Scopes        string // separated by spaces
	RedirectURI   string `gorm:"column:redirect_uri"`
	CodeChallenge string
	Browser       string // hash of the browser's cookie, empty for an app
	Attempts      int    // codes tried with it
	ExpiresAt     Time
	CreatedAt     Time `gorm:"autoCreateTime:false"`
}

// TableName keeps the mapper from splitting the abbreviation.
func (MFAToken) TableName() string { return "mfa_tokens" }

// CreateMFAToken inserts t.
func (d *DB) CreateMFAToken(ctx context.Context, t *MFAToken) error {
	if t.CreatedAt.IsZero() {
		t.CreatedAt = d.Now()
	}
	return create(ctx, d, t, "create mfa token of %s", t.AccountID)
}

// MFAToken returns the unexpired token with this hash, from the writing
// connection, since it may be new.
func (d *DB) MFAToken(ctx context.Context, hash string) (*MFAToken, error) {
	return one[MFAToken](ctx, d.writing(), "mfa token", "SELECT * FROM mfa_tokens WHERE token_hash = ? AND expires_at > ?", hash, d.Now())
}

// TryMFAToken counts an attempt with the unexpired token and returns it. A
// token with most attempts is not found.
func (d *DB) TryMFAToken(ctx context.Context, hash string, most int) (*MFAToken, error) {
	return one[MFAToken](ctx, d.writing(), "try mfa token",
		"UPDATE mfa_tokens SET attempts = attempts + 1 WHERE token_hash = ? AND expires_at > ? AND attempts < ? RETURNING *",
		hash, d.Now(), most)
}

// DeleteMFAToken removes a token. Of concurrent calls one succeeds.
func (d *DB) DeleteMFAToken(ctx context.Context, hash string) error {
	n, err := d.exec(ctx, "delete mfa token", "DELETE FROM mfa_tokens WHERE token_hash = ?", hash)
	if err == nil && n == 0 {
		err = notFound("mfa token")
	}
	return err
}

// UseTOTPStep stores that an account used the code of a time step; false if it
// used that one or a later one before.
func (d *DB) UseTOTPStep(ctx context.Context, accountID string, step int64) (bool, error) {
	n, err := d.exec(ctx, "use totp step", "UPDATE users SET totp_step = ? WHERE account_id = ? AND totp_step < ?", step, accountID, step)
	return n > 0, err
}

// ReplaceBackupCodes replaces an account's backup codes; false if they are no
// longer old.
func (d *DB) ReplaceBackupCodes(ctx context.Context, accountID string, old, codes Slice[string]) (bool, error) {
	n, err := d.exec(ctx, "replace backup codes", "UPDATE users SET backup_codes = ? WHERE account_id = ? AND backup_codes = ?", codes, accountID, old)
	return n > 0, err
}

// CountWrongCode counts a wrong code of an account. A count that began before
// since starts anew.
func (d *DB) CountWrongCode(ctx context.Context, accountID string, since Time) error {
	now := d.Now()
	_, err := d.exec(ctx, "count wrong code", `UPDATE users SET
		mfa_wrong = CASE WHEN mfa_wrong_since > ? THEN mfa_wrong + 1 ELSE 1 END,
		mfa_wrong_since = CASE WHEN mfa_wrong_since > ? THEN mfa_wrong_since ELSE ? END
		WHERE account_id = ?`, since, since, now, accountID)
	return err
}
