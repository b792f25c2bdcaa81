package db

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// keepTags moves the tags of a remote account to where they outlive it.
func (d *DB) keepTags(ctx context.Context, id string) error {
	a, err := d.Account(ctx, id)
	if err != nil || a.Local || len(a.Tags) == 0 {
		if errors.Is(err, ErrNotFound) {
			err = nil
		}
		return err
	}
	tags := a.Tags
	if err := d.SetAccountTags(ctx, a, nil); err != nil {
		return err
	}
	_, err = d.exec(ctx, "keep tags", `INSERT INTO kept_tags (uri, account_id, tags) VALUES (?, ?, ?)
		ON CONFLICT (uri) DO UPDATE SET account_id = excluded.account_id, tags = excluded.tags`, a.URI, a.ID, tags)
	return err
}

// returned creates the row of a remote account, with the number and the tags that
// it had before it was deleted.
func (d *DB) returned(ctx context.Context, a *Account) error {
	type kept struct {
		AccountID string
		Tags      Slice[string]
	}
	was, err := one[kept](ctx, d.writing(), "kept tags of "+a.URI, "DELETE FROM kept_tags WHERE uri = ? RETURNING account_id, tags", a.URI)
	if errors.Is(err, ErrNotFound) {
		return d.CreateAccount(ctx, a)
	}
	if err != nil {
		return err
	}
	a.ID = was.AccountID
	if err := d.CreateAccount(ctx, a); err != nil {
		return err
	}
	return d.SetAccountTags(ctx, a, was.Tags)
}

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
