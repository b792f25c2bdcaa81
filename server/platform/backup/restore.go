package backup

import (
	"context"
	"crypto/rand"
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
	"syscall"
	"time"

	"svc/db"
	"svc/server/platform/media"
)

// Marker is a file in a data folder that a restoration has not ended in.
const Marker = "restoring.json"

// ErrUnfinished means that a restoration into a data folder has not ended.
var ErrUnfinished = errors.New("a restoration into this data folder was interrupted")

// marked is what the marker says.
type marked struct {
	Backup string    `json:"backup"`
	Run    string    `json:"run"`
	From   string    `json:"from"`
	Began  time.Time `json:"began"`
}

// Unfinished returns ErrUnfinished for a data folder with a marker.
func Unfinished(dataDir string) error {
	m, err := readMarker(dataDir)
	if err != nil || m == nil {
		return err
	}
	return fmt.Errorf("%s: %w; run 'svcd restore %s' again, which goes on with backup %s", dataDir, ErrUnfinished, m.From, m.Backup)
}

func readMarker(dataDir string) (*marked, error) {
	raw, err := os.ReadFile(filepath.Join(dataDir, Marker))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil //nolint:nilnil // no marker is the usual case
	}
	m := &marked{}
	if err == nil {
		err = json.Unmarshal(raw, m)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dataDir, Marker), err)
	}
	return m, nil
}

// Target is the empty instance that a backup is restored into.
type Target struct {
	Database string
	DataDir  string
	Media    string // the folder for files
	ID       string // the backup; "" is the newest, or the one that was begun
	Now      func() time.Time
	Begin    func(Plan)
	Progress func(what string, done, of int64)
}

// Restored is a finished restoration.
type Restored struct {
	ID       string    `json:"id"`
	Taken    time.Time `json:"taken"`
	Seconds  float64   `json:"seconds"`
	BaseURL  string    `json:"base_url,omitempty"`
	Count    Count     `json:"count"`
	Missing  []Missing `json:"missing"`
	Continue bool      `json:"continued"` // an interrupted one was continued
}

// restoring is a restoration at work.
type restoring struct {
	t    Target
	s    *store
	m    *Manifest
	crew *crew
	run  string
	plan Plan
	done int64
}

// Restore restores a backup of the folder dir into an empty instance. The marker is made
// first and goes last; until then the service does not start. The database is last.
func Restore(ctx context.Context, dir string, t Target) (_ *Restored, err error) {
	if t.Now == nil {
		t.Now = time.Now
	}
	began := t.Now()
	s, err := openStore(dir, false)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	mark, err := readMarker(t.DataDir)
	if err != nil {
		return nil, err
	}
	r := &restoring{t: t, s: s, crew: newCrew()}
	if err := r.choose(mark); err != nil {
		return nil, err
	}
	into := r.database()
	done, err := into.Begun(ctx)
	if err == nil && mark == nil {
		err = r.empty()
	}
	if err != nil {
		return nil, err
	}
	if t.Begin != nil {
		r.plan.ID, r.plan.Database, r.plan.Files, r.plan.Bytes = r.m.ID, r.m.Count.Database, r.m.Count.Files, r.m.Count.FileBytes
		r.plan.InBucket = r.m.Count.InBucket
		r.plan.Time = estimate(r.plan.Database+r.plan.Bytes, r.m)
		t.Begin(r.plan)
	}
	if err := r.mark(dir); err != nil {
		return nil, err
	}
	if !done {
		if err := r.files(ctx); err != nil {
			return nil, err
		}
		if err := into.Restore(ctx); err != nil {
			return nil, fmt.Errorf("restore database: %w", readable(err))
		}
	}
	if err := os.Remove(filepath.Join(t.DataDir, Marker)); err != nil {
		return nil, readable(err)
	}
	return &Restored{
		ID: r.m.ID, Taken: r.m.Taken, Seconds: t.Now().Sub(began).Seconds(), BaseURL: r.m.BaseURL, Count: r.m.Count, Missing: r.m.Missing, Continue: mark != nil,
	}, syncFolder(t.DataDir)
}

// choose finds the backup and checks that it fits.
func (r *restoring) choose(mark *marked) error {
	id := r.t.ID
	r.run = rand.Text()
	if mark != nil {
		if id != "" && id != mark.Backup {
			return fmt.Errorf("%s: %w, of backup %s; finish that one, or empty the folder", r.t.DataDir, ErrUnfinished, mark.Backup)
		}
		id, r.run = mark.Backup, mark.Run
	}
	if id == "" {
		ids, err := r.s.ids()
		if err != nil {
			return err
		}
		if len(ids) == 0 {
			return fmt.Errorf("%s: there is no finished backup", r.s.dir)
		}
		id = ids[len(ids)-1]
	}
	var err error
	if r.m, err = r.s.manifest(id); err != nil {
		return err
	}
	if err := r.m.Database.Fits(); err != nil {
		return fmt.Errorf("backup %s: %w", id, err)
	}
	kind := db.Postgres
	if strings.HasPrefix(r.t.Database, "sqlite:") {
		kind = db.SQLite
	}
	if kind != r.m.Database.Dialect {
		return fmt.Errorf("backup %s is of a %s database, and this one is %s; restore it into the same kind, then move", id, r.m.Database.Dialect, kind)
	}
	if len(r.m.Parts) != len(r.m.Database.Parts) {
		return fmt.Errorf("the manifest of backup %s is damaged", id)
	}
	return nil
}

func (r *restoring) database() *db.Restoring {
	var done int64
	return &db.Restoring{
		DSN: r.t.Database, Contents: r.m.Database, Run: r.run, Now: r.t.Now,
		Open: func(p db.Part) (io.ReadCloser, error) {
			i := slices.IndexFunc(r.m.Database.Parts, func(q db.Part) bool { return q.Name == p.Name })
			return &told{r.s.reader(r.m.Parts[i]), func(n int) {
				done += int64(n)
				r.progress("database", done, r.m.Count.Database)
			}}, nil
		},
	}
}

// told tells of what is read.
type told struct {
	io.ReadCloser
	tell func(n int)
}

func (t *told) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	t.tell(n)
	return n, err
}

func (r *restoring) progress(what string, done, of int64) {
	if r.t.Progress != nil {
		r.t.Progress(what, done, of)
	}
}

// empty refuses folders that have files. A database without accounts, which is replaced,
// and the mark of a folder for files are none.
func (r *restoring) empty() error {
	mayBe := map[string]bool{}
	for _, path := range databaseFiles(r.t.Database) {
		mayBe[inside(r.t.DataDir, path)] = true
	}
	for _, root := range []string{r.t.DataDir, r.t.Media} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist), err == nil && (mayBe[path] || d.Name() == ".media"):
				return nil
			case err != nil:
				return readable(err)
			case d.IsDir() && d.Name() == "lost+found":
				return filepath.SkipDir
			case !d.IsDir():
				return fmt.Errorf("a backup is restored into an empty instance only, and there is %s; nothing was changed", path)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// mark makes the marker.
func (r *restoring) mark(dir string) error {
	if err := os.MkdirAll(r.t.DataDir, 0o700); err != nil {
		return readable(err)
	}
	from, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(marked{Backup: r.m.ID, Run: r.run, From: from, Began: r.t.Now().UTC()})
	if err != nil {
		return err
	}
	path := filepath.Join(r.t.DataDir, Marker)
	if err := writeSynced(path+".new", raw); err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return readable(err)
	}
	return syncFolder(r.t.DataDir)
}

// files restores the data folder and the stored files. Those that an interrupted run
// restored are checked and stay.
func (r *restoring) files(ctx context.Context) error {
	disk, err := media.NewDisk(r.t.Media)
	if err != nil {
		return readable(err)
	}
	put := func(path string, e Entry, mode fs.FileMode) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		r.done += e.Size
		r.progress("files", r.done, r.m.Count.FileBytes+r.m.Count.FolderBytes)
		return r.crew.do(func() error { return r.put(path, e, mode) })
	}
	err = r.s.eachFile(r.m, func(e Entry) error {
		if e.Bucket {
			return nil
		}
		if len(e.Name) < 3 || strings.ContainsAny(e.Name, `/\`) || strings.HasPrefix(e.Name, ".") {
			return fmt.Errorf("the backup has a file named %q", e.Name)
		}
		return put(disk.Path(e.Name), e, 0o600)
	})
	var links []Entry
	for _, e := range r.m.Folder {
		switch {
		case err != nil:
		case !filepath.IsLocal(filepath.FromSlash(e.Name)):
			err = fmt.Errorf("the backup has a file named %q", e.Name)
		case e.Link != "":
			links = append(links, e)
		default:
			err = put(filepath.Join(r.t.DataDir, filepath.FromSlash(e.Name)), e, fs.FileMode(e.Mode).Perm())
		}
	}
	if err = errors.Join(err, r.crew.wait()); err != nil {
		return err
	}
	for _, e := range links { // last, so that nothing is written where they lead
		path := filepath.Join(r.t.DataDir, filepath.FromSlash(e.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return readable(err)
		}
		if err := os.Symlink(e.Link, path); err != nil && !errors.Is(err, fs.ErrExist) {
			return readable(err)
		}
	}
	return nil
}

// put restores one file.
func (r *restoring) put(path string, e Entry, mode fs.FileMode) error {
	if same(path, e) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return readable(err)
	}
	temp := path + ".part"
	f, err := os.OpenFile(temp, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return readable(err)
	}
	err = r.s.copyFile(f, e.Hash, e.Size)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(temp)
		return fmt.Errorf("%s: %w", e.Name, readable(err))
	}
	if err := os.Rename(temp, path); err != nil {
		return readable(err)
	}
	return syncFolder(filepath.Dir(path))
}

// same reports whether a file has what an entry says.
func same(path string, e Entry) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	n, err := io.Copy(sum, f)
	return err == nil && n == e.Size && hex.EncodeToString(sum.Sum(nil)) == e.Hash
}
