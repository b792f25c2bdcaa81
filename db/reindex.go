package db

import (
	"context"
)

// walkPosition returns the position of a walk that takes many transactions; !ok
// if there is none.
func (d *DB) walkPosition(ctx context.Context, key string) (at string, ok bool, err error) {
	return optional(value[string](ctx, d, "where "+key+" stands", "SELECT value FROM meta WHERE key = ? LIMIT 1", key))
}

// saveWalkPosition stores the position of a walk, or ends it.
func (d *DB) saveWalkPosition(ctx context.Context, key, at string, ends bool) error {
	query, args := "UPDATE meta SET value = ? WHERE key = ?", []any{at, key}
	if ends {
		query, args = "DELETE FROM meta WHERE key = ?", []any{key}
	}
	_, err := d.exec(ctx, "move "+key+" on", query, args...)
	return err
}

// ReindexAccounts indexes the next limit accounts that are older than the
// search index. It reports whether there are more.
func (d *DB) ReindexAccounts(ctx context.Context, limit int) (more bool, err error) {
	const key = "reindex_accounts"
	at, ok, err := d.walkPosition(ctx, key)
	if err != nil || !ok {
		return false, err
	}
	rows, err := list[Account](ctx, d, "accounts to index", "SELECT id, nickname, display_name FROM accounts WHERE id > ? ORDER BY id LIMIT ?", at, limit)
	if err != nil {
		return false, err
	}
	for i := range rows {
		if err := d.indexAccount(ctx, &rows[i], false); err != nil {
			return false, err
		}
		at = rows[i].ID
	}
	more = len(rows) == limit
	return more, d.saveWalkPosition(ctx, key, at, !more)
}

// ReindexStatuses is ReindexAccounts for statuses; text returns the text to
// index.
func (d *DB) ReindexStatuses(ctx context.Context, limit int, text func(*Status) string) (more bool, err error) {
	const key = "reindex_statuses"
	at, ok, err := d.walkPosition(ctx, key)
	if err != nil || !ok {
		return false, err
	}
	rows, err := list[Status](ctx, d, "statuses to index", `SELECT id, account_id, local, visibility, reblog_of_id, content, spoiler_text FROM statuses
		WHERE id > ? ORDER BY id LIMIT ?`, at, limit)
	if err != nil {
		return false, err
	}
	for i := range rows {
		if err := d.IndexStatus(ctx, &rows[i], text(&rows[i])); err != nil {
			return false, err
		}
		at = rows[i].ID
	}
	more = len(rows) == limit
	return more, d.saveWalkPosition(ctx, key, at, !more)
}
