package db

import (
	"context"
	"fmt"
)

// Backup is an archive of an account's data. File is empty until the archive is
// complete.
type Backup struct {
	ID        int64 `gorm:"primaryKey;autoIncrement"`
	AccountID string
	File      string // its name in the media store
	Size      int64  // in bytes
	CreatedAt Time   `gorm:"autoCreateTime:false"`
}

// CreateBackup inserts b, giving it its id and the time.
func (d *DB) CreateBackup(ctx context.Context, b *Backup) error {
	b.CreatedAt = d.Now()
	return create(ctx, d, b, "create backup of %s", b.AccountID)
}

// Backup returns one backup.
func (d *DB) Backup(ctx context.Context, id int64) (*Backup, error) {
	return one[Backup](ctx, d, fmt.Sprintf("backup %d", id), "SELECT * FROM backups WHERE id = ?", id)
}

// Backups returns an account's newest backups, up to limit.
func (d *DB) Backups(ctx context.Context, accountID string, limit int) ([]Backup, error) {
	return list[Backup](ctx, d, "backups of "+accountID, "SELECT * FROM backups WHERE account_id = ? ORDER BY id DESC LIMIT ?", accountID, limit)
}

// BackupShown reports whether a file of the media store is a backup of an active
// account, and whether it is an upload. A file that is neither is nobody's any more.
func (d *DB) BackupShown(ctx context.Context, file string) (backup, upload bool, err error) {
	type shown struct{ Backup, Upload bool }
	row, err := value[shown](ctx, d, "is "+file+" a backup", `SELECT
		EXISTS (SELECT 1 FROM backups b JOIN accounts a ON a.id = b.account_id WHERE b.file = ? AND b.file <> '' AND NOT a.deactivated) AS backup,
		EXISTS (SELECT 1 FROM media_attachments m WHERE m.file = ? AND m.file <> '') AS upload`, file, file)
	return row.Backup, row.Upload, err
}

// FinishBackup stores the file of a backup. A backup that is gone, or finished,
// is ErrNotFound.
func (d *DB) FinishBackup(ctx context.Context, id int64, file string, size int64) error {
	n, err := d.exec(ctx, "finish backup", "UPDATE backups SET file = ?, size = ? WHERE id = ? AND file = ''", file, size, id)
	if err == nil && n == 0 {
		err = notFound("backup %d", id)
	}
	return err
}

// SweepBackups removes up to limit backups made before a moment and returns
// their number. Their files become orphaned.
func (d *DB) SweepBackups(ctx context.Context, before Time, limit int) (int64, error) {
	return d.exec(ctx, "sweep backups", "DELETE FROM backups WHERE id IN (SELECT id FROM backups WHERE created_at < ? ORDER BY created_at LIMIT ?)", before, limit)
}

// StatusesAfter returns up to limit of an account's own statuses and reblogs
// with ids above after, oldest first.
func (d *DB) StatusesAfter(ctx context.Context, accountID, after string, limit int) ([]Status, error) {
	return list[Status](ctx, d, "statuses of "+accountID, "SELECT * FROM statuses WHERE account_id = ? AND id > ? ORDER BY id LIMIT ?", accountID, after, limit)
}

// ArchivedRef is a status that the account favourited or bookmarked.
type ArchivedRef struct {
	Key string // of the like or bookmark, for the next page
	URI string // of the status
}

// FavouritesAfter returns up to limit of an account's favourites with ids above
// after, oldest first.
func (d *DB) FavouritesAfter(ctx context.Context, accountID, after string, limit int) ([]ArchivedRef, error) {
	return d.kept(ctx, "SELECT f.id AS key, s.uri FROM favourites f JOIN statuses s ON s.id = f.status_id WHERE f.account_id = ? AND f.id > ? ORDER BY f.id LIMIT ?",
		accountID, after, limit)
}

// BookmarksAfter is FavouritesAfter for bookmarks; after is a number.
func (d *DB) BookmarksAfter(ctx context.Context, accountID, after string, limit int) ([]ArchivedRef, error) {
	if after == "" {
		after = "0"
	}
	return d.kept(ctx, "SELECT CAST(b.id AS TEXT) AS key, s.uri FROM bookmarks b JOIN statuses s ON s.id = b.status_id WHERE b.account_id = ? AND b.id > CAST(? AS BIGINT) ORDER BY b.id LIMIT ?",
		accountID, after, limit)
}

func (d *DB) kept(ctx context.Context, query, accountID, after string, limit int) ([]ArchivedRef, error) {
	return list[ArchivedRef](ctx, d, "what "+accountID+" keeps", query, accountID, after, limit)
}

// FilesAfter returns up to limit of an account's local files with ids above
// after, in order.
func (d *DB) FilesAfter(ctx context.Context, accountID string, after int64, limit int) ([]MediaAttachment, error) {
	return list[MediaAttachment](ctx, d, "files of "+accountID, "SELECT * FROM media_attachments WHERE account_id = ? AND id > ? AND file <> '' ORDER BY id LIMIT ?", accountID, after, limit)
}

// ConversationURIs returns the ActivityPub ids of conversations by number.
func (d *DB) ConversationURIs(ctx context.Context, ids []int64) (map[int64]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := list[Conversation](ctx, d, "conversations", "SELECT * FROM conversations WHERE id IN ?", ids)
	out := make(map[int64]string, len(rows))
	for _, r := range rows {
		out[r.ID] = r.URI
	}
	return out, err
}
