package db

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// AnswersKept is how long a stored answer is replayed.
const AnswersKept = 6 * time.Hour

// IdempotencyKey is a request with a key: its first answer, or the outcome that
// Once stored in Body.
type IdempotencyKey struct {
	Key         string `gorm:"primaryKey"`
	Status      int
	ContentType string
	Body        []byte
	RequestID   string
	CreatedAt   Time `gorm:"autoCreateTime:false"`
}

// StoredAnswer returns the answer stored under key within AnswersKept.
func (d *DB) StoredAnswer(ctx context.Context, key string) (*IdempotencyKey, error) {
	return one[IdempotencyKey](ctx, d, "stored answer", "SELECT * FROM idempotency_keys WHERE key = ? AND created_at > ?", key, d.Now().Add(-AnswersKept))
}

// StoreAnswer stores an answer. An existing one is ErrDuplicate.
func (d *DB) StoreAnswer(ctx context.Context, k *IdempotencyKey) error {
	k.CreatedAt = d.Now()
	return create(ctx, d, k, "store answer")
}

// errClaimed ends the transaction of a request with a claimed key.
var errClaimed = errors.New("the key has an outcome already")

// Claim stores the outcome of a request, the id of the created row, under its
// key. It belongs into the transaction that creates the row, so that both exist
// or neither does. A transaction must not go on after its error.
type Claim[ID string | int64] func(ctx context.Context, tx *DB, outcome ID) error

// Once carries out the request with this key once, also if it is repeated, at
// once or in several processes. make does the work and calls claim in its
// transaction. If another request was first, the work of make is rolled back or
// dropped, and again returns the row that the other one created. A key is
// unique to a caller and a kind of request. Without a key make always runs, and
// claims nothing.
//
// The key is looked up after a failure only, so that the usual request pays for
// one row.
func Once[T any, ID string | int64](ctx context.Context, d *DB, kind, key string,
	make func(claim Claim[ID]) (T, error), again func(outcome ID) (T, error)) (T, error) {
	if key == "" {
		return make(func(context.Context, *DB, ID) error { return nil })
	}
	key = kind + ":" + key
	made, err := make(func(ctx context.Context, tx *DB, outcome ID) error {
		claim := "INSERT INTO idempotency_keys (key, status, body, created_at) VALUES (?, 200, ?, ?)"
		if tx.pool.dialect == Postgres { // a claimed key is ErrDuplicate, of this or of a later statement
			return tx.execLater(ctx, "claim key", claim, key, fmt.Append(nil, outcome), tx.Now())
		}
		n, err := tx.exec(ctx, "claim key", claim+" ON CONFLICT DO NOTHING", key, fmt.Append(nil, outcome), tx.Now())
		if err == nil && n == 0 {
			err = errClaimed
		}
		return err
	})
	if err == nil {
		return made, nil
	}
	kept, unknown := value[[]byte](ctx, d, "outcome of a key", "SELECT body FROM idempotency_keys WHERE key = ?", key)
	if unknown != nil {
		return made, err
	}
	var first ID
	switch to := any(&first).(type) {
	case *string:
		*to = string(kept)
	case *int64:
		if *to, err = strconv.ParseInt(string(kept), 10, 64); err != nil {
			return made, fmt.Errorf("outcome of a key: %w", err)
		}
	}
	return again(first)
}

// TxOnce is Tx for the request with this key, carried out by Once, for requests
// that return nothing.
func (d *DB) TxOnce(ctx context.Context, kind, key string, fn func(tx *DB) error) error {
	_, err := Once(ctx, d, kind, key, func(claim Claim[int64]) (any, error) {
		return nil, d.Tx(ctx, func(tx *DB) error {
			if err := claim(ctx, tx, 0); err != nil {
				return err
			}
			return fn(tx)
		})
	}, func(int64) (any, error) { return nil, nil })
	return err
}
