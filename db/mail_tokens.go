package db

import (
	"context"
	"time"
)

// The purposes of links that are mailed.
const (
	TokenConfirmation  = "confirmation"   // proves the address
	TokenPasswordReset = "password_reset" // allows a new password
)

// MailToken is a token of a mailed link, by its hash.
type MailToken struct {
	TokenHash string `gorm:"primaryKey"`
	AccountID string
	Purpose   string
	ExpiresAt Time // zero: valid until it is used
	CreatedAt Time `gorm:"autoCreateTime:false"`
}

// CreateMailToken inserts t.
func (d *DB) CreateMailToken(ctx context.Context, t *MailToken) error {
	if t.CreatedAt.IsZero() {
		t.CreatedAt = d.Now()
	}
	return create(ctx, d, t, "create %s token of %s", t.Purpose, t.AccountID)
}

// MailToken returns the valid token with this hash and purpose.
func (d *DB) MailToken(ctx context.Context, hash, purpose string) (*MailToken, error) {
	return one[MailToken](ctx, d, ""+purpose+" token", "SELECT * FROM mail_tokens WHERE token_hash = ? AND purpose = ? AND (expires_at IS NULL OR expires_at > ?)", hash, purpose, d.Now())
}

// TakeMailToken removes and returns the valid token with this hash and purpose.
// Of concurrent calls one gets it.
func (d *DB) TakeMailToken(ctx context.Context, hash, purpose string) (*MailToken, error) {
	return one[MailToken](ctx, d.writing(), "take "+purpose+" token",
		"DELETE FROM mail_tokens WHERE token_hash = ? AND purpose = ? AND (expires_at IS NULL OR expires_at > ?) RETURNING *",
		hash, purpose, d.Now())
}

// DeleteMailTokens removes all tokens of an account for a purpose.
func (d *DB) DeleteMailTokens(ctx context.Context, accountID, purpose string) error {
	_, err := d.exec(ctx, "delete "+purpose+" tokens", "DELETE FROM mail_tokens WHERE account_id = ? AND purpose = ?", accountID, purpose)
	return err
}

// CountMail counts a mail of a kind to a mailbox and returns the count since
// the first one. A count that began before since starts anew.
func (d *DB) CountMail(ctx context.Context, mailbox, kind string, now, since Time) (int, error) {
	return value[int](ctx, d.writing(), "count mail", `INSERT INTO mail_counts (mailbox, kind, since, n) VALUES (?, ?, ?, 1)
		ON CONFLICT (mailbox, kind) DO UPDATE SET
			n = CASE WHEN mail_counts.since > ? THEN mail_counts.n + 1 ELSE 1 END,
			since = CASE WHEN mail_counts.since > ? THEN mail_counts.since ELSE excluded.since END
		RETURNING n`, mailbox, kind, now, since, since)
}

// SpendCaptcha stores that a captcha was answered, right or wrong, and reports
// whether it was the first answer.
func (d *DB) SpendCaptcha(ctx context.Context, token string, expires Time) (bool, error) {
	n, err := d.exec(ctx, "spend captcha", "INSERT INTO captchas (token, expires_at) VALUES (?, ?) ON CONFLICT DO NOTHING", token, expires)
	return n == 1, err
}

// SweepSignups removes up to limit expired links, captchas and mail counts each. It
// reports whether there may be more.
func (d *DB) SweepSignups(ctx context.Context, limit int) (more bool, err error) {
	now := d.Now()
	return d.sweep(ctx, limit,
		aged{"mail_tokens", "token_hash", "expires_at", now},
		aged{"captchas", "token", "expires_at", now},
		aged{"mail_counts", "mailbox, kind", "since", now.Add(-time.Hour)})
}
