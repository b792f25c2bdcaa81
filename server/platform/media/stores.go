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

// Stores is the currently configured Store. After a change, files stay where
// they are and are still found: in the folders and the bucket of the saved and
// the operator's settings.
type Stores struct {
	db       *db.DB
	data     string // the data folder
	prefix   string // of names in a bucket
	settings *config.Live

	mu     sync.Mutex
	disks  map[string]*Disk
	bucket *S3
	from   config.S3 // the settings of bucket
}

// NewStores returns the store of a server with the data folder data; names in a
// bucket begin with prefix.
func NewStores(d *db.DB, data, prefix string, settings *config.Live) *Stores {
	return &Stores{db: d, data: data, prefix: prefix, settings: settings, disks: map[string]*Disk{}}
}

// errNoBucket is a bucket uploader without a bucket.
var errNoBucket = errors.New("files are to be kept in a bucket, and the settings name none (Svc.Uploaders.S3 :bucket)")

// current returns the store of new files.
func (s *Stores) current(ctx context.Context) (Store, error) {
	u := &s.settings.Load().Upload
	if u.Uploader == config.S3Uploader {
		return s.inBucket(u)
	}
	return s.onDisk(ctx, u.Folder)
}

// folderKey is the prefix of keys of known media folders: a known one is not
// created again if it is missing.
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

// all returns the stores that may have a file, the current one first.
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

// Open opens a file in any store. If a store fails and no other has the file,
// its existence is unknown.
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

// Delete removes a file from all stores.
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

// Probe tests the store of new files.
func (s *Stores) Probe(ctx context.Context) error {
	store, err := s.current(ctx)
	if err != nil {
		return err
	}
	return store.Probe(ctx)
}

// BucketURL returns the URL of a file that is fetched from the bucket; empty if
// it is served from here.
func (s *Stores) BucketURL(ctx context.Context, name string) string {
	u := &s.settings.Load().Upload
	if u.Uploader != config.S3Uploader || u.ProxyRemote || u.Bucket.Name == "" {
		return ""
	}
	for _, folder := range []string{u.Folder, s.settings.Base().Upload.Folder} {
		disk, err := s.onDisk(ctx, folder)
		if err != nil {
			continue
		}
		if f, err := disk.Open(ctx, name); err == nil { // from before the bucket
			_ = f.Close()
			return ""
		}
	}
	return u.Bucket.Public(s.prefix + name)
}

// Scratch returns the best folder for unfinished files: beside the others, so
// that a finished one need only be renamed.
func (s *Stores) Scratch() string {
	u := &s.settings.Load().Upload
	if u.Uploader == config.S3Uploader {
		return filepath.Join(s.data, "incoming")
	}
	return filepath.Join(config.In(s.data, u.Folder), "incoming")
}
