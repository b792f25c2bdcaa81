package db

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// checkedFiles compares the files that were stored with the rows that name them.
// A file that no row names waits among the loose files for its removal.
func checkedFiles() []checked {
	named := "EXISTS (SELECT 1 FROM media_attachments m WHERE m.file <> '' AND m.file = t.name) OR EXISTS (SELECT 1 FROM backups b WHERE b.file <> '' AND b.file = t.name)" +
		" OR EXISTS (SELECT 1 FROM report_files f WHERE f.file = t.name)"
	unstored := func(column, name string) fault {
		return fault{
			column: column, says: "names a file that is not stored", cannot: "the file has to come from a backup",
			wrong: name + " <> '' AND NOT EXISTS (SELECT 1 FROM stored_files s WHERE s.name = " + name + ")",
		}
	}
	var pictures []fault
	for _, column := range []string{"avatar", "header", "background"} {
		named += " OR EXISTS (SELECT 1 FROM accounts a WHERE a.local AND a." + column + " <> '' AND a." + column + " = '" + MediaPath + "' || t.name)"
		name := fmt.Sprintf("substr(t.%s, %d)", column, len(MediaPath)+1)
		f := unstored(column, name)
		f.wrong = fmt.Sprintf("t.local AND t.%s LIKE '%s%%' AND ", column, MediaPath) + f.wrong
		pictures = append(pictures, f)
	}
	out := []checked{{area: CheckFiles, table: "stored_files", key: []string{"name"}, faults: []fault{{
		column: "name", says: "no row names the file, and nobody removes it", repair: loosen,
		wrong: "NOT EXISTS (SELECT 1 FROM loose_files l WHERE l.name = t.name) AND NOT (" + named + ")",
	}}}, {area: CheckFiles, table: "accounts", key: []string{"id"}, faults: pictures}}
	for _, table := range []string{"media_attachments", "backups"} {
		out = append(out, checked{area: CheckFiles, table: table, key: []string{"id"}, faults: []fault{unstored("file", "t.file")}})
	}
	return out
}

// loosen makes the next sweep remove a file.
func loosen(ctx context.Context, tx *DB, key []any) error {
	_, err := tx.exec(ctx, "remove file later", "INSERT INTO loose_files (name, since) VALUES (?, 0) ON CONFLICT DO NOTHING", key...)
	return err
}

// StoredFile is a file of the media store, by name, with its length, and the hash of
// what it contains: SHA-256 as hexadecimal text, "" if that is not known.
type StoredFile struct {
	Name string
	Size int64
	Hash string
}

// settling is the time in which a file that is being stored may still be missing.
const settling = 15 * time.Minute

// expected is the condition that a stored file is to be there. A sweep may remove one
// that is loose, but for those that a row names.
func expected() string {
	named := "EXISTS (SELECT 1 FROM media_attachments m WHERE m.file <> '' AND m.file = t.name) OR EXISTS (SELECT 1 FROM backups b WHERE b.file <> '' AND b.file = t.name)"
	for _, column := range []string{"avatar", "header", "background"} {
		named += " OR EXISTS (SELECT 1 FROM accounts a WHERE a.local AND a." + column + " <> '' AND a." + column + " = '" + MediaPath + "' || t.name)"
	}
	return "(NOT EXISTS (SELECT 1 FROM loose_files l WHERE l.name = t.name) OR EXISTS (SELECT 1 FROM loose_files l WHERE l.name = t.name AND l.doomed_at IS NULL AND l.since < ?) AND (" + named + "))"
}

// StoredFiles returns up to limit files with names above after, by name. Files
// that a sweep may remove are left out.
func (d *DB) StoredFiles(ctx context.Context, after string, limit int) ([]StoredFile, error) {
	return list[StoredFile](ctx, d, "stored files", "SELECT t.name, t.size, t.hash FROM stored_files t WHERE t.name > ? AND "+expected()+" ORDER BY t.name"+limitOf(limit),
		after, At(d.pool.now().Add(-settling)))
}

// ExpectedFile returns a file of StoredFiles, or ErrNotFound.
func (d *DB) ExpectedFile(ctx context.Context, name string) (*StoredFile, error) {
	return one[StoredFile](ctx, d, "file "+name, "SELECT t.name, t.size, t.hash FROM stored_files t WHERE t.name = ? AND "+expected(), name, At(d.pool.now().Add(-settling)))
}

// NoteFileHash stores the hash of a file that had none.
func (d *DB) NoteFileHash(ctx context.Context, name, hash string) error {
	_, err := d.exec(ctx, "note contents of file", "UPDATE stored_files SET hash = ? WHERE name = ? AND hash = ''", hash, name)
	return err
}

// UnknownFiles returns those of the names without a stored file.
func (d *DB) UnknownFiles(ctx context.Context, names []string) ([]string, error) {
	known, err := list[string](ctx, d, "known files", "SELECT name FROM stored_files WHERE name IN ? UNION SELECT name FROM loose_files WHERE name IN ?", names, names)
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(known, name) }), err
}

// LoosenFile makes the next sweep remove a file, unless a row names it.
func (d *DB) LoosenFile(ctx context.Context, name string) error {
	return loosen(ctx, d, []any{name})
}
