package db

import "context"

// AddListRecipients addresses a status to the active members of a list, without
// mentioning them.
func (d *DB) AddListRecipients(ctx context.Context, statusID string, listID int64) error {
	return d.execLater(ctx, "address list", `INSERT INTO status_recipients (status_id, account_id, mentioned)
		SELECT CAST(? AS TEXT), m.account_id, FALSE FROM list_accounts m JOIN accounts a ON a.id = m.account_id
		WHERE m.list_id = ? AND NOT a.deactivated AND NOT a.invisible ON CONFLICT DO NOTHING`, statusID, listID)
}

// AddRecipientEntries puts a status on the home timelines of all its local
// recipients.
func (d *DB) AddRecipientEntries(ctx context.Context, s *Status) error {
	return d.execLater(ctx, "deliver to recipients", `INSERT INTO home_entries (account_id, status_id, author_id, why)
		SELECT r.account_id, r.status_id, CAST(? AS TEXT), CAST(? AS BIGINT) FROM status_recipients r JOIN accounts a ON a.id = r.account_id
		WHERE r.status_id = ? AND a.local AND r.account_id <> ? ON CONFLICT DO NOTHING`, s.AccountID, homeAddressed, s.ID, s.AccountID)
}

// DetachMedia detaches a status's files, present and former ones, so that its author can
// use them again.
func (d *DB) DetachMedia(ctx context.Context, statusID string) error {
	_, err := d.exec(ctx, "detach media", "UPDATE media_attachments SET status_id = NULL, position = 0, former = FALSE, created_at = ? WHERE status_id = ?", d.Now(), statusID)
	return err
}
