package media

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"svc/db"
)

const (
	// cacheSize bounds the cached remote files in bytes.
	cacheSize = 1 << 30
	// cacheLife is how long a remote file is cached.
	cacheLife = 7 * 24 * time.Hour
)

// cache keeps the proxy's files in a folder, by the hash of their URL, and
// removes the oldest first. Several processes may share the folder.
type cache struct {
	dir string
	max int64
	now func() time.Time

	mu   sync.Mutex
	size int64 // approximate size of the folder
}

func newCache(dir string, now func() time.Time) (*cache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("folder of the media proxy: %w", err)
	}
	c := &cache{dir: dir, max: cacheSize, now: now}
	c.shrink(c.max)
	return c, nil
}

func (c *cache) path(address string) string {
	sum := sha256.Sum256([]byte(address))
	return filepath.Join(c.dir, hex.EncodeToString(sum[:])+"."+other.Ext)
}

// open opens a cached file; another is db.ErrNotFound.
func (c *cache) open(address string) (File, Type, error) {
	f, err := os.Open(c.path(address))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, other, fmt.Errorf("cached file: %w", db.ErrNotFound)
	}
	if err != nil {
		return nil, other, err
	}
	info, t, err := c.judge(f)
	if err != nil {
		_ = f.Close()
		return nil, t, err
	}
	return diskFile{f, info.Size()}, t, nil
}

// judge returns the type of a cached file, and removes an old one.
func (c *cache) judge(f *os.File) (fs.FileInfo, Type, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, other, err
	}
	if c.now().Sub(info.ModTime()) > cacheLife {
		_ = os.Remove(f.Name()) // another process may have been quicker
		return nil, other, fmt.Errorf("cached file: %w", db.ErrNotFound)
	}
	head, err := readAt(f, 0, int(min(info.Size(), headSize)))
	return info, Sniff(head), err
}

// add caches the output of write, unless that fails.
func (c *cache) add(address string, write func(*os.File) error) error {
	f, err := os.CreateTemp(c.dir, "fetch-*")
	if err != nil {
		return full(err)
	}
	err = write(f)
	info, statErr := f.Stat()
	if err = errors.Join(err, statErr, f.Close()); err == nil {
		err = errors.Join(os.Chtimes(f.Name(), time.Time{}, c.now()), os.Rename(f.Name(), c.path(address)))
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return err
	}
	c.mu.Lock()
	c.size += info.Size()
	over := c.size > c.max
	c.mu.Unlock()
	if over {
		c.shrink(c.max - c.max/10)
	}
	return nil
}

// drop removes the cached file of an address, if any.
func (c *cache) drop(address string) {
	if info, err := os.Stat(c.path(address)); err == nil && os.Remove(c.path(address)) == nil {
		c.mu.Lock()
		c.size -= info.Size()
		c.mu.Unlock()
	}
}

// empty removes all files but those that are being written.
func (c *cache) empty() { c.shrink(0) }

// shrink removes old files, and the oldest until at most most bytes are left.
// Failures are left to the next time.
func (c *cache) shrink(most int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return
	}
	files := make([]fs.FileInfo, 0, len(entries))
	total := int64(0)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			files = append(files, info)
			total += info.Size()
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range files {
		age := c.now().Sub(info.ModTime())
		_, finished := typeOfName(info.Name())
		if age > cacheLife || total > most && finished || !finished && age > abandoned {
			if os.Remove(filepath.Join(c.dir, info.Name())) == nil {
				total -= info.Size()
			}
		}
	}
	c.size = total
}
