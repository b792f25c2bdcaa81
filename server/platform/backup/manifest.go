package backup

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"svc/db"
)

const format = 1

// Manifest says what one backup has.
type Manifest struct {
	Format  int       `json:"format"`
	ID      string    `json:"id"`
	Began   time.Time `json:"began"`
	Taken   time.Time `json:"taken"` // the moment that the database is as of
	Ended   time.Time `json:"ended"`
	Program string    `json:"program"`
	BaseURL string    `json:"base_url,omitempty"`

	Database db.Contents `json:"database"`
	Parts    []Stream    `json:"parts"` // of the database, in its order

	// Files is the list of stored files as lines of JSON, each an entry.
	Files Stream `json:"files"`
	Count Count  `json:"count"`
	// Folder is the data folder but for database, stored files and caches.
	Folder []Entry `json:"folder"`
	// Missing are files that rows name, and that are not in the backup.
	Missing []Missing `json:"missing"`
}

// Count sums a backup up.
type Count struct {
	Database    int64 `json:"database_bytes"`
	Files       int   `json:"files"`
	FileBytes   int64 `json:"file_bytes"`
	InBucket    int   `json:"in_bucket"` // of the files, those that are named only
	Folder      int   `json:"folder_files"`
	FolderBytes int64 `json:"folder_bytes"`
}

// Stream is a sequence of bytes in chunks.
type Stream struct {
	Size   int64    `json:"size"`
	Chunks []string `json:"chunks"`
}

// Entry is a file.
type Entry struct {
	Name   string `json:"n"`
	Size   int64  `json:"s"`
	Hash   string `json:"h,omitempty"`
	Bucket bool   `json:"b,omitempty"` // it is in the bucket, and not here
	Mode   uint32 `json:"m,omitempty"` // permissions, of files of the data folder
	Link   string `json:"l,omitempty"` // a symbolic link, and where it leads
}

// Missing is a file that a row names, and why it is not in the backup.
type Missing struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// reader reads the chunks of a stream.
func (s *store) reader(st Stream) io.ReadCloser { return &streamReader{s: s, left: st.Chunks} }

type streamReader struct {
	s    *store
	left []string
	now  []byte
}

func (r *streamReader) Read(p []byte) (int, error) {
	for len(r.now) == 0 {
		if len(r.left) == 0 {
			return 0, io.EOF
		}
		var err error
		if r.now, err = r.s.chunk(r.left[0]); err != nil {
			return 0, err
		}
		r.left = r.left[1:]
	}
	n := copy(p, r.now)
	r.now = r.now[n:]
	return n, nil
}

func (r *streamReader) Close() error { return nil }

// eachFile calls each with the stored files of a backup.
func (s *store) eachFile(m *Manifest, each func(Entry) error) error {
	dec := json.NewDecoder(bufio.NewReader(s.reader(m.Files)))
	for {
		var e Entry
		err := dec.Decode(&e)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the list of files: %w", err)
		}
		if err := each(e); err != nil {
			return err
		}
	}
}
