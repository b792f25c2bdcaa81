package db

import (
	"context"
	"time"

	"gorm.io/gorm"
)

// AnswersKept is how long a stored answer is replayed.
const AnswersKept = 6 * time.Hour

// StoredAnswer returns what was answered under key within AnswersKept.
func (d *DB) StoredAnswer(ctx context.Context, key string) (*IdempotencyKey, error) {
	k, err := gorm.G[IdempotencyKey](d.orm).Where("key = ? AND created_at > ?", key, d.Now().Add(-AnswersKept)).Take(ctx)
	if err != nil {
		return nil, wrap(err, "stored answer")
	}
	return &k, nil
}

// StoreAnswer keeps an answer. One that is there already is ErrDuplicate.
func (d *DB) StoreAnswer(ctx context.Context, k *IdempotencyKey) error {
	k.CreatedAt = d.Now()
	return create(ctx, d, k, "store answer")
}

// KeyOutcome returns what ClaimKey kept under key, "" for nothing.
func (d *DB) KeyOutcome(ctx context.Context, key string) (string, error) {
	var rows [][]byte
	err := d.reader(ctx).Raw("SELECT body FROM idempotency_keys WHERE key = ?", key).Scan(&rows).Error
	if err != nil || len(rows) == 0 {
		return "", wrap(err, "outcome of a key")
	}
	return string(rows[0]), nil
}

// Meta reads a fact about the database itself, "" when it is not set.
func (d *DB) Meta(ctx context.Context, key string) (string, error) {
	var value string
	err := d.reader(ctx).Raw("SELECT value FROM meta WHERE key = ?", key).Scan(&value).Error
	return value, wrap(err, "meta %s", key)
}

// SetMeta writes a fact about the database itself.
func (d *DB) SetMeta(ctx context.Context, key, value string) error {
	_, err := d.exec(ctx, "set meta "+key,
		"INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", key, value)
	return err
}
