package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"svc/db"
	"svc/server/platform/media"
)

// Source is the instance that is copied.
type Source struct {
	DB       *db.DB
	Stores   *media.Stores
	DataDir  string
	Database string // its address
	BaseURL  string
	Program  string // the version of this program
}

// Options are those of a backup.
type Options struct {
	Bucket  bool          // copies the files of a bucket too
	Keep    int           // how many backups to keep, 0 for no bound
	KeepFor time.Duration // how old backups may be, 0 for no bound
	Now     func() time.Time
	// Begin hears what will be done, and Progress of each step how many of how many
	// bytes are done. Both may be nil.
	Begin    func(Plan)
	Progress func(what string, done, of int64)
}

// Plan is what a backup or a restoration will do, as far as it is known.
type Plan struct {
	ID       string
	Database int64 // bytes
	Files    int
	Bytes    int64 // of the files
	InBucket int
	Time     time.Duration
}

// Result is a finished backup.
type Result struct {
	ID       string    `json:"id"`
	Taken    time.Time `json:"taken"`
	Seconds  float64   `json:"seconds"`
	Count    Count     `json:"count"`
	NewBytes int64     `json:"new_bytes"` // written
	NewFiles int64     `json:"new_files"`
	Missing  []Missing `json:"missing"`
	Removed  []string  `json:"removed"` // backups that were not to be kept
	Freed    int64     `json:"freed_bytes"`
}

// usualRate is the bytes that a backup copies in a second, if nothing is known.
const usualRate = 60 << 20

// estimate is how long a backup or its restoration takes.
func estimate(bytes int64, last *Manifest) time.Duration {
	rate := float64(usualRate)
	if last != nil {
		if took, n := last.Ended.Sub(last.Began).Seconds(), last.Count.Database+last.Count.FileBytes; took > 1 && n > usualRate {
			rate = float64(n) / took
		}
	}
	return max(time.Second, time.Duration(float64(bytes)/rate*float64(time.Second)).Round(time.Second))
}

// making is a backup that is being made.
type making struct {
	src   Source
	o     Options
	s     *store
	crew  *crew
	m     *Manifest
	plan  Plan
	notes map[string]Entry // files without a hash in their row, by name
}

// Create makes a backup in the folder dir.
func Create(ctx context.Context, dir string, src Source, o Options) (_ *Result, err error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if err := apart(ctx, dir, src); err != nil {
		return nil, err
	}
	s, err := openStore(dir, true)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	b := &making{src: src, o: o, s: s, crew: newCrew(), notes: map[string]Entry{}}
	b.m = &Manifest{Format: format, Began: o.Now().UTC(), Program: src.Program, BaseURL: src.BaseURL, Missing: []Missing{}}
	if b.m.ID, err = s.newID(b.m.Began); err != nil {
		return nil, err
	}
	err = b.copy(ctx)
	err = errors.Join(err, b.crew.wait())
	if err != nil {
		return nil, err
	}
	if err := s.settle(); err != nil {
		return nil, err
	}
	b.m.Ended = o.Now().UTC()
	if err := s.writeManifest(b.m); err != nil {
		return nil, err
	}
	r := &Result{
		ID: b.m.ID, Taken: b.m.Taken, Seconds: b.m.Ended.Sub(b.m.Began).Seconds(), Count: b.m.Count,
		NewBytes: s.written.Load(), NewFiles: s.made.Load(), Missing: b.m.Missing,
	}
	r.Removed, r.Freed, err = s.retain(o.Keep, o.KeepFor, o.Now())
	if err != nil {
		err = fmt.Errorf("backup %s is made, but old ones cannot be removed: %w", r.ID, err)
	}
	return r, err
}

// copy copies everything. Files are copied before the database is, so that none that it
// names can be removed in between; those that came meanwhile follow.
func (b *making) copy(ctx context.Context) error {
	if err := b.begin(ctx); err != nil {
		return err
	}
	if err := b.copyFiles(ctx); err != nil {
		return err
	}
	snap, err := b.src.DB.OpenSnapshot(ctx)
	if err != nil {
		return err
	}
	err = b.copyDatabase(ctx, snap)
	if err == nil {
		err = b.listFiles(ctx, snap)
	}
	if err = errors.Join(err, snap.Close()); err != nil {
		return err
	}
	return b.copyFolder(ctx)
}

// begin tells what will be done.
func (b *making) begin(ctx context.Context) error {
	snap, err := b.src.DB.OpenSnapshot(ctx)
	if err != nil {
		return err
	}
	b.plan.ID = b.m.ID
	for _, p := range snap.Parts {
		b.plan.Database += p.Estimate
	}
	err = snap.Files(ctx, func(f db.StoredFile, named bool) error {
		if named {
			b.plan.Files++
			b.plan.Bytes += f.Size
		}
		return nil
	})
	if err = errors.Join(err, snap.Close()); err != nil {
		return err
	}
	var last *Manifest
	if ids, err := b.s.ids(); err == nil && len(ids) > 0 {
		last, _ = b.s.manifest(ids[len(ids)-1]) // a damaged one is no reason to make none
	}
	b.plan.Time = estimate(b.plan.Database+b.plan.Bytes, last)
	if b.o.Begin != nil {
		b.o.Begin(b.plan)
	}
	return nil
}

func (b *making) progress(what string, done, of int64) {
	if b.o.Progress != nil {
		b.o.Progress(what, done, of)
	}
}

// batch is how many rows of files are read at once.
const batch = 500

// copyFiles copies the files that are there now.
func (b *making) copyFiles(ctx context.Context) error {
	var done int64
	for after := ""; ; {
		files, err := b.src.DB.StoredFiles(ctx, after, batch)
		if err != nil {
			return err
		}
		for _, f := range files {
			after = f.Name
			done += f.Size
			if f.Hash == "" { // known only once it was read
				e, err := b.file(ctx, f)
				if err == nil {
					b.notes[f.Name] = e
				} else if !errors.Is(err, db.ErrNotFound) {
					return err
				}
				continue
			}
			if b.s.has(f.Hash, "") {
				continue
			}
			if err := b.crew.do(func() error {
				_, err := b.file(ctx, f)
				if errors.Is(err, db.ErrNotFound) {
					return nil // if the database names it, that is said later
				}
				return err
			}); err != nil {
				return err
			}
		}
		b.progress("files", done, b.plan.Bytes)
		if len(files) < batch {
			return b.crew.wait()
		}
	}
}

// file copies a file unless it is in the store, and returns its entry. It is ErrNotFound
// if it is nowhere.
func (b *making) file(ctx context.Context, f db.StoredFile) (Entry, error) {
	e := Entry{Name: f.Name, Size: f.Size, Hash: f.Hash}
	if f.Hash != "" && b.s.has(f.Hash, "") {
		return e, nil
	}
	if err := ctx.Err(); err != nil {
		return e, err
	}
	in, err := b.src.Stores.OpenLocal(ctx, f.Name)
	if errors.Is(err, db.ErrNotFound) && b.src.Stores.HasBucket() {
		if !b.o.Bucket {
			e.Bucket = true
			return e, nil
		}
		in, err = b.src.Stores.Open(ctx, f.Name)
	}
	if err != nil {
		return e, err
	}
	e.Hash, e.Size, err = b.s.putFile(in)
	if err = errors.Join(err, in.Close()); err != nil {
		return e, fmt.Errorf("file %s: %w", f.Name, err)
	}
	return e, nil
}

// copyDatabase copies the parts of the database.
func (b *making) copyDatabase(ctx context.Context, snap *db.Snapshot) error {
	b.m.Taken, b.m.Database = snap.Taken.UTC(), snap.Contents
	b.m.Database.Parts = slices.Clone(snap.Parts)
	for i := range b.m.Database.Parts {
		p := &b.m.Database.Parts[i]
		fixed := 0
		if p.PageSize > 0 {
			fixed = pages
		}
		w := b.stream(fixed, func(n int64) { b.progress("database", b.m.Count.Database+n, b.plan.Database) })
		if err := snap.Copy(ctx, p, w); err != nil {
			return err
		}
		if err := w.flush(); err != nil {
			return err
		}
		b.m.Parts = append(b.m.Parts, w.Stream)
		b.m.Count.Database += w.Size
	}
	return nil
}

// streamWriter stores what is written to it in chunks.
type streamWriter struct {
	chunker
	Stream
}

func (b *making) stream(fixed int, told func(n int64)) *streamWriter {
	w := &streamWriter{Stream: Stream{Chunks: []string{}}}
	w.chunker = chunker{fixed: fixed, emit: func(content []byte) error {
		hash := hashOf(content)
		w.Chunks = append(w.Chunks, hash)
		w.Size += int64(len(content))
		if told != nil {
			told(w.Size)
		}
		return b.crew.do(func() error { return b.s.putChunk(hash, content) })
	}}
	return w
}

// listFiles lists the files of the snapshot, and copies those that are not yet.
func (b *making) listFiles(ctx context.Context, snap *db.Snapshot) error {
	w := b.stream(0, nil)
	lines := json.NewEncoder(w)
	err := snap.Files(ctx, func(f db.StoredFile, named bool) error {
		e, known := b.notes[f.Name]
		var err error
		if !known {
			e, err = b.file(ctx, f)
		}
		switch {
		case errors.Is(err, db.ErrNotFound) && !named:
			return nil // it was being stored or removed
		case errors.Is(err, db.ErrNotFound):
			return b.miss(ctx, f)
		case err != nil:
			return err
		case !e.Bucket && (e.Size != f.Size || f.Hash != "" && e.Hash != f.Hash):
			b.m.Missing = append(b.m.Missing, Missing{f.Name, "the file has changed since it was stored; it is in the backup as it is"})
		}
		b.m.Count.Files++
		if e.Bucket {
			b.m.Count.InBucket++
		} else {
			b.m.Count.FileBytes += e.Size
		}
		return lines.Encode(e)
	})
	if err == nil {
		err = w.flush()
	}
	b.m.Files = w.Stream
	return err
}

// miss notes a file that the snapshot names, and that is not there.
func (b *making) miss(ctx context.Context, f db.StoredFile) error {
	why := "the file is missing, as before the backup"
	switch _, err := b.src.DB.ExpectedFile(ctx, f.Name); {
	case errors.Is(err, db.ErrNotFound):
		why = "the file was deleted while the backup was made"
	case err != nil:
		return err
	}
	b.m.Missing = append(b.m.Missing, Missing{f.Name, why})
	return nil
}

// unkept are the entries of the data folder that are made anew.
var unkept = []string{"proxied", "incoming", Marker}

// copyFolder copies what else is in the data folder: keys, static files, front ends,
// emoji. A file that goes meanwhile is left out.
func (b *making) copyFolder(ctx context.Context) error {
	skip, err := b.skipped(ctx)
	if err != nil {
		return err
	}
	b.m.Folder = []Entry{}
	root := b.src.DataDir
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return readable(err)
		}
		if skip[path] {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		e := Entry{Name: filepath.ToSlash(name)}
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			e.Link, err = os.Readlink(path)
		case d.Type().IsRegular():
			err = b.folderFile(path, &e)
		default:
			return nil
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("data folder: %w", readable(err))
		}
		b.m.Folder = append(b.m.Folder, e)
		b.m.Count.Folder++
		b.m.Count.FolderBytes += e.Size
		return nil
	})
	return err
}

func (b *making) folderFile(path string, e *Entry) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	e.Mode = uint32(info.Mode().Perm())
	e.Hash, e.Size, err = b.s.putFile(f)
	return err
}

// skipped are the paths in the data folder that are no part of copyFolder.
func (b *making) skipped(ctx context.Context) (map[string]bool, error) {
	out := map[string]bool{}
	for _, name := range unkept {
		out[filepath.Join(b.src.DataDir, name)] = true
	}
	for _, path := range databaseFiles(b.src.Database) {
		out[inside(b.src.DataDir, path)] = true
	}
	folders, err := b.src.Stores.Folders(ctx)
	for _, path := range folders {
		out[inside(b.src.DataDir, path)] = true
	}
	return out, err
}

// databaseFiles are the files of a SQLite database.
func databaseFiles(dsn string) (out []string) {
	if path, ok := strings.CutPrefix(dsn, "sqlite:"); ok {
		for _, ending := range []string{"", "-wal", "-shm", "-journal", ".lock", ".restoring", ".restoring-wal", ".restoring-shm", ".restoring.lock"} {
			out = append(out, path+ending)
		}
	}
	return out
}

// inside is path as a walk of root names it.
func inside(root, path string) string {
	r, err1 := filepath.Abs(root)
	p, err2 := filepath.Abs(path)
	if rel, err := filepath.Rel(r, p); err1 == nil && err2 == nil && err == nil && filepath.IsLocal(rel) {
		return filepath.Join(root, rel)
	}
	return path
}

// apart refuses a folder for backups that is a part of what is copied.
func apart(ctx context.Context, dir string, src Source) error {
	folders, err := src.Stores.Folders(ctx)
	if err != nil {
		return err
	}
	for _, of := range append([]string{src.DataDir}, folders...) {
		if Within(of, dir) {
			return fmt.Errorf("%s is in %s, which is what the backup has; choose a folder outside, best on another disk", dir, of)
		}
	}
	return nil
}

// Within reports whether path is root or in it, whatever links lead there.
func Within(root, path string) bool {
	rel, err := filepath.Rel(real(root), real(path))
	return err == nil && filepath.IsLocal(rel)
}

// real is a path without links, as far as it exists.
func real(path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	if up := filepath.Dir(path); up != path {
		return filepath.Join(real(up), filepath.Base(path))
	}
	return path
}
