package db

import "context"

// Meta returns a stored fact about the database, "" if it is not set.
func (d *DB) Meta(ctx context.Context, key string) (string, error) {
	fact, _, err := optional(value[string](ctx, d, "meta "+key, "SELECT value FROM meta WHERE key = ?", key))
	return fact, err
}

// ProbeWrite commits a row and its removal, to test whether the database takes
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

// The keys of the public base URL in meta: the one in ids, and the one that
// accounts were created with before it was chosen.
const (
	BaseURL        = "base_url"
	AssumedBaseURL = "base_url_assumed"
)

// PrunedUpTo is the key in meta of the id of the last status that the pruning job looked
// at; "" is its beginning.
const PrunedUpTo = "pruned_up_to"

// ServiceName is the key in meta of the name under which processes of the database serve.
const ServiceName = "service_name"

// HoldMeta is Meta; until the transaction ends, the fact cannot change.
func (d *DB) HoldMeta(ctx context.Context, key string) (string, error) {
	if _, err := d.exec(ctx, "hold meta "+key,
		"INSERT INTO meta (key, value) VALUES (?, '') ON CONFLICT (key) DO UPDATE SET value = meta.value", key); err != nil {
		return "", err
	}
	return d.Meta(ctx, key)
}
