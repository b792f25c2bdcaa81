package static

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"svc/db"
	"svc/server/platform/rights"
)

// A Document is an HTML text about the instance.
type Document struct {
	Name string // its name in the admin API
	Path string // its path, also in the folder
	file string // the built-in file
}

// The documents. The panel is shown beside the web client.
var (
	Panel = Document{"instance-panel", "/instance/panel.html", "panel.html"}
	Terms = Document{"terms-of-service", "/static/terms-of-service.html", "terms-of-service.html"}
)

// DocumentNamed returns the document with this name; an unknown one is
// db.ErrNotFound.
func DocumentNamed(name string) (Document, error) {
	for _, d := range []Document{Panel, Terms} {
		if d.Name == name {
			return d, nil
		}
	}
	return Document{}, fmt.Errorf("document %q: %w", name, db.ErrNotFound)
}

// MaxDocument is the longest document, in bytes.
const MaxDocument = 1 << 20

// Read returns a document: the instance's own, the front end's, or the built-in
// one. written is false for the last.
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
	content, err = fs.ReadFile(defaults, "defaults/"+d.file)
	return content, false, err
}

// Written reports whether a document is the instance's own, or the front end's.
func (f *Folder) Written(d Document) bool {
	names := []string{d.Path}
	if front, err := f.Primary(); err == nil && front != "" {
		names = append(names, front+d.Path)
	}
	return slices.ContainsFunc(names, func(name string) bool {
		is, err := os.Stat(filepath.Join(f.Path(), filepath.FromSlash(name)))
		return err == nil && is.Mode().IsRegular()
	})
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
