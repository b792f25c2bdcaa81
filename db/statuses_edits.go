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

	// Of the poll with Options, if there are any. PollID is nil in versions of earlier
	// releases.
	PollID        *int64
	Multiple      bool
	PollExpiresAt Time
}

// PollOf makes p the poll of the version.
func (e *StatusEdit) PollOf(p *Poll) {
	e.PollID, e.Multiple, e.PollExpiresAt = &p.ID, p.Multiple, p.ExpiresAt
	for _, o := range p.Options {
		e.Options = append(e.Options, o.Title)
	}
}

// EditedFile is a file of a former version of a status. Versions of earlier releases
// have its type, remote address and description.
type EditedFile struct {
	ID          int64  `json:"id,omitempty"`
	Type        string `json:"type"`
	URL         string `json:"url,omitempty"` // of a file kept here
	PreviewURL  string `json:"preview_url,omitempty"`
	RemoteURL   string `json:"remote_url"`
	Description string `json:"description"`
	MimeType    string `json:"mime_type,omitempty"`
	Blurhash    string `json:"blurhash,omitempty"`

	Width  int      `json:"width,omitempty"`
	Height int      `json:"height,omitempty"`
	Size   int64    `json:"size,omitempty"`
	FocusX *float64 `json:"focus_x,omitempty"`
	FocusY *float64 `json:"focus_y,omitempty"`
}

// Edited is a file as a version of a status shows it.
func (m *MediaAttachment) Edited() EditedFile {
	f := EditedFile{ID: m.ID, Type: m.Type, RemoteURL: m.RemoteURL, Description: m.Description, MimeType: m.MimeType, Blurhash: m.Blurhash,
		Width: m.Width, Height: m.Height, Size: m.Size, FocusX: m.FocusX, FocusY: m.FocusY}
	if m.RemoteURL == "" {
		f.URL, f.PreviewURL = m.URL, m.PreviewURL
	}
	return f
}

// Attachment is the file as it was shown.
func (f *EditedFile) Attachment() *MediaAttachment {
	m := &MediaAttachment{
		ID: f.ID, Type: f.Type, URL: f.URL, PreviewURL: f.PreviewURL, RemoteURL: f.RemoteURL, Description: f.Description,
		MimeType: f.MimeType, Blurhash: f.Blurhash, Width: f.Width, Height: f.Height, Size: f.Size, FocusX: f.FocusX, FocusY: f.FocusY,
	}
	if m.RemoteURL != "" {
		m.URL = m.RemoteURL
	}
	return m
}

// keptEdits bounds the former versions of a status: with its present one there are 200.
const keptEdits = 199

// CreateStatusEdit stores the current version of a status before a change. Of many
// versions, the first and the newest are kept.
func (d *DB) CreateStatusEdit(ctx context.Context, e *StatusEdit) error {
	if err := create(ctx, d, e, "keep version of status %s", e.StatusID); err != nil {
		return err
	}
	_, err := d.exec(ctx, "forget versions", `DELETE FROM status_edits WHERE status_id = ?
		AND id <= (SELECT x.id FROM status_edits x WHERE x.status_id = ? ORDER BY x.id DESC LIMIT 1 OFFSET ?)
		AND id > (SELECT MIN(x.id) FROM status_edits x WHERE x.status_id = ?)`, e.StatusID, e.StatusID, keptEdits-1, e.StatusID)
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

// ShowableMedia returns an account's own uploads with these ids, in order, that one of
// its statuses shows, has shown, or could show. Any other upload is ErrNotFound.
func (d *DB) ShowableMedia(ctx context.Context, accountID, statusID string, ids []int64) ([]MediaAttachment, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := list[MediaAttachment](ctx, d, "media of status "+statusID, `SELECT * FROM media_attachments WHERE id IN ? AND account_id = ?
		AND (status_id = ? OR status_id IS NULL AND scheduled_status_id IS NULL AND NOT mascot)`, ids, accountID, statusID)
	if err != nil {
		return nil, err
	}
	return inOrderOf(ids, rows)
}

// ShowMedia makes these files, which ShowableMedia allows, those of a status, in order
// and with their descriptions. The others stay as former files, for its history.
func (d *DB) ShowMedia(ctx context.Context, accountID, statusID string, files []MediaAttachment) error {
	if _, err := d.exec(ctx, "take files out", "UPDATE media_attachments SET former = TRUE WHERE status_id = ? AND NOT former", statusID); err != nil {
		return err
	}
	for i := range files {
		f := &files[i]
		n, err := d.exec(ctx, "show file", `UPDATE media_attachments SET status_id = ?, position = ?, former = FALSE, description = ?, focus_x = ?, focus_y = ?
			WHERE id = ? AND account_id = ? AND (status_id = ? OR status_id IS NULL AND scheduled_status_id IS NULL AND NOT mascot)`,
			statusID, i, f.Description, f.FocusX, f.FocusY, f.ID, accountID, statusID)
		if err != nil {
			return err
		}
		if n == 0 {
			return notFound("media %d", f.ID)
		}
	}
	return nil
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

// LocalRebloggers returns the local accounts whose reblogs of a status have ids after
// one and up to another, "" for the end.
func (d *DB) LocalRebloggers(ctx context.Context, statusID, after, upTo string) ([]string, error) {
	query, args := "SELECT account_id FROM statuses WHERE reblog_of_id = ? AND id > ? AND local", []any{statusID, after}
	if upTo != "" {
		query, args = query+" AND id <= ?", append(args, upTo)
	}
	return list[string](ctx, d.writing(), "who reblogged "+statusID, query+" ORDER BY id", args...)
}

// UpdatePoll stores the state of a poll p.
func (d *DB) UpdatePoll(ctx context.Context, p *Poll) error {
	if _, err := d.exec(ctx, "update poll", "UPDATE polls SET multiple = ?, options = ?, voters_count = ?, expires_at = ?, told_closed = ? WHERE id = ?",
		p.Multiple, p.Options, p.VotersCount, p.ExpiresAt, p.ToldClosed, p.ID); err != nil {
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
