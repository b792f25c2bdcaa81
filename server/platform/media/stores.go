package media

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"svc/db"
	"svc/server/platform/config"
)

// Stores is the Store that the settings name, at each use. Where they name
// another one than before, files stay where they are and are still found there:
// in the folders and the bucket that the settings, and those under them, know.
type Stores struct {
	db       *db.DB
	data     string // that folders are named from
	prefix   string // of names in a bucket
	settings *config.Live

	mu     sync.Mutex
	disks  map[string]*Disk
	bucket *S3
	from   config.S3 // what bucket was made of
}

// NewStores returns the store of a server with the data folder data; the names
// of files in a bucket begin with prefix.
func NewStores(d *db.DB, data, prefix string, settings *config.Live) *Stores {
	return &Stores{db: d, data: data, prefix: prefix, settings: settings, disks: map[string]*Disk{}}
}

// errNoBucket is an uploader without a place.
var errNoBucket = errors.New("files are to be kept in a bucket, and the settings name none (Svc.Uploaders.S3 :bucket)")

// current is where new files go.
func (s *Stores) current(ctx context.Context) (Store, error) {
	u := &s.settings.Load().Upload
	if u.Uploader == config.S3Uploader {
		return s.inBucket(u)
	}
	return s.onDisk(ctx, u.Folder)
}

// folderKey begins the names under which the database knows the folders for
// files: one that it knows is not made anew where it is missing.
const folderKey = "media_folder:"

func (s *Stores) onDisk(ctx context.Context, folder string) (*Disk, error) {
	folder, err := filepath.Abs(config.In(s.data, folder))
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if disk := s.disks[folder]; disk != nil {
		return disk, nil
	}
	known, err := s.db.Meta(ctx, folderKey+folder)
	if err != nil {
		return nil, err
	}
	disk := &Disk{root: folder, marked: true}
	if known == "" {
		if err := disk.mark(); err != nil {
			return nil, err
		}
		if disk.marked {
			err = s.db.SetMeta(ctx, folderKey+folder, "1")
		}
	}
	if err == nil {
		s.disks[folder] = disk
	}
	return disk, err
}

func (s *Stores) inBucket(u *config.Upload) (*S3, error) {
	if u.Bucket.Name == "" {
		return nil, errNoBucket
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bucket != nil && s.from == u.Bucket {
		return s.bucket, nil
	}
	bucket, err := NewS3(u.Bucket, s.prefix)
	if err == nil {
		s.bucket, s.from = bucket, u.Bucket
	}
	return bucket, err
}

// all are the stores that may have a file, the current one first.
func (s *Stores) all(ctx context.Context) ([]Store, error) {
	first, err := s.current(ctx)
	if err != nil {
		return nil, err
	}
	out := []Store{first}
	u := &s.settings.Load().Upload
	for _, folder := range []string{u.Folder, s.settings.Base().Upload.Folder} {
		disk, err := s.onDisk(ctx, folder)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(out, Store(disk)) {
			out = append(out, disk)
		}
	}
	if u.Uploader != config.S3Uploader && u.Bucket.Name != "" {
		bucket, err := s.inBucket(u)
		if err != nil {
			return nil, err
		}
		out = append(out, bucket)
	}
	return out, nil
}

// Put stores a draft.
func (s *Stores) Put(ctx context.Context, name string, d *Draft) error {
	store, err := s.current(ctx)
	if err != nil {
		return err
	}
	return store.Put(ctx, name, d)
}

// Open opens a file, wherever it is. Where a store is away and no other has the
// file, nobody knows whether it is there.
func (s *Stores) Open(ctx context.Context, name string) (File, error) {
	all, err := s.all(ctx)
	if err != nil {
		return nil, err
	}
	missing := fmt.Errorf("file %s: %w", name, db.ErrNotFound)
	for _, store := range all {
		f, err := store.Open(ctx, name)
		if err == nil {
			return f, nil
		}
		if errors.Is(missing, db.ErrNotFound) && !errors.Is(err, db.ErrNotFound) {
			missing = err
		}
	}
	return nil, missing
}

// Delete removes a file, wherever it is.
func (s *Stores) Delete(ctx context.Context, name string) error {
	all, err := s.all(ctx)
	if err != nil {
		return err
	}
	var failed []error
	for _, store := range all {
		failed = append(failed, store.Delete(ctx, name))
	}
	return errors.Join(failed...)
}

// Probe tries the store of new files.
func (s *Stores) Probe(ctx context.Context) error {
	store, err := s.current(ctx)
	if err != nil {
		return err
	}
	return store.Probe(ctx)
}

// Elsewhere is the URL of a file that people fetch from the bucket; empty where
// they get it from here.
func (s *Stores) Elsewhere(ctx context.Context, name string) string {
	u := &s.settings.Load().Upload
	if u.Uploader != config.S3Uploader || u.ProxyRemote || u.Bucket.Name == "" {
		return ""
	}
	for _, folder := range []string{u.Folder, s.settings.Base().Upload.Folder} {
		disk, err := s.onDisk(ctx, folder)
		if err != nil {
			continue
		}
		if f, err := disk.Open(ctx, name); err == nil { // from before there was a bucket
			_ = f.Close()
			return ""
		}
	}
	return u.Bucket.Public(s.prefix + name)
}

// Scratch is where files on their way into the store are best kept: beside the
// others, so that a finished one need only be renamed.
func (s *Stores) Scratch() string {
	u := &s.settings.Load().Upload
	if u.Uploader == config.S3Uploader {
		return filepath.Join(s.data, "incoming")
	}
	return filepath.Join(config.In(s.data, u.Folder), "incoming")
}
