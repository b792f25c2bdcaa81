package static

import (
	"errors"
	"fmt"
	"io/fs"

	"svc/db"
	"svc/server/platform/rights"
)

// A Document is a text in HTML by which the instance presents itself.
type Document struct {
	Name string // by which admins call it
	Path string // where people find it, and where it is in the folder
	file string // the built-in one
}

// The documents. The panel is shown beside the web client.
var (
	Panel = Document{"instance-panel", "/instance/panel.html", "panel.html"}
	Terms = Document{"terms-of-service", "/static/terms-of-service.html", "terms-of-service.html"}
)

// DocumentNamed is the document that admins call so; another is db.ErrNotFound.
func DocumentNamed(name string) (Document, error) {
	for _, d := range []Document{Panel, Terms} {
		if d.Name == name {
			return d, nil
		}
	}
	return Document{}, fmt.Errorf("document %q: %w", name, db.ErrNotFound)
}

// MaxDocument is how long a document may be, in bytes.
const MaxDocument = 1 << 20

// Read returns a document: the instance's own, that of its front end, or the
// built-in one, which nobody has written for this instance.
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

// Write makes content the instance's own document, for an admin.
func (f *Folder) Write(by *db.Account, d Document, content []byte) error {
	if err := rights.Administer(by); err != nil {
		return err
	}
	return f.write(inside(d.Path), content)
}

// Delete removes the instance's own document for an admin; db.ErrNotFound where
// it has none. Read then falls back to another.
func (f *Folder) Delete(by *db.Account, d Document) error {
	if err := rights.Administer(by); err != nil {
		return err
	}
	return f.remove(inside(d.Path))
}
