package db

import (
	"context"
)

// The purposes of links that are mailed.
const (
	TokenConfirmation  = "confirmation"   // the address is the user's
	TokenPasswordReset = "password_reset" // he may choose a new password
)

// MailToken is what a mailed link carries, as its hash. Several may work for
// the same purpose at once.
type MailToken struct {
	TokenHash string `gorm:"primaryKey"`
	AccountID string
	Purpose   string
	ExpiresAt Time // zero: works until it is used
	CreatedAt Time `gorm:"autoCreateTime:false"`
}

// CreateMailToken inserts t.
func (d *DB) CreateMailToken(ctx context.Context, t *MailToken) error {
	if t.CreatedAt.IsZero() {
		t.CreatedAt = d.Now()
	}
	return create(ctx, d, t, "create %s token of %s", t.Purpose, t.AccountID)
}

// MailToken returns the token with this hash and purpose that still works.
func (d *DB) MailToken(ctx context.Context, hash, purpose string) (*MailToken, error) {
	t, err := pickFrom[MailToken](d.orm).
		Where("token_hash = ? AND purpose = ? AND (expires_at IS NULL OR expires_at > ?)", hash, purpose, d.Now()).Take(ctx)
	if err != nil {
		return nil, wrap(err, "%s token", purpose)
	}
	return &t, nil
}

// TakeMailToken removes and returns the token with this hash and purpose, if it
// still works: of several that ask at once, one gets it.
func (d *DB) TakeMailToken(ctx context.Context, hash, purpose string) (*MailToken, error) {
	return take[MailToken](ctx, d, "take "+purpose+" token",
		"DELETE FROM mail_tokens WHERE token_hash = ? AND purpose = ? AND (expires_at IS NULL OR expires_at > ?) RETURNING *",
		hash, purpose, d.Now())
}

// DeleteMailTokens removes all tokens that an account has for a purpose.
func (d *DB) DeleteMailTokens(ctx context.Context, accountID, purpose string) error {
	_, err := d.exec(ctx, "delete "+purpose+" tokens", "DELETE FROM mail_tokens WHERE account_id = ? AND purpose = ?", accountID, purpose)
	return err
}

// CountMailTokens counts the tokens that an account was given for a purpose
// since a moment, and that were not used.
func (d *DB) CountMailTokens(ctx context.Context, accountID, purpose string, since Time) (int, error) {
	var n int
	err := d.reader(ctx).Raw("SELECT COUNT(*) FROM mail_tokens WHERE account_id = ? AND purpose = ? AND created_at > ?",
		accountID, purpose, since).Scan(&n).Error
	return n, wrap(err, "count %s tokens of %s", purpose, accountID)
}

// SpendCaptcha notes that a captcha was answered, right or wrong, and tells
// whether it was for the first time.
func (d *DB) SpendCaptcha(ctx context.Context, token string, expires Time) (bool, error) {
	n, err := d.exec(ctx, "spend captcha", "INSERT INTO captchas (token, expires_at) VALUES (?, ?) ON CONFLICT DO NOTHING", token, expires)
	return n == 1, err
}

// SweepSignups removes links and captchas that have expired.
func (d *DB) SweepSignups(ctx context.Context) error {
	for _, query := range []string{
		"DELETE FROM mail_tokens WHERE expires_at IS NOT NULL AND expires_at <= ?",
		"DELETE FROM captchas WHERE expires_at <= ?",
	} {
		if _, err := d.exec(ctx, "sweep signups", query, d.Now()); err != nil {
			return err
		}
	}
	return nil
}
