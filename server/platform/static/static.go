// Package static is the folder of an operator's own files in place of built-in
// ones: pictures and the instance's documents.
//
// Names come from strangers: the folder is opened as a root that they cannot
// leave, not even through links. It does not know HTTP.
package static

import (
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"svc/db"
	"svc/server/platform/config"
)

//go:embed defaults
var defaults embed.FS

// Folder is the static folder. Its path is read from the settings at each use.
type Folder struct {
	db       *db.DB
	data     string
	settings *config.Live
}

// New returns the static folder of a server with the data folder data. The database
// has the rights of those who write to it.
func New(d *db.DB, data string, settings *config.Live) *Folder { return &Folder{d, data, settings} }

// Path returns the path of the folder, which may be missing.
func (f *Folder) Path() string { return f.settings.Load().StaticFolder(f.data) }

// Open opens a file by its slash-separated name in the folder. Anything but a
// regular file is db.ErrNotFound.
func (f *Folder) Open(name string) (*os.File, error) { return open(f.Path(), name) }

func open(folder, name string) (_ *os.File, err error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, asNotFound(name, err)
	}
	defer func() { _ = root.Close() }()
	name = inside(name)
	// Opening a pipe would wait for its other end.
	if info, err := root.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil, asNotFound(name, errors.Join(err, fs.ErrNotExist))
	}
	file, err := root.Open(name)
	return file, asNotFound(name, err)
}

// Primary returns the folder of the front end at the root, in the static
// folder; empty if none is chosen or present.
func (f *Folder) Primary() (string, error) {
	s := &f.settings.Load().Frontends
	return f.installed(s.Folder(s.Primary))
}

// Admin returns the folder of the admin front end, likewise.
func (f *Folder) Admin() (string, error) {
	s := &f.settings.Load().Frontends
	return f.installed(s.Folder(s.Admin))
}

// Index is the first file of a front end.
const Index = "index.html"

func (f *Folder) installed(folder string) (string, error) {
	if folder == "" {
		return "", nil
	}
	file, err := f.Open(folder + "/" + Index)
	if errors.Is(err, db.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return folder, file.Close()
}

// inside returns a name that cannot leave the folder.
func inside(name string) string {
	if name = strings.TrimPrefix(path.Clean("/"+name), "/"); name == "" {
		return "."
	}
	return name
}

// asNotFound turns errors caused by a name into "not found". A lack of file
// descriptors has other causes.
func asNotFound(name string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return fmt.Errorf("static file %q: %w", name, err)
	}
	return fmt.Errorf("static file %q: %w", name, errors.Join(db.ErrNotFound, err))
}

// read reads a whole file of up to limit bytes.
func read(folder, name string, limit int64) ([]byte, error) {
	file, err := open(folder, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	raw, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if int64(len(raw)) > limit {
		return nil, fmt.Errorf("read %s: it has more than %d bytes", name, limit)
	}
	return raw, nil
}

// write replaces a file, whole or not at all.
func (f *Folder) write(name string, content []byte) error {
	if err := os.MkdirAll(f.Path(), 0o755); err != nil {
		return fmt.Errorf("static folder: %w", err)
	}
	root, err := os.OpenRoot(f.Path())
	if err != nil {
		return fmt.Errorf("static folder: %w", err)
	}
	defer func() { _ = root.Close() }()
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return fmt.Errorf("folder of %s: %w", name, err)
	}
	fresh := name + "." + rand.Text() + ".new"
	if err = fill(root, fresh, content); err == nil {
		err = root.Rename(fresh, name)
	}
	if err != nil {
		_ = root.Remove(fresh)
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// fill writes a file and syncs it.
func fill(root *os.Root, name string, content []byte) error {
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// remove removes a file; a missing one is db.ErrNotFound.
func (f *Folder) remove(name string) error {
	root, err := os.OpenRoot(f.Path())
	if err != nil {
		return asNotFound(name, err)
	}
	defer func() { _ = root.Close() }()
	err = root.Remove(name)
	if errors.Is(err, fs.ErrNotExist) {
		return asNotFound(name, err)
	}
	return err
}
