package db

import (
	"context"
	"slices"
	"strings"
)

// SetAccountTags replaces the moderators' tags of a, in its row and in the
// index of tags.
func (d *DB) SetAccountTags(ctx context.Context, a *Account, tags []string) error {
	var gone, added []string
	for _, tag := range a.Tags {
		if !slices.Contains(tags, tag) {
			gone = append(gone, tag)
		}
	}
	for _, tag := range tags {
		if !slices.Contains(a.Tags, tag) {
			added = append(added, tag)
		}
	}
	if len(gone) == 0 && len(added) == 0 {
		return nil
	}
	if len(gone) > 0 {
		if _, err := d.exec(ctx, "untag account", "DELETE FROM account_tags WHERE tag IN ? AND account_id = ?", gone, a.ID); err != nil {
			return err
		}
	}
	for some := range slices.Chunk(added, manyAtOnce) {
		values := make([]any, 0, 2*len(some))
		for _, tag := range some {
			values = append(values, tag, a.ID)
		}
		_, err := d.exec(ctx, "tag account", "INSERT INTO account_tags (tag, account_id) VALUES (?, ?)"+
			strings.Repeat(", (?, ?)", len(some)-1)+" ON CONFLICT DO NOTHING", values...)
		if err != nil {
			return err
		}
	}
	a.Tags = tags
	return d.UpdateAccount(ctx, a, "tags")
}
