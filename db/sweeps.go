package db

import "context"

// aged are the rows of a table that a sweep removes: those with a column up to a
// moment. The column has an index.
type aged struct {
	table, key, column string
	upTo               Time
}

// sweep removes up to limit rows of each table, the oldest first, and reports
// whether there may be more.
func (d *DB) sweep(ctx context.Context, limit int, tables ...aged) (more bool, err error) {
	for _, t := range tables {
		old := t.column + " <= ?"
		// A row that was renewed meanwhile stays: its column is compared again.
		n, err := d.exec(ctx, "sweep "+t.table, "DELETE FROM "+t.table+" WHERE "+old+" AND ("+t.key+") IN (SELECT "+t.key+" FROM "+t.table+
			" WHERE "+old+" ORDER BY "+t.column+limitOf(limit)+")", t.upTo, t.upTo)
		if err != nil {
			return false, err
		}
		more = more || n >= int64(limit)
	}
	return more, nil
}

// SweepExpired removes up to limit expired mutes of accounts and threads each,
// and answers stored for repeated requests up to keysBefore. It reports whether
// there may be more.
func (d *DB) SweepExpired(ctx context.Context, keysBefore Time, limit int) (more bool, err error) {
	now := d.Now()
	return d.sweep(ctx, limit,
		aged{"mutes", "account_id, target_id", "expires_at", now},
		aged{"thread_mutes", "account_id, conversation_id", "expires_at", now},
		aged{"idempotency_keys", "key", "created_at", keysBefore})
}
