package db

import "context"

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
