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

// Disk is a Store in a folder, with a folder for each first two letters of
// names.
type Disk struct{ root string }

// NewDisk returns a Disk in the folder root, which it makes.
func NewDisk(root string) (*Disk, error) {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, fmt.Errorf("folder for media: %w", err)
	}
	return &Disk{root}, nil
}

func (s *Disk) path(name string) string { return filepath.Join(s.root, name[:2], name) }

// Put stores a draft: written out, then renamed, then the folder written out,
// so that a file that is there is whole even after a crash.
func (s *Disk) Put(_ context.Context, name string, d *Draft) error {
	path := s.path(name)
	if info, err := os.Stat(path); err == nil && info.Size() == d.Size {
		return nil
	}
	folder := filepath.Dir(path)
	if err := os.Mkdir(folder, 0o700); err == nil {
		if err := syncFolder(s.root); err != nil {
			return err
		}
	} else if !errors.Is(err, fs.ErrExist) {
		return full(err)
	}
	if err := d.file.Sync(); err != nil {
		return full(err)
	}
	err := os.Rename(d.file.Name(), path)
	if errors.Is(err, syscall.EXDEV) {
		err = copyInto(folder, path, d)
	}
	if err != nil {
		return full(err)
	}
	return syncFolder(folder)
}

// copyInto is for a draft on another disk than the store.
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
	return errors.Join(full(f.Sync()), f.Close())
}

// Open opens a file.
func (s *Disk) Open(_ context.Context, name string) (File, error) {
	f, err := os.Open(s.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("file %s: %w", name, db.ErrNotFound)
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
	if err := os.Remove(s.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
