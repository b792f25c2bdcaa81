package db

import "context"

// PutAccountNote writes an account's note about target, in place of an earlier one.
func (d *DB) PutAccountNote(ctx context.Context, accountID, targetID, comment string) error {
	_, err := d.exec(ctx, "note about account", `INSERT INTO account_notes (account_id, target_id, comment, updated_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (account_id, target_id) DO UPDATE SET comment = excluded.comment, updated_at = excluded.updated_at`, accountID, targetID, comment, d.Now())
	return err
}

// DeleteAccountNote removes an account's note about target; none is no error.
func (d *DB) DeleteAccountNote(ctx context.Context, accountID, targetID string) error {
	_, err := d.exec(ctx, "remove note about account", "DELETE FROM account_notes WHERE account_id = ? AND target_id = ?", accountID, targetID)
	return err
}
