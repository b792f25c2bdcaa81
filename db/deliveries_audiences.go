package db

import "context"

// mostNamed bounds the accounts or inboxes that an audience names one by one.
const mostNamed = 5000

// RemoteReach reports whether an account has followers on other servers, and
// whether its statuses ever reached any, in one statement.
func (d *DB) RemoteReach(ctx context.Context, accountID string) (followers, reached bool, err error) {
	row, err := value[struct{ Followers, Reached bool }](ctx, d, "who hears "+accountID,
		`SELECT EXISTS (SELECT 1 FROM follows WHERE target_id = ? AND NOT local) AS followers, EXISTS (SELECT 1 FROM reached WHERE account_id = ?) AS reached`,
		accountID, accountID)
	return row.Followers, row.Reached, err
}

// RemoteRecipient is a recipient of a status on another server.
type RemoteRecipient struct {
	ID, URI, Inbox, Domain string
	Mentioned              bool // by name; else as a member of a list
	Blocked                bool // by the author
}

// RemoteRecipients returns the remote recipients of a status, by account id.
func (d *DB) RemoteRecipients(ctx context.Context, statusID string) ([]RemoteRecipient, error) {
	return list[RemoteRecipient](ctx, d, "addressees of "+statusID, `SELECT a.id, a.uri, a.inbox, a.domain, r.mentioned,
			EXISTS (SELECT 1 FROM blocks b WHERE b.account_id = s.account_id AND b.target_id = a.id) AS blocked
		FROM status_recipients r JOIN accounts a ON a.id = r.account_id JOIN statuses s ON s.id = r.status_id
		WHERE r.status_id = ? AND NOT a.local AND NOT a.deactivated ORDER BY r.account_id LIMIT ?`, statusID, mostNamed)
}

// RemoteCopies returns the holders of copies of a status on other servers
// beyond its recipients: the ids of the accounts that reblogged, favourited,
// answered, reacted to or voted on it, and the inboxes of the servers that
// fetched it.
func (d *DB) RemoteCopies(ctx context.Context, s *Status) (accountIDs, inboxes []string, err error) {
	poll := int64(0)
	if s.PollID != nil {
		poll = *s.PollID
	}
	accountIDs, err = list[string](ctx, d, "who holds "+s.ID, `SELECT a.id FROM accounts a WHERE NOT a.local AND a.id IN (
			SELECT account_id FROM statuses WHERE reblog_of_id = ?
			UNION ALL SELECT account_id FROM statuses WHERE in_reply_to_id = ?
			UNION ALL SELECT account_id FROM favourites WHERE status_id = ?
			UNION ALL SELECT account_id FROM emoji_reactions WHERE status_id = ?
			UNION ALL SELECT account_id FROM poll_votes WHERE poll_id = ?) ORDER BY a.id LIMIT ?`,
		s.ID, s.ID, s.ID, s.ID, poll, mostNamed)
	if err == nil {
		inboxes, err = list[string](ctx, d, "who holds "+s.ID, "SELECT inbox FROM fetchers WHERE status_id = ? ORDER BY inbox LIMIT ?", s.ID, mostNamed)
	}
	return accountIDs, inboxes, err
}

// AnyInstance reports whether any other server is known.
func (d *DB) AnyInstance(ctx context.Context) (bool, error) {
	return value[bool](ctx, d, "whether there are other servers", "SELECT EXISTS (SELECT 1 FROM instances)")
}

// PaceUpdate schedules an update, known by id, of other servers: not before
// first, and not twice within between. at is the time of the job to enqueue, or
// zero if one is scheduled. EndUpdate ends the update.
func (d *DB) PaceUpdate(ctx context.Context, id string, first Time, between int64) (at Time, err error) {
	at, _, err = optional(value[Time](ctx, d.writing(), "pace update of "+id, `INSERT INTO paced_updates (id, due_at, pending) VALUES (?, ?, TRUE)
		ON CONFLICT (id) DO UPDATE SET pending = TRUE,
			due_at = CASE WHEN paced_updates.due_at + ? > excluded.due_at THEN paced_updates.due_at + ? ELSE excluded.due_at END
		WHERE NOT paced_updates.pending RETURNING due_at`, id, first, between, between))
	return at, err
}

// EndUpdate stores that an update was sent, and reports whether it was
// scheduled.
func (d *DB) EndUpdate(ctx context.Context, id string) (bool, error) {
	n, err := d.exec(ctx, "end update", "UPDATE paced_updates SET pending = FALSE, due_at = ? WHERE id = ? AND pending", d.Now(), id)
	return n > 0, err
}

// ForgetUpdate cancels a scheduled update.
func (d *DB) ForgetUpdate(ctx context.Context, id string) error {
	_, err := d.exec(ctx, "forget update", "DELETE FROM paced_updates WHERE id = ?", id)
	return err
}

// DeleteReachedInboxes removes up to limit of the inboxes that statuses of an
// account reached, and returns their number.
func (d *DB) DeleteReachedInboxes(ctx context.Context, accountID string, limit int) (int64, error) {
	return d.exec(ctx, "forget inboxes", `DELETE FROM reached WHERE account_id = ? AND inbox IN (SELECT inbox FROM reached WHERE account_id = ? LIMIT ?)`,
		accountID, accountID, limit)
}
