package db

import "context"

// Meta reads a fact about the database itself, "" when it is not set.
func (d *DB) Meta(ctx context.Context, key string) (string, error) {
	fact, _, err := optional(value[string](ctx, d, "meta "+key, "SELECT value FROM meta WHERE key = ?", key))
	return fact, err
}

// ProbeWrite commits a row and its removal, to see whether the database takes
// writes.
func (d *DB) ProbeWrite(ctx context.Context) error {
	key := "probe " + d.NewUUID()
	return d.Tx(ctx, func(tx *DB) error {
		if _, err := tx.exec(ctx, "probe", "INSERT INTO meta (key, value) VALUES (?, '')", key); err != nil {
			return err
		}
		_, err := tx.exec(ctx, "probe", "DELETE FROM meta WHERE key = ?", key)
		return err
	})
}

// SetMeta writes a fact about the database itself.
func (d *DB) SetMeta(ctx context.Context, key, value string) error {
	_, err := d.exec(ctx, "set meta "+key,
		"INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", key, value)
	return err
}

// The keys of the public base URL in meta: the one that ids have, and one that
// accounts were made under before anybody chose it.
const (
	BaseURL        = "base_url"
	AssumedBaseURL = "base_url_assumed"
)

// HoldMeta is Meta; until the transaction ends, nobody else changes the fact.
func (d *DB) HoldMeta(ctx context.Context, key string) (string, error) {
	if _, err := d.exec(ctx, "hold meta "+key,
		"INSERT INTO meta (key, value) VALUES (?, '') ON CONFLICT (key) DO UPDATE SET value = meta.value", key); err != nil {
		return "", err
	}
	return d.Meta(ctx, key)
}
