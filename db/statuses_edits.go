package db

import (
	"context"
	"slices"
)

// StatusEdit is a version of a status that is no more.
type StatusEdit struct {
	ID          int64 `gorm:"primaryKey;autoIncrement"`
	StatusID    string
	Content     string
	Text        string
	SpoilerText string
	Sensitive   bool
	Language    string
	Emojis      Slice[Emoji]
	Files       Slice[EditedFile]
	Options     Slice[string]
	CreatedAt   Time `gorm:"autoCreateTime:false"` // when that was written
}

// EditedFile is a file as a former version of a status showed it.
type EditedFile struct {
	Type        string `json:"type"`
	RemoteURL   string `json:"remote_url"`
	Description string `json:"description"`
}

// keptEdits is how many former versions are kept of a status.
const keptEdits = 100

// CreateStatusEdit keeps a version of a status that is about to change; of many
// the newest stay.
func (d *DB) CreateStatusEdit(ctx context.Context, e *StatusEdit) error {
	if err := create(ctx, d, e, "keep version of status %s", e.StatusID); err != nil {
		return err
	}
	_, err := d.exec(ctx, "forget versions", `DELETE FROM status_edits WHERE status_id = ?
		AND id <= (SELECT x.id FROM status_edits x WHERE x.status_id = ? ORDER BY x.id DESC LIMIT 1 OFFSET ?)`, e.StatusID, e.StatusID, keptEdits)
	return err
}

// StatusEdits returns the former versions of a status, the oldest first.
func (d *DB) StatusEdits(ctx context.Context, statusID string) ([]StatusEdit, error) {
	return list[StatusEdit](ctx, d, "versions of status "+statusID, "SELECT * FROM status_edits WHERE status_id = ? ORDER BY id LIMIT ?", statusID, keptEdits)
}

// ReplaceTags files a status under other hashtags than before.
func (d *DB) ReplaceTags(ctx context.Context, statusID string, before, after []string) error {
	gone := slices.DeleteFunc(slices.Clone(before), func(tag string) bool { return slices.Contains(after, tag) })
	if len(gone) > 0 {
		if _, err := d.exec(ctx, "remove tags", "DELETE FROM status_tags WHERE tag IN ? AND status_id = ?", gone, statusID); err != nil {
			return err
		}
	}
	return d.AddTags(ctx, statusID, slices.DeleteFunc(slices.Clone(after), func(tag string) bool { return slices.Contains(before, tag) }))
}

// ReplaceAttachments shows other files with a status than before.
func (d *DB) ReplaceAttachments(ctx context.Context, statusID string, files []MediaAttachment) error {
	if _, err := d.exec(ctx, "remove attachments", "DELETE FROM media_attachments WHERE status_id = ?", statusID); err != nil {
		return err
	}
	return d.CreateAttachments(ctx, files)
}

// TouchReblogs gives the reblogs of a status another version, since they show
// what has changed.
func (d *DB) TouchReblogs(ctx context.Context, statusID string) error {
	_, err := d.exec(ctx, "touch reblogs", "UPDATE statuses SET version = version + 1 WHERE reblog_of_id = ?", statusID)
	return err
}

// UpdatePoll writes what another server says of its poll p. Where forget says so
// the options are others, and the votes for the former ones go.
func (d *DB) UpdatePoll(ctx context.Context, p *Poll, forget bool) error {
	if forget {
		if _, err := d.exec(ctx, "forget votes", "DELETE FROM poll_votes WHERE poll_id = ?", p.ID); err != nil {
			return err
		}
	}
	if _, err := d.exec(ctx, "update poll", "UPDATE polls SET multiple = ?, options = ?, voters_count = ?, expires_at = ? WHERE id = ?",
		p.Multiple, p.Options, p.VotersCount, p.ExpiresAt, p.ID); err != nil {
		return err
	}
	return d.TouchStatus(ctx, p.StatusID)
}
