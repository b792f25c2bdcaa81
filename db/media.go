package db

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A file kept here is named by its attachment's File, or by the URL of a local
// account's picture: MediaPath and its name.
const MediaPath = "/media/"

// Attachment returns the file with this id, of any account.
func (d *DB) Attachment(ctx context.Context, id int64) (*MediaAttachment, error) {
	return one[MediaAttachment](ctx, d, fmt.Sprintf("media %d", id), "SELECT * FROM media_attachments WHERE id = ?", id)
}

// DescribeAttachment changes the description and focus of a file, including in the status
// that shows it, or begins to at this moment: m names it afterwards. Reblogs of the
// status are left to TouchReblogs.
func (d *DB) DescribeAttachment(ctx context.Context, m *MediaAttachment) error {
	if m.StatusID != nil {
		if err := d.touchShowing(ctx, *m.StatusID); err != nil {
			return err
		}
	}
	status, err := value[*string](ctx, d.writing(), fmt.Sprintf("media %d", m.ID), "UPDATE media_attachments SET description = ?, focus_x = ?, focus_y = ? WHERE id = ? RETURNING status_id",
		m.Description, m.FocusX, m.FocusY, m.ID)
	if err != nil || status == nil || m.StatusID != nil && *m.StatusID == *status {
		return err
	}
	m.StatusID = status
	return d.touchShowing(ctx, *status)
}

// touchShowing is TouchStatus where the file may be of a chat message.
func (d *DB) touchShowing(ctx context.Context, id string) error {
	if err := d.TouchStatus(ctx, id); !errors.Is(err, ErrNotFound) {
		return err
	}
	return nil
}

// Mascot returns the mascot of an account.
func (d *DB) Mascot(ctx context.Context, accountID string) (*MediaAttachment, error) {
	return one[MediaAttachment](ctx, d, "mascot of "+accountID, "SELECT * FROM media_attachments WHERE account_id = ? AND mascot ORDER BY id DESC LIMIT 1", accountID)
}

// SetMascot makes m the account's only mascot and sets its id. It must be
// called in a transaction.
func (d *DB) SetMascot(ctx context.Context, m *MediaAttachment) error {
	if err := d.HoldAccounts(ctx, m.AccountID); err != nil {
		return err
	}
	if _, err := d.exec(ctx, "drop mascot", "DELETE FROM media_attachments WHERE account_id = ? AND mascot", m.AccountID); err != nil {
		return err
	}
	m.Mascot = true
	files := []MediaAttachment{*m}
	if err := d.CreateAttachments(ctx, files); err != nil {
		return err
	}
	*m = files[0]
	return nil
}

// removalTime bounds the removal of a file; a process that takes longer is
// dead.
const removalTime = 15 * time.Minute

// HoldFile protects the file with this name from sweeps for some hours, so that
// it can be stored and named by a row, and stores its length in bytes and its hash. It is
// false while the file is being removed.
func (d *DB) HoldFile(ctx context.Context, name string, size int64, hash string) (held bool, err error) {
	now := d.Now()
	err = d.Tx(ctx, func(tx *DB) error {
		n, err := tx.exec(ctx, "hold file", `INSERT INTO loose_files (name, since) VALUES (?, ?)
			ON CONFLICT (name) DO UPDATE SET since = excluded.since, doomed_at = NULL
			WHERE loose_files.doomed_at IS NULL OR loose_files.doomed_at < ?`, name, now, now.Add(-removalTime))
		if held = n > 0; err != nil || !held {
			return err
		}
		_, err = tx.exec(ctx, "note length of file", "INSERT INTO stored_files (name, size, hash) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING", name, size, hash)
		return err
	})
	return held, err
}

// namedBy is the condition that a row of now names a file: an attachment, an archive, or
// a picture of a local account. It takes the name twice and its address three times.
const namedBy = `EXISTS (SELECT 1 FROM media_attachments WHERE file <> '' AND file = ?) OR
		EXISTS (SELECT 1 FROM backups WHERE file <> '' AND file = ?) OR
		EXISTS (SELECT 1 FROM accounts WHERE local AND avatar <> '' AND avatar = ?) OR
		EXISTS (SELECT 1 FROM accounts WHERE local AND header <> '' AND header = ?) OR
		EXISTS (SELECT 1 FROM accounts WHERE local AND background <> '' AND background = ?)`

// ShownFile is what strangers may know of a file.
type ShownFile struct {
	Size     int64 // in bytes, -1 if unknown
	Banned   bool
	Evidence bool // nothing but reports name it any more
}

// ShownFile returns the state of the file with this name.
func (d *DB) ShownFile(ctx context.Context, name string) (ShownFile, error) {
	url := MediaPath + name
	return value[ShownFile](ctx, d, "file "+name, `SELECT COALESCE((SELECT size FROM stored_files WHERE name = ?), -1) AS size,
		EXISTS (SELECT 1 FROM media_bans WHERE address_key = ?) AS banned,
		EXISTS (SELECT 1 FROM report_files WHERE file = ?) AND NOT (`+namedBy+`) AS evidence`,
		name, mediaKey(url), name, name, name, url, url, url)
}

// OrphanedFiles returns up to limit names of files not held since before a
// moment. Files of deleted statuses are among them if withStatuses is set.
func (d *DB) OrphanedFiles(ctx context.Context, before Time, withStatuses bool, limit int) ([]string, error) {
	var names []string
	for _, withStatus := range []bool{false, true} {
		if withStatus && !withStatuses {
			break
		}
		some, err := list[string](ctx, d, "loose files", "SELECT name FROM loose_files WHERE with_status = ? AND since < ? ORDER BY since LIMIT ?",
			withStatus, before, limit)
		if err != nil {
			return nil, err
		}
		names = append(names, some...)
	}
	return names, nil
}

// BeginFileRemoval decides about an orphaned file. A file that a row names
// stays, and is orphaned no more. A file that was held since before, or that
// another process removes, is left alone. True allows the removal of the file,
// and EndFileRemoval must follow. It must be called in a transaction.
func (d *DB) BeginFileRemoval(ctx context.Context, name string, before Time) (bool, error) {
	now := d.Now()
	n, err := d.exec(ctx, "doom file", `UPDATE loose_files SET doomed_at = ?
		WHERE name = ? AND since < ? AND (doomed_at IS NULL OR doomed_at < ?)`, now, name, before, now.Add(-removalTime))
	if err != nil || n == 0 {
		return false, err
	}
	url := MediaPath + name
	named, err := value[bool](ctx, d, "rows that name file "+name, "SELECT "+namedBy+" OR EXISTS (SELECT 1 FROM report_files WHERE file = ?)",
		name, name, url, url, url, name)
	if err != nil || !named {
		return err == nil, err
	}
	_, err = d.exec(ctx, "keep file", "DELETE FROM loose_files WHERE name = ?", name)
	return false, err
}

// EndFileRemoval ends BeginFileRemoval: the file is gone.
func (d *DB) EndFileRemoval(ctx context.Context, name string) error {
	return d.Tx(ctx, func(tx *DB) error {
		if _, err := tx.exec(ctx, "forget length of file", "DELETE FROM stored_files WHERE name = ?", name); err != nil {
			return err
		}
		_, err := tx.exec(ctx, "forget file", "DELETE FROM loose_files WHERE name = ?", name)
		return err
	})
}

// DeleteUnusedMedia removes the rows of up to limit uploads made before a
// moment and never shown, and returns their number. Their files become
// orphaned.
func (d *DB) DeleteUnusedMedia(ctx context.Context, before Time, limit int) (int64, error) {
	return d.exec(ctx, "delete unused media", `DELETE FROM media_attachments WHERE id IN (
		SELECT m.id FROM media_attachments m WHERE m.status_id IS NULL AND NOT m.mascot AND m.scheduled_status_id IS NULL AND m.created_at < ?
		ORDER BY m.created_at LIMIT ?) AND status_id IS NULL AND scheduled_status_id IS NULL`, before, limit)
}

// DeleteUpload removes the row of an upload that nothing shows and that is no mascot. It
// is false for any other. The file becomes orphaned, at once unless it was stored again
// since.
func (d *DB) DeleteUpload(ctx context.Context, m *MediaAttachment) (bool, error) {
	n, err := d.exec(ctx, "delete upload", "DELETE FROM media_attachments WHERE id = ? AND status_id IS NULL AND scheduled_status_id IS NULL AND NOT mascot", m.ID)
	if err != nil || n == 0 || m.File == "" {
		return n > 0, err
	}
	_, err = d.exec(ctx, "orphan file", "UPDATE loose_files SET since = 0 WHERE name = ? AND since <= ? AND doomed_at IS NULL", m.File, m.CreatedAt)
	return true, err
}

// Secret returns a secret of this database, the same in all processes. The
// first call stores draw().
func (d *DB) Secret(ctx context.Context, key string, draw func() string) (string, error) {
	value, err := d.Meta(ctx, key)
	if err != nil || value != "" {
		return value, err
	}
	if _, err := d.exec(ctx, "keep secret", "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO NOTHING", key, draw()); err != nil {
		return "", err
	}
	return d.Meta(ctx, key)
}
