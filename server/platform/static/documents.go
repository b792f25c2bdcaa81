package static

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"svc/db"
	"svc/server/platform/rights"
)

// A Document is an HTML text about the instance.
type Document struct {
	Name string // its name in the admin API
	Path string // its path, also in the folder
	file string // the built-in file, "" for none
}

// The documents. The panel is shown beside the web client.
var (
	Panel = Document{"instance-panel", "/instance/panel.html", "panel.html"}
	Terms = Document{"terms-of-service", "/static/terms-of-service.html", "terms-of-service.html"}
	// Without a text of the instance's own, these do not exist.
	Privacy     = Document{"privacy-policy", "/static/privacy-policy.html", ""}
	Description = Document{"extended-description", "/static/extended-description.html", ""}
)

// Documents are all of them.
var Documents = []Document{Panel, Terms, Privacy, Description}

// DocumentNamed returns the document with this name; an unknown one is
// db.ErrNotFound.
func DocumentNamed(name string) (Document, error) {
	for _, d := range Documents {
		if d.Name == name {
			return d, nil
		}
	}
	return Document{}, fmt.Errorf("document %q: %w", name, db.ErrNotFound)
}

// MaxDocument is the longest document, in bytes.
const MaxDocument = 1 << 20

// Read returns a document: the instance's own, the front end's, or the built-in
// one. written is false for the last, and without one it is db.ErrNotFound.
func (f *Folder) Read(d Document) (content []byte, written bool, err error) {
	names := []string{d.Path}
	front, err := f.Primary()
	if err != nil {
		return nil, false, err
	}
	if front != "" {
		names = append(names, front+d.Path)
	}
	for _, name := range names {
		if content, err = read(f.Path(), name, MaxDocument); !errors.Is(err, db.ErrNotFound) {
			return content, true, err
		}
	}
	if d.file == "" {
		return nil, false, fmt.Errorf("document %q: %w", d.Name, db.ErrNotFound)
	}
	content, err = fs.ReadFile(defaults, "defaults/"+d.file)
	return content, false, err
}

// Written reports whether a document is the instance's own, or the front end's.
func (f *Folder) Written(d Document) bool {
	_, written := f.WrittenAt(d)
	return written
}

// WrittenAt returns when such a document was written; false if there is none.
func (f *Folder) WrittenAt(d Document) (time.Time, bool) {
	names := []string{d.Path}
	if front, err := f.Primary(); err == nil && front != "" {
		names = append(names, front+d.Path)
	}
	for _, name := range names {
		if is, err := os.Stat(filepath.Join(f.Path(), filepath.FromSlash(name))); err == nil && is.Mode().IsRegular() {
			return is.ModTime(), true
		}
	}
	return time.Time{}, false
}

// Write stores the instance's own document.
func (f *Folder) Write(ctx context.Context, by *db.Account, d Document, content []byte) error {
	if err := rights.AdministerNow(ctx, f.db, by); err != nil {
		return err
	}
	return f.write(inside(d.Path), content)
}

// Delete removes the instance's own document; without one it is db.ErrNotFound.
func (f *Folder) Delete(ctx context.Context, by *db.Account, d Document) error {
	if err := rights.AdministerNow(ctx, f.db, by); err != nil {
		return err
	}
	return f.remove(inside(d.Path))
}
