// Package backup keeps copies of a whole instance in a folder, and restores them.
//
// The folder has the contents as files named by their SHA-256, so that what two backups
// have in common is there once, and a manifest for each backup that names them. A
// manifest is written last: without one nothing is a backup.
package backup

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/gofrs/flock"
	"github.com/klauspost/compress/s2"
)

// Names in the folder of backups.
const (
	identity  = "svcd-backup" // a file that says what the folder is
	lockFile  = "lock"
	blobs     = "blobs"
	manifests = "manifests"
	temporary = "tmp"
)

// identityText is what the identity has, with the version of the format.
const identityText = "This folder has backups of svcd, format 1. See docs/backup.md.\n"

var (
	// ErrBusy means that another process works on the folder.
	ErrBusy = errors.New("another svcd is at work in this folder of backups")
	// ErrOther means that a folder has something else than backups.
	ErrOther = errors.New("the folder is not empty, and has no backups of svcd")
)

// store is a folder of backups.
type store struct {
	dir  string
	lock *flock.Flock // nil in a folder that cannot be written

	mu      sync.Mutex
	touched map[string]bool // folders to sync
	written atomic.Int64    // bytes of new files
	made    atomic.Int64    // new files
}

// openStore opens a folder; with write it is made if it is missing or empty, and locked
// for this process alone.
func openStore(dir string, write bool) (*store, error) {
	s := &store{dir: dir, touched: map[string]bool{}}
	if write {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, readable(err)
		}
	}
	if err := s.identify(write); err != nil {
		return nil, err
	}
	s.lock = flock.New(s.path(lockFile), flock.SetPermissions(0o600))
	try := s.lock.TryRLock
	if write {
		try = s.lock.TryLock
	}
	got, err := try()
	switch {
	case err != nil && !write && (errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)):
		s.lock = nil
	case err != nil:
		return nil, readable(err)
	case !got:
		return nil, fmt.Errorf("%s: %w", dir, ErrBusy)
	}
	if write {
		err = s.prepare()
	}
	return s, err
}

// identify checks what the folder is.
func (s *store) identify(write bool) error {
	text, err := os.ReadFile(s.path(identity))
	switch {
	case err == nil && string(text) == identityText:
		return nil
	case err == nil || errors.As(err, new(advised)):
		return fmt.Errorf("%s: its backups have a format that this program does not know: %q", s.dir, strings.TrimSpace(string(text)))
	case !errors.Is(err, fs.ErrNotExist):
		return readable(err)
	case !write:
		return fmt.Errorf("%s: there are no backups of svcd", s.dir)
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return readable(err)
	}
	for _, e := range entries {
		if e.Name() != "lost+found" && e.Name() != identity+".new" {
			return fmt.Errorf("%s: %w: it has %s", s.dir, ErrOther, e.Name())
		}
	}
	if err := writeSynced(s.path(identity+".new"), []byte(identityText)); err != nil {
		return err
	}
	if err := os.Rename(s.path(identity+".new"), s.path(identity)); err != nil {
		return readable(err)
	}
	return syncFolder(s.dir)
}

// prepare makes the subfolders, and removes what an interrupted run left.
func (s *store) prepare() error {
	if err := os.RemoveAll(s.path(temporary)); err != nil {
		return readable(err)
	}
	for _, name := range []string{blobs, manifests, temporary} {
		if err := os.MkdirAll(s.path(name), 0o700); err != nil {
			return readable(err)
		}
	}
	return syncFolder(s.dir)
}

func (s *store) close() error {
	if s.lock == nil {
		return nil
	}
	return s.lock.Close()
}

func (s *store) path(names ...string) string {
	return filepath.Join(append([]string{s.dir}, names...)...)
}

// packed is the ending of compressed contents.
const packed = ".s2"

// blob is the path of the contents with a hash. Parts of the database are compressed;
// files are as they are.
func (s *store) blob(hash, ending string) string {
	return s.path(blobs, hash[:2], hash+ending)
}

func (s *store) has(hash, ending string) bool {
	info, err := os.Stat(s.blob(hash, ending))
	return err == nil && info.Mode().IsRegular()
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// isHash reports whether a text may be a hash, and so a part of a path.
func isHash(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == sha256.Size && s == strings.ToLower(s)
}

// putChunk stores a part of the database.
func (s *store) putChunk(hash string, content []byte) error {
	if s.has(hash, packed) {
		return nil
	}
	f, err := os.CreateTemp(s.path(temporary), "chunk-*")
	if err != nil {
		return readable(err)
	}
	_, err = f.Write(s2.Encode(nil, content))
	return s.keep(f, err, hash, packed)
}

// putFile stores what r has, and returns its hash and length.
func (s *store) putFile(r io.Reader) (hash string, size int64, err error) {
	f, err := os.CreateTemp(s.path(temporary), "file-*")
	if err != nil {
		return "", 0, readable(err)
	}
	sum := sha256.New()
	size, err = io.Copy(f, io.TeeReader(r, sum))
	hash = hex.EncodeToString(sum.Sum(nil))
	if err == nil && s.has(hash, "") {
		return hash, size, errors.Join(f.Close(), os.Remove(f.Name()))
	}
	return hash, size, s.keep(f, err, hash, "")
}

// keep gives a written file its name, once it is on the disk.
func (s *store) keep(f *os.File, err error, hash, ending string) error {
	if err == nil {
		err = f.Sync()
	}
	info, statErr := f.Stat()
	if err = errors.Join(err, statErr, f.Close()); err != nil {
		_ = os.Remove(f.Name())
		return readable(err)
	}
	path := s.blob(hash, ending)
	err = os.Mkdir(filepath.Dir(path), 0o700)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return readable(err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return readable(err)
	}
	s.mu.Lock()
	s.touched[filepath.Dir(path)] = true
	s.mu.Unlock()
	s.written.Add(info.Size())
	s.made.Add(1)
	return nil
}

// settle makes the names of new contents last.
func (s *store) settle() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for dir := range s.touched {
		if err := syncFolder(dir); err != nil {
			return err
		}
	}
	clear(s.touched)
	return syncFolder(s.path(blobs))
}

// chunk reads a part of the database, and checks it.
func (s *store) chunk(hash string) ([]byte, error) {
	if !isHash(hash) {
		return nil, fmt.Errorf("%q is no hash", hash)
	}
	raw, err := os.ReadFile(s.blob(hash, packed))
	if err != nil {
		return nil, missing(err, hash)
	}
	content, err := s2.Decode(nil, raw)
	if err != nil || hashOf(content) != hash {
		return nil, fmt.Errorf("the contents %s are damaged", hash)
	}
	return content, nil
}

// copyFile writes a stored file, and checks it.
func (s *store) copyFile(w io.Writer, hash string, size int64) error {
	if !isHash(hash) {
		return fmt.Errorf("%q is no hash", hash)
	}
	f, err := os.Open(s.blob(hash, ""))
	if err != nil {
		return missing(err, hash)
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, sum), f)
	if err != nil {
		return readable(err)
	}
	if n != size || hex.EncodeToString(sum.Sum(nil)) != hash {
		return fmt.Errorf("the contents %s are damaged", hash)
	}
	return nil
}

func missing(err error, hash string) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the contents %s are missing", hash)
	}
	return readable(err)
}

// advised is an error that says what a person can do.
type advised struct{ error }

func (a advised) Unwrap() error { return a.error }

// readable says what a person can do about an error of a disk. What calls it may call each
// other: it is said once.
func readable(err error) error {
	switch {
	case err == nil || errors.As(err, new(advised)):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return advised{fmt.Errorf("the disk is full; make room and run the command again: %w", err)}
	case errors.Is(err, fs.ErrPermission):
		return advised{fmt.Errorf("%w; run the command as the user of the service", err)}
	}
	return err
}

func writeSynced(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return readable(err)
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	return readable(errors.Join(err, f.Close()))
}

func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return readable(err)
	}
	return readable(errors.Join(f.Sync(), f.Close()))
}

// manifestHead begins a manifest, before the hash of what follows.
const manifestHead = "svcd backup, sha256 "

func (s *store) writeManifest(m *Manifest) error {
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	temp := s.path(temporary, "manifest")
	if err := writeSynced(temp, fmt.Appendf(nil, "%s%s\n%s\n", manifestHead, hashOf(body), body)); err != nil {
		return err
	}
	if err := os.Rename(temp, s.path(manifests, m.ID+".json")); err != nil {
		return readable(err)
	}
	s.written.Add(int64(len(body)))
	return syncFolder(s.path(manifests))
}

// manifest reads the manifest of a backup.
func (s *store) manifest(id string) (*Manifest, error) {
	raw, err := os.ReadFile(s.path(manifests, id+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no backup %q", s.dir, id)
	}
	if err != nil {
		return nil, readable(err)
	}
	head, body, _ := bytes.Cut(raw, []byte("\n"))
	body = bytes.TrimSuffix(body, []byte("\n"))
	m := &Manifest{}
	if string(head) != manifestHead+hashOf(body) || json.Unmarshal(body, m) != nil || m.ID != id {
		return nil, fmt.Errorf("the manifest of backup %s is damaged", id)
	}
	if m.Format != format {
		return nil, fmt.Errorf("backup %s has format %d; this program knows %d", id, m.Format, format)
	}
	return m, nil
}

// ids lists the backups, the oldest first.
func (s *store) ids() ([]string, error) {
	entries, err := os.ReadDir(s.path(manifests))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []string
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), ".json"); ok {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out, readable(err)
}
