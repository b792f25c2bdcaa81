package db

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// MediaBan bans a file. URL is one of the addresses under which people get the
// file; Address identifies it here: its own URL, or MediaPath and its name.
type MediaBan struct{ URL, Address string }

func mediaKey(address string) string {
	sum := sha256.Sum256([]byte(address))
	return hex.EncodeToString(sum[:])
}

// bansAtOnce is how many rows one statement writes.
const bansAtOnce = 500

// BanMedia stores bans in order; existing ones stay.
func (d *DB) BanMedia(ctx context.Context, bans []MediaBan) error {
	now := d.Now()
	for some := range slices.Chunk(bans, bansAtOnce) {
		args := make([]any, 0, 5*len(some))
		for _, b := range some {
			args = append(args, b.URL, mediaKey(b.URL), mediaKey(b.Address), strings.ToLower(b.URL+" "+b.Address), now)
		}
		_, err := d.exec(ctx, "ban media", `INSERT INTO media_bans (url, url_key, address_key, search_key, created_at) VALUES (?, ?, ?, ?, ?)`+
			strings.Repeat(`, (?, ?, ?, ?, ?)`, len(some)-1)+` ON CONFLICT (url_key) DO NOTHING`, args...)
		if err != nil {
			return err
		}
	}
	return nil
}

// bansRenamed is the key in meta for the form of the addresses of bans.
const bansRenamed = "media_bans_renamed"

// RenameMediaBans converts all bans to the form of addresses that name makes,
// once. name gets the URL of each ban, and a function that reports known
// addresses.
func (d *DB) RenameMediaBans(ctx context.Context, form string, name func(url string, known func(address string) bool) string) error {
	if done, err := d.Meta(ctx, bansRenamed); err != nil || done == form {
		return err
	}
	return d.Tx(ctx, func(tx *DB) error {
		if done, err := tx.HoldMeta(ctx, bansRenamed); err != nil || done == form {
			return err
		}
		last := int64(0)
		for {
			type ban struct {
				ID              int64
				URL, AddressKey string
			}
			bans, err := list[ban](ctx, tx, "bans to rename", `SELECT id, url, address_key FROM media_bans WHERE id > ? ORDER BY id`+limit(bansAtOnce, 0), last)
			if err != nil {
				return err
			}
			for _, b := range bans {
				last = b.ID
				address := name(b.URL, func(address string) bool { return mediaKey(address) == b.AddressKey })
				if address == "" || mediaKey(address) == b.AddressKey {
					continue
				}
				if _, err := tx.exec(ctx, "rename a ban", `UPDATE media_bans SET address_key = ?, search_key = ? WHERE id = ?`,
					mediaKey(address), strings.ToLower(b.URL+" "+address), b.ID); err != nil {
					return err
				}
			}
			if len(bans) < bansAtOnce {
				return tx.SetMeta(ctx, bansRenamed, form)
			}
		}
	})
}

// UnbanMedia removes the bans of these addresses, in any form.
func (d *DB) UnbanMedia(ctx context.Context, addresses []string) error {
	for some := range slices.Chunk(addresses, bansAtOnce) {
		keys := make([]string, len(some))
		for i, address := range some {
			keys[i] = mediaKey(address)
		}
		if _, err := d.exec(ctx, "unban media", `DELETE FROM media_bans WHERE address_key IN ?`, keys); err != nil {
			return err
		}
	}
	return nil
}

// MediaBans returns a page of the banned URLs, oldest ban first, and their
// total. A query selects the bans with this part in their URL or address, in
// any case.
func (d *DB) MediaBans(ctx context.Context, query string, p NumberedPage) ([]string, int64, error) {
	where, args := "", []any(nil)
	if query != "" {
		where, args = ` WHERE search_key LIKE ? ESCAPE '\'`, []any{containing(query)}
	}
	count, err := value[int64](ctx, d, "count media bans", `SELECT COUNT(*) FROM media_bans`+where, args...)
	if err != nil {
		return nil, 0, err
	}
	offset, size, backwards := p.window(count)
	if size == 0 {
		return nil, count, nil
	}
	order := ` ORDER BY id`
	if backwards {
		order = ` ORDER BY id DESC`
	}
	urls, err := list[string](ctx, d, "media bans", `SELECT url FROM media_bans`+where+order+limit(size, offset), args...)
	if err != nil {
		return nil, 0, err
	}
	if backwards {
		slices.Reverse(urls)
	}
	return urls, count, nil
}

// MediaBanned reports whether the file with this address is banned.
func (d *DB) MediaBanned(ctx context.Context, address string) (bool, error) {
	n, err := value[int](ctx, d, "ban of "+address, `SELECT COUNT(*) FROM (SELECT 1 FROM media_bans WHERE address_key = ? LIMIT 1) one`, mediaKey(address))
	return n > 0, err
}
