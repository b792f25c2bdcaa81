package media

import (
	"context"
	"errors"
	"fmt"

	"svc/db"
	"svc/server/platform/config"
)

// Folders are the folders that files may be in.
func (s *Stores) Folders(ctx context.Context) ([]string, error) {
	disks, err := s.onDisks(ctx)
	out := make([]string, len(disks))
	for i, d := range disks {
		out[i] = d.root
	}
	return out, err
}

func (s *Stores) onDisks(ctx context.Context) (out []*Disk, err error) {
	all, err := s.all(ctx)
	for _, store := range all {
		if d, ok := store.(*Disk); ok {
			out = append(out, d)
		}
	}
	return out, err
}

// HasBucket reports whether files may be in a bucket.
func (s *Stores) HasBucket() bool {
	u := &s.settings.Load().Upload
	return u.Uploader == config.S3Uploader || u.Bucket.Name != ""
}

// OpenLocal opens a file that is in one of the folders, and asks no bucket.
func (s *Stores) OpenLocal(ctx context.Context, name string) (File, error) {
	disks, err := s.onDisks(ctx)
	if err != nil {
		return nil, err
	}
	missing := fmt.Errorf("file %s: %w", name, db.ErrNotFound)
	for _, d := range disks {
		f, err := d.Open(ctx, name)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, db.ErrNotFound) {
			missing = err
		}
	}
	return nil, missing
}

// Path is where a file of this name is.
func (s *Disk) Path(name string) string { return s.path(name) }
