package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"svc/db"
)

// Verified says what is wrong with the backups of a folder.
type Verified struct {
	Backups []Standing `json:"backups"`
	Faults  int        `json:"faults"`
	// Unnamed counts contents that no backup names: an interrupted one left them for the
	// next.
	Unnamed int `json:"unnamed"`
}

// Standing is one backup.
type Standing struct {
	ID     string    `json:"id"`
	Taken  time.Time `json:"taken"`
	Kind   string    `json:"kind,omitempty"`
	Count  Count     `json:"count"`
	Newer  bool      `json:"newer"` // a later program than this one made it
	Faults []string  `json:"faults"`
}

// mostFaults bounds the faults that are told of one backup.
const mostFaults = 20

// List describes the backups of a folder, the oldest first, without reading what they
// have.
func List(dir string) (*Verified, error) {
	return look(dir, "", func(*store, *Manifest, *Standing) error { return nil })
}

// look describes one or all backups, and what check finds of them.
func look(dir, id string, check func(*store, *Manifest, *Standing) error) (_ *Verified, err error) {
	s, err := openStore(dir, false)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	ids := []string{id}
	if id == "" {
		if ids, err = s.ids(); err != nil {
			return nil, err
		}
	}
	v := &Verified{Backups: []Standing{}}
	for _, id := range ids {
		st := Standing{ID: id, Faults: []string{}}
		m, err := s.manifest(id)
		if err != nil {
			st.Faults = append(st.Faults, err.Error())
		} else {
			st.Taken, st.Kind, st.Count = m.Taken, string(m.Database.Dialect), m.Count
			st.Newer = errors.Is(m.Database.Fits(), db.ErrNewer)
			if err := check(s, m, &st); err != nil {
				return nil, err
			}
		}
		v.Faults += len(st.Faults)
		v.Backups = append(v.Backups, st)
	}
	if v.Faults == 0 {
		named, err := s.named()
		if err != nil {
			return nil, err
		}
		err = s.eachBlob(func(_, name string) error {
			if !named[name] {
				v.Unnamed++
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return v, nil
}

// Verify reads all that the backups of a folder have, or the one with this id.
func Verify(ctx context.Context, dir, id string, progress func(what string, done, of int64)) (*Verified, error) {
	read := map[string]bool{} // what was found whole: backups have most in common
	v, err := look(dir, id, func(s *store, m *Manifest, st *Standing) error {
		c := &verifying{ctx: ctx, s: s, m: m, st: st, whole: read, progress: progress}
		return c.check()
	})
	if err == nil && id != "" && len(v.Backups) == 1 && v.Backups[0].Taken.IsZero() && v.Faults == 1 {
		if _, missing := os.Stat(filepath.Join(dir, manifests, id+".json")); missing != nil {
			return nil, errors.New(v.Backups[0].Faults[0])
		}
	}
	return v, err
}

type verifying struct {
	ctx      context.Context
	s        *store
	m        *Manifest
	st       *Standing
	whole    map[string]bool
	done     int64
	progress func(what string, done, of int64)
}

func (c *verifying) fault(what string, err error) {
	if len(c.st.Faults) < mostFaults {
		c.st.Faults = append(c.st.Faults, what+": "+err.Error())
	}
}

func (c *verifying) tell(n int64) {
	c.done += n
	if c.progress != nil {
		c.progress("backup "+c.m.ID, c.done, c.m.Count.Database+c.m.Count.FileBytes+c.m.Count.FolderBytes)
	}
}

func (c *verifying) check() error {
	if len(c.m.Parts) != len(c.m.Database.Parts) {
		c.fault("manifest", errors.New("the parts of the database do not match"))
		return nil
	}
	for i, p := range c.m.Database.Parts {
		if err := c.part(p, c.m.Parts[i]); err != nil {
			return err
		}
	}
	if c.stream("list of files", c.m.Files, io.Discard) {
		n := 0
		err := c.s.eachFile(c.m, func(e Entry) error {
			n++
			if !e.Bucket {
				c.file(e)
			}
			return c.ctx.Err()
		})
		if c.ctx.Err() != nil {
			return c.ctx.Err()
		}
		if err == nil && n != c.m.Count.Files {
			err = fmt.Errorf("it has %d files of %d", n, c.m.Count.Files)
		}
		if err != nil {
			c.fault("list of files", err)
		}
	}
	for _, e := range c.m.Folder {
		if e.Link == "" {
			c.file(e)
		}
	}
	return c.ctx.Err()
}

// part checks a part of the database: a table by its rows, a SQLite file by SQLite.
func (c *verifying) part(p db.Part, st Stream) error {
	if p.PageSize == 0 {
		rows := &lines{}
		if c.stream("table "+p.Name, st, rows) && rows.n != p.Rows {
			c.fault("table "+p.Name, fmt.Errorf("it has %d rows of %d", rows.n, p.Rows))
		}
		return c.ctx.Err()
	}
	f, err := c.scratch()
	if err != nil {
		return err
	}
	dir := filepath.Dir(f.Name())
	whole := c.stream("database", st, f)
	err = f.Close()
	if whole && err == nil {
		if err := db.CheckSQLite(c.ctx, f.Name()); err != nil && c.ctx.Err() == nil {
			c.fault("database", err)
		}
	}
	return errors.Join(readable(err), os.RemoveAll(dir), c.ctx.Err())
}

// scratch is a file to put a database together in, beside the backups or, if they cannot
// be written, where temporary files are.
func (c *verifying) scratch() (*os.File, error) {
	dir, err := os.MkdirTemp(c.s.path(temporary), "verify-")
	if err != nil {
		dir, err = os.MkdirTemp("", "svcd-verify-")
	}
	if err != nil {
		return nil, readable(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "svc.db"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	return f, readable(err)
}

// stream reads all chunks into w, and reports whether they are whole.
func (c *verifying) stream(what string, st Stream, w io.Writer) bool {
	var size int64
	for _, hash := range st.Chunks {
		if c.ctx.Err() != nil {
			return false
		}
		content, err := c.s.chunk(hash)
		if err == nil {
			_, err = w.Write(content)
		}
		if err != nil {
			c.fault(what, err)
			return false
		}
		size += int64(len(content))
		c.tell(int64(len(content)))
	}
	if size != st.Size {
		c.fault(what, fmt.Errorf("it has %d bytes of %d", size, st.Size))
		return false
	}
	return true
}

func (c *verifying) file(e Entry) {
	c.tell(e.Size)
	if c.whole[e.Hash] {
		return
	}
	if err := c.s.copyFile(io.Discard, e.Hash, e.Size); err != nil {
		c.fault("file "+e.Name, err)
		return
	}
	c.whole[e.Hash] = true
}

// lines counts the rows of a table: COPY writes one a line.
type lines struct{ n int64 }

func (l *lines) Write(p []byte) (int, error) {
	l.n += int64(bytes.Count(p, []byte("\n")))
	return len(p), nil
}
