package db

import (
	"context"
	"errors"
	"slices"
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

// reindexStatuses is the key of that walk.
const reindexStatuses = "reindex_statuses"

// ReindexStatuses is ReindexAccounts for statuses; text returns the text to
// index.
func (d *DB) ReindexStatuses(ctx context.Context, limit int, text func(*Status) string) (more bool, err error) {
	const key = reindexStatuses
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

// RenameTags gives the statuses of hashtags that are older than the form of names
// their tags' present names: up to limit tags without a change, or limit statuses of one
// tag. It reports whether there are more.
func (d *DB) RenameTags(ctx context.Context, limit int, name func(tag string) string) (more bool, err error) {
	const key = "rename_tags"
	at, ok, err := d.walkPosition(ctx, key)
	if err != nil || !ok {
		return false, err
	}
	tags, err := list[string](ctx, d, "hashtags", `WITH RECURSIVE t (tag) AS (SELECT MIN(tag) FROM status_tags WHERE tag > ?
		UNION ALL SELECT (SELECT MIN(n.tag) FROM status_tags n WHERE n.tag > t.tag) FROM t WHERE t.tag IS NOT NULL)
		SELECT tag FROM t WHERE tag IS NOT NULL LIMIT ?`, at, limit)
	if err != nil {
		return false, err
	}
	for _, tag := range tags {
		if name(tag) != tag {
			if all, err := d.renameTag(ctx, tag, limit, name); err != nil {
				return false, err
			} else if all {
				at = tag
			}
			return true, d.saveWalkPosition(ctx, key, at, false)
		}
		at = tag
	}
	more = len(tags) == limit
	return more, d.saveWalkPosition(ctx, key, at, !more)
}

// renameTag renames the hashtags of the next limit statuses of a tag, and reports
// whether none is left.
func (d *DB) renameTag(ctx context.Context, tag string, limit int, name func(tag string) string) (all bool, err error) {
	ids, err := list[string](ctx, d.writing(), "statuses of a hashtag", "SELECT status_id FROM status_tags WHERE tag = ? ORDER BY status_id LIMIT ?", tag, limit)
	if err != nil {
		return false, err
	}
	for _, id := range ids {
		// Its author may change or delete it meanwhile.
		if err := d.HoldStatus(ctx, id); errors.Is(err, ErrNotFound) {
			_, err = d.exec(ctx, "remove tags", "DELETE FROM status_tags WHERE status_id = ? AND tag = ?", id, tag)
			if err != nil {
				return false, err
			}
			continue
		} else if err != nil {
			return false, err
		}
		row, err := d.StatusByID(ctx, id)
		if err != nil {
			return false, err
		}
		shown := row.Tags
		before := append(slices.Clone(shown), tag)
		row.Tags = nil
		for _, old := range shown {
			if n := name(old); n != "" && !slices.Contains(row.Tags, n) {
				row.Tags = append(row.Tags, n)
			}
		}
		if !slices.Equal(row.Tags, shown) {
			if err := d.UpdateStatus(ctx, row, "tags"); err != nil {
				return false, err
			}
		}
		if err := d.ReplaceTags(ctx, id, before, row.Tags); err != nil {
			return false, err
		}
	}
	return len(ids) < limit, nil
}
