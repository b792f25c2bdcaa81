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
	"strings"
	"sync"
	"time"

	"svc/db"
	"svc/server/platform/hosts"
)

const (
	// cacheSize bounds the cached remote files in bytes.
	cacheSize = 1 << 30
	// cacheLife is how long a remote file is cached.
	cacheLife = 7 * 24 * time.Hour
)

// cache keeps the proxy's files in a folder, by their host and the hash of their
// URL, and removes the oldest first. Several processes may share the folder.
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

// cacheKey names a cached file.
type cacheKey struct {
	host string // that it comes from; "" for a preview of a local file
	name string // tells it from the others of its host
}

// fileKey is the cache key of a remote file, by its canonical URL.
func fileKey(address string) cacheKey { return cacheKey{hostOf(address), address} }

// hostOf returns the host of a canonical URL, with its port; "" for other texts.
func hostOf(address string) string {
	_, rest, ok := strings.Cut(address, "://")
	if !ok {
		return ""
	}
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	return rest
}

// longestHost is how much of a host, from its end, stands in file names, which have
// room for 255 bytes.
const longestHost = 180

// shortHost is the form of a host in file names; "" if it has none.
func shortHost(host string) string {
	if strings.ContainsFunc(host, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("-._:[]", r)
	}) {
		return ""
	}
	return host[max(0, len(host)-longestHost):]
}

// cachedSuffix ends the names of whole files.
var cachedSuffix = "." + other.Ext

func (c *cache) path(key cacheKey) string {
	sum := sha256.Sum256([]byte(key.name))
	return filepath.Join(c.dir, shortHost(key.host)+"_"+hex.EncodeToString(sum[:])+cachedSuffix)
}

// cachedHost returns the host in the name of a whole file. known is false for other
// names, among them those of earlier versions, which have no host.
func cachedHost(name string) (host string, known bool) {
	end := strings.LastIndexByte(name, '_')
	if end < 0 || !strings.HasSuffix(name, cachedSuffix) {
		return "", false
	}
	return name[:end], true
}

// open opens a cached file; another is db.ErrNotFound.
func (c *cache) open(key cacheKey) (File, Type, error) {
	f, err := os.Open(c.path(key))
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
func (c *cache) add(key cacheKey, write func(*os.File) error) error {
	f, err := os.CreateTemp(c.dir, "fetch-*")
	if err != nil {
		return full(err)
	}
	err = write(f)
	info, statErr := f.Stat()
	if err = errors.Join(err, statErr, f.Close()); err == nil {
		err = errors.Join(os.Chtimes(f.Name(), time.Time{}, c.now()), os.Rename(f.Name(), c.path(key)))
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

// drop removes the cached file of a key, if any.
func (c *cache) drop(key cacheKey) {
	if info, err := os.Stat(c.path(key)); err == nil && os.Remove(c.path(key)) == nil {
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
	files, err := c.files()
	if err != nil {
		return
	}
	total := int64(0)
	for _, info := range files {
		total += info.Size()
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range files {
		age := c.now().Sub(info.ModTime())
		finished := strings.HasSuffix(info.Name(), cachedSuffix)
		_, known := cachedHost(info.Name())
		if age > cacheLife || finished && (total > most || !known) || !finished && age > abandoned {
			if os.Remove(filepath.Join(c.dir, info.Name())) == nil {
				total -= info.Size()
			}
		}
	}
	c.size = total
}

// files are all files of the folder, also those that are being written.
func (c *cache) files() ([]fs.FileInfo, error) {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return nil, err
	}
	files := make([]fs.FileInfo, 0, len(entries))
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			files = append(files, info)
		}
	}
	return files, nil
}

// selected returns the files of a selection with their hosts.
func (c *cache) selected(sel Selection) (files []fs.FileInfo, of []string, err error) {
	all, err := c.files()
	if err != nil {
		return nil, nil, err
	}
	pattern := sel.Host
	if pattern != "" {
		below, above := strings.CutPrefix(pattern, "*.")
		if pattern = shortHost(below); above {
			pattern = "*." + pattern
		}
	}
	for _, info := range all {
		host, known := cachedHost(info.Name())
		if !known || host == "" || pattern != "" && !hosts.Among([]string{pattern}, host) {
			continue
		}
		if sel.Before.IsZero() || info.ModTime().Before(sel.Before) {
			files, of = append(files, info), append(of, host)
		}
	}
	return files, of, nil
}

// purge removes the files of a selection.
func (c *cache) purge(sel Selection) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	files, _, err := c.selected(sel)
	if err != nil {
		return err
	}
	for _, info := range files {
		err := os.Remove(filepath.Join(c.dir, info.Name()))
		switch {
		case err == nil:
			c.size -= info.Size()
		case !errors.Is(err, fs.ErrNotExist): // another process may have been quicker
			return fmt.Errorf("purge cached files: %w", err)
		}
	}
	return nil
}
