package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"svc/db"
)

// Disk is a Store in a folder, with a subfolder for each first two letters of
// names.
type Disk struct {
	root   string
	marked bool
}

// marker is a file in the folder of a Disk. Without it the folder is the mount
// point of a missing disk: missing files are not gone, and nothing must be
// stored.
const marker = ".media"

// NewDisk returns a Disk in the folder root, which it creates.
func NewDisk(root string) (*Disk, error) {
	s := &Disk{root: root}
	return s, s.mark()
}

// mark marks the folder. On a full disk it stays unmarked, and readable.
func (s *Disk) mark() error {
	if err := os.MkdirAll(s.root, 0o700); err != nil {
		return fmt.Errorf("folder for media: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(s.root, marker), os.O_CREATE|os.O_RDONLY, 0o600)
	if err == nil {
		s.marked = f.Close() == nil
	}
	return nil
}

func (s *Disk) path(name string) string { return filepath.Join(s.root, name[:2], name) }

// present returns an error if the folder is not the marked one.
func (s *Disk) present() error {
	path := s.root
	if s.marked {
		path = filepath.Join(s.root, marker)
	}
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("the folder for media is not the one that it was; mount its disk, or make an empty file %s in it: %w", marker, err)
	}
	return nil
}

// missing returns the error for a missing file: db.ErrNotFound if the folder is
// present.
func (s *Disk) missing(name string) error {
	if err := s.present(); err != nil {
		return err
	}
	return fmt.Errorf("file %s: %w", name, db.ErrNotFound)
}

// Put stores a draft: synced, renamed, and the folder synced, so that a present
// file is whole even after a crash.
func (s *Disk) Put(_ context.Context, name string, d *Draft) error {
	path := s.path(name)
	if info, err := os.Stat(path); err == nil && info.Size() == d.Size {
		return nil
	}
	if err := s.present(); err != nil {
		return err
	}
	folder := filepath.Dir(path)
	if err := os.Mkdir(folder, 0o700); err == nil {
		if err := syncFolder(s.root); err != nil {
			return err
		}
	} else if !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := d.file.Sync(); err != nil {
		return err
	}
	err := os.Rename(d.file.Name(), path)
	if errors.Is(err, syscall.EXDEV) {
		err = copyInto(folder, path, d)
	}
	if err != nil {
		return err
	}
	return syncFolder(folder)
}

// copyInto stores a draft from another disk.
func copyInto(folder, path string, d *Draft) (err error) {
	f, err := os.CreateTemp(folder, "draft-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = io.Copy(f, io.NewSectionReader(d.file, 0, d.Size))
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Open opens a file.
func (s *Disk) Open(_ context.Context, name string) (File, error) {
	f, err := os.Open(s.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, s.missing(name)
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return diskFile{f, info.Size()}, nil
}

type diskFile struct {
	*os.File
	size int64
}

func (f diskFile) Size() int64 { return f.size }

// Delete removes a file.
func (s *Disk) Delete(_ context.Context, name string) error {
	err := os.Remove(s.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		err = s.present()
	}
	return err
}

// Probe writes a file and removes it.
func (s *Disk) Probe(context.Context) error {
	if err := s.present(); err != nil {
		return err
	}
	f, err := os.CreateTemp(s.root, draftPrefix+"*")
	if err != nil {
		return fmt.Errorf("folder for media: %w", err)
	}
	_, err = f.WriteString("probe")
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}
