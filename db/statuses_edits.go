package db

import (
	"context"
	"slices"
)

// StatusEdit is a former version of a status.
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

// EditedFile is a file of a former version of a status.
type EditedFile struct {
	Type        string `json:"type"`
	RemoteURL   string `json:"remote_url"`
	Description string `json:"description"`
}

// keptEdits bounds the former versions of a status.
const keptEdits = 100

// CreateStatusEdit stores the current version of a status before a change. Only
// the newest versions are kept.
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

// ReplaceTags replaces the hashtags of a status.
func (d *DB) ReplaceTags(ctx context.Context, statusID string, before, after []string) error {
	gone := slices.DeleteFunc(slices.Clone(before), func(tag string) bool { return slices.Contains(after, tag) })
	if len(gone) > 0 {
		if _, err := d.exec(ctx, "remove tags", "DELETE FROM status_tags WHERE tag IN ? AND status_id = ?", gone, statusID); err != nil {
			return err
		}
	}
	return d.AddTags(ctx, statusID, slices.DeleteFunc(slices.Clone(after), func(tag string) bool { return slices.Contains(before, tag) }))
}

// ReplaceAttachments replaces the files of a status.
func (d *DB) ReplaceAttachments(ctx context.Context, statusID string, files []MediaAttachment) error {
	if _, err := d.exec(ctx, "remove attachments", "DELETE FROM media_attachments WHERE status_id = ?", statusID); err != nil {
		return err
	}
	return d.CreateAttachments(ctx, files)
}

// TouchReblogs changes the versions of the next limit reblogs of a status, by id,
// which show the changed status. next is where to continue, "" at the end.
func (d *DB) TouchReblogs(ctx context.Context, statusID, after string, limit int) (next string, err error) {
	ids, err := list[string](ctx, d.writing(), "reblogs of "+statusID, "SELECT id FROM statuses WHERE reblog_of_id = ? AND id > ? ORDER BY id LIMIT ?"+d.hold(), statusID, after, limit)
	if err != nil || len(ids) == 0 {
		return "", err
	}
	if len(ids) == limit {
		next = ids[limit-1]
	}
	_, err = d.exec(ctx, "touch reblogs", "UPDATE statuses SET version = version + 1 WHERE id IN ?", ids)
	return next, err
}

// UpdatePoll stores the state of a remote poll p.
func (d *DB) UpdatePoll(ctx context.Context, p *Poll) error {
	if _, err := d.exec(ctx, "update poll", "UPDATE polls SET multiple = ?, options = ?, voters_count = ?, expires_at = ? WHERE id = ?",
		p.Multiple, p.Options, p.VotersCount, p.ExpiresAt, p.ID); err != nil {
		return err
	}
	return d.TouchStatus(ctx, p.StatusID)
}

// ForgetVotes removes up to limit votes of a poll that were cast before a moment. It
// reports whether there may be more.
func (d *DB) ForgetVotes(ctx context.Context, pollID int64, before Time, limit int) (more bool, err error) {
	n, err := d.exec(ctx, "forget votes", "DELETE FROM poll_votes WHERE "+
		d.inOrder("poll_votes", "poll_id, account_id, choice", "poll_id = ? AND created_at < ?", limit), pollID, before)
	return n >= int64(limit), err
}
