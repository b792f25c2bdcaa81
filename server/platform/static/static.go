// Package static is the folder of files that an operator puts in place of the
// built-in ones: pictures and the instance's documents.
//
// Names come from strangers, so a folder is opened as a root: no name leaves it,
// not through links either. Admins alone write documents. It knows no HTTP.
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

// Folder is the static folder. Where it is, is looked up in the settings at
// each use.
type Folder struct {
	data     string
	settings *config.Live
}

// New returns the static folder of a server with the data folder data.
func New(data string, settings *config.Live) *Folder { return &Folder{data, settings} }

// Path is where the folder is. It need not be there.
func (f *Folder) Path() string { return f.settings.Load().StaticFolder(f.data) }

// Open opens a file by its name from the folder, with slashes; what is no plain
// file in it is db.ErrNotFound.
func (f *Folder) Open(name string) (*os.File, error) { return open(f.Path(), name) }

func open(folder, name string) (_ *os.File, err error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, asNotFound(name, err)
	}
	defer func() { _ = root.Close() }()
	name = inside(name)
	// To open a pipe would be to wait for its other end.
	if info, err := root.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil, asNotFound(name, errors.Join(err, fs.ErrNotExist))
	}
	file, err := root.Open(name)
	return file, asNotFound(name, err)
}

// Primary is the folder of the front end at the root, from the static folder;
// empty where none is chosen or there.
func (f *Folder) Primary() (string, error) {
	s := &f.settings.Load().Frontends
	return f.installed(s.Folder(s.Primary))
}

// Admin is the folder of the front end for admins, likewise.
func (f *Folder) Admin() (string, error) {
	s := &f.settings.Load().Frontends
	return f.installed(s.Folder(s.Admin))
}

// Index is the file that a front end begins with.
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

// inside is a name that begins at the folder and does not lead above it.
func inside(name string) string {
	if name = strings.TrimPrefix(path.Clean("/"+name), "/"); name == "" {
		return "."
	}
	return name
}

// asNotFound makes of what a name of a stranger runs into that there is no such
// file: there is none for him. A lack of descriptors says nothing about the name.
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

// write puts a file in place of another, whole or not at all.
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

// fill writes a file out to the disk.
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

// remove removes a file; one that is not there is db.ErrNotFound.
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
