package db

import (
	"context"
	"errors"

	"gorm.io/gorm"
)

// place returns where a walk that takes many transactions stands; !ok when
// there is none.
func (d *DB) place(ctx context.Context, key string) (at string, ok bool, err error) {
	err = d.reader(ctx).Raw("SELECT value FROM meta WHERE key = ?", key).Take(&at).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return "", false, nil
	}
	return at, err == nil, wrap(err, "where %s stands", key)
}

// moveOn keeps where a walk stands, or ends it.
func (d *DB) moveOn(ctx context.Context, key, at string, ends bool) error {
	query, args := "UPDATE meta SET value = ? WHERE key = ?", []any{at, key}
	if ends {
		query, args = "DELETE FROM meta WHERE key = ?", []any{key}
	}
	_, err := d.exec(ctx, "move "+key+" on", query, args...)
	return err
}

// ReindexAccounts makes found the next limit accounts that are older than the
// search. It tells whether there are more.
func (d *DB) ReindexAccounts(ctx context.Context, limit int) (more bool, err error) {
	const key = "reindex_accounts"
	at, ok, err := d.place(ctx, key)
	if err != nil || !ok {
		return false, err
	}
	var rows []Account
	err = d.reader(ctx).Raw("SELECT id, nickname, display_name FROM accounts WHERE id > ? ORDER BY id LIMIT ?", at, limit).Find(&rows).Error
	if err != nil {
		return false, wrap(err, "accounts to index")
	}
	for i := range rows {
		if err := d.indexAccount(ctx, &rows[i], false); err != nil {
			return false, err
		}
		at = rows[i].ID
	}
	more = len(rows) == limit
	return more, d.moveOn(ctx, key, at, !more)
}

// ReindexStatuses does the same with posts; text is what one is found by.
func (d *DB) ReindexStatuses(ctx context.Context, limit int, text func(*Status) string) (more bool, err error) {
	const key = "reindex_statuses"
	at, ok, err := d.place(ctx, key)
	if err != nil || !ok {
		return false, err
	}
	var rows []Status
	err = d.reader(ctx).Raw(`SELECT id, account_id, local, visibility, reblog_of_id, content, spoiler_text FROM statuses
		WHERE id > ? ORDER BY id LIMIT ?`, at, limit).Find(&rows).Error
	if err != nil {
		return false, wrap(err, "statuses to index")
	}
	for i := range rows {
		if err := d.IndexStatus(ctx, &rows[i], text(&rows[i])); err != nil {
			return false, err
		}
		at = rows[i].ID
	}
	more = len(rows) == limit
	return more, d.moveOn(ctx, key, at, !more)
}
