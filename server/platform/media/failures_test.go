package media

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/fault"
)

// gate is a bucket whose server can fail.
type gate struct {
	bucket
	how  atomic.Value // a string, one of the cases below
	over chan struct{}
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	how, _ := g.how.Load().(string)
	part := func(n int) {
		answer := httptest.NewRecorder()
		g.bucket.ServeHTTP(answer, r)
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.Header().Set("Content-Length", strconv.Itoa(answer.Body.Len()))
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes()[:min(n, answer.Body.Len())])
		_ = http.NewResponseController(w).Flush()
	}
	switch how {
	case "":
		g.bucket.ServeHTTP(w, r)
	case "hangs":
		<-g.over
	case "hangs at a byte":
		part(1)
		select {
		case <-r.Context().Done():
		case <-g.over:
		}
	case "cuts":
		part(100)
		panic(http.ErrAbortHandler)
	case "cuts at once":
		part(0)
		panic(http.ErrAbortHandler)
	case "closes":
		panic(http.ErrAbortHandler)
	case "NoSuchBucket", "XAdminUserNotFound":
		g.refuse(w, http.StatusNotFound, how)
	case "InternalError":
		g.refuse(w, http.StatusInternalServerError, how)
	default:
		g.refuse(w, http.StatusForbidden, how)
	}
}

// gated is a bucket behind a gate, with short waits.
func gated(t *testing.T) (*gate, *S3) {
	t.Helper()
	g := &gate{bucket: bucket{t: t, name: "media", objects: map[string][]byte{}, types: map[string]string{}}, over: make(chan struct{})}
	srv := httptest.NewServer(g)
	t.Cleanup(srv.Close)
	t.Cleanup(func() { close(g.over) })
	store, err := newS3(at(srv.URL), "", waits{connect: time.Second, answer: 500 * time.Millisecond, piece: 500 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return g, store
}

func isAway(err error) bool { return errors.Is(err, ErrAway) && fault.Is(err, fault.KindUnavailable) }

// loose is how many files of w wait to be named or removed.
func (w *world) loose() (n int) {
	w.t.Helper()
	if err := w.db.Writer().QueryRowContext(w.t.Context(), "SELECT COUNT(*) FROM loose_files").Scan(&n); err != nil {
		w.t.Fatal(err)
	}
	return n
}

func TestABucketThatFailsIsAwayAndComesBack(t *testing.T) {
	content := strings.Repeat("content ", 100_000)
	each(t, func(t *testing.T, w *world) {
		g, store := gated(t)
		w.store = store
		name, err := w.Keep(t.Context(), w.receive(content))
		if err != nil {
			t.Fatal(err)
		}
		w.later(7 * time.Hour)
		for _, how := range []string{"hangs", "closes", "InternalError", "NoSuchBucket", "InvalidAccessKeyId", "SignatureDoesNotMatch", "XAdminUserNotFound", "RequestTimeTooSkewed"} {
			g.how.Store(how)
			if _, err := w.Upload(t.Context(), w.who, w.receive("another "+how), nil, nil, ""); !isAway(err) {
				t.Errorf("%s: an upload: %v", how, err)
			}
			if _, _, err := w.Open(t.Context(), name); !isAway(err) {
				t.Errorf("%s: a file: %v", how, err)
			}
			if err := w.Sweep(t.Context()); !isAway(err) || w.loose() == 0 {
				t.Errorf("%s: a sweep: %v, %d files left", how, err, w.loose())
			}
			misset := how == "NoSuchBucket" || how == "InvalidAccessKeyId" || how == "SignatureDoesNotMatch" || how == "XAdminUserNotFound"
			if err := w.Probe(t.Context()); err == nil || errors.Is(err, ErrMisset) != misset {
				t.Errorf("%s: a probe: %v", how, err)
			}
			if err := dbtest.Exec(t, w.db, "UPDATE loose_files SET doomed_at = NULL"); err != nil {
				t.Fatal(err)
			}
		}
		if got := w.Failures(); got.Put != 8 || got.Open != 8 || got.Delete != 8 {
			t.Errorf("%+v", got)
		}
		var rows int
		if err := w.db.Writer().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM media_attachments").Scan(&rows); err != nil || rows != 0 {
			t.Errorf("%d rows, %v", rows, err)
		}
		g.how.Store("")
		if err := w.Probe(t.Context()); err != nil {
			t.Error(err)
		}
		if f, _, err := w.Open(t.Context(), name); err != nil || f.Close() != nil {
			t.Error(err)
		}
		w.later(7 * time.Hour)
		w.sweep()
		if n := w.loose(); n != 0 || len(g.objects) != 0 {
			t.Errorf("%d rows and %d files are left", n, len(g.objects))
		}
	})
}

func TestAFileThatBreaksOffIsNotWhole(t *testing.T) {
	content := strings.Repeat("content ", 100_000)
	each(t, func(t *testing.T, w *world) {
		g, store := gated(t)
		w.store = store
		name, err := w.Keep(t.Context(), w.receive(content))
		if err != nil {
			t.Fatal(err)
		}
		g.how.Store("cuts at once")
		if _, _, err := w.Open(t.Context(), name); !isAway(err) {
			t.Errorf("before its first byte: %v", err)
		}
		for _, how := range []string{"cuts", "hangs at a byte"} {
			g.how.Store(how)
			f, _, err := w.Open(t.Context(), name)
			if err != nil {
				t.Fatalf("%s: %v", how, err)
			}
			if got, err := io.ReadAll(f); !isAway(err) || len(got) >= len(content) {
				t.Errorf("%s: %d of %d bytes, %v", how, len(got), len(content), err)
			}
			g.how.Store("")
			// From where it broke off, the rest can be had.
			at, err := f.Seek(0, io.SeekCurrent)
			if err != nil {
				t.Fatal(err)
			}
			if rest, err := io.ReadAll(f); err != nil || string(rest) != content[at:] {
				t.Errorf("%s: %d bytes after %d, %v", how, len(rest), at, err)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
		if got := w.Failures(); got.Open != 1 || got.Read != 2 {
			t.Errorf("%+v", got)
		}
		// One that someone replaces meanwhile is not put together of two.
		f, _, err := w.Open(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		g.mu.Lock()
		g.objects[name] = bytes.Clone(g.objects[name][:500])
		g.mu.Unlock()
		if _, err := f.Seek(100, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Read(make([]byte, 10)); !isAway(err) {
			t.Errorf("a shorter file: %v", err)
		}
	})
}

func TestAFolderThatIsAwayLosesNothing(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		name, err := w.Keep(t.Context(), w.receive("content"))
		if err != nil {
			t.Fatal(err)
		}
		waiting := w.receive("waiting")
		elsewhere := filepath.Join(t.TempDir(), "elsewhere")
		for how, away := range map[string]func(){
			"gone":        func() {},
			"not mounted": func() { err = os.Mkdir(w.dir, 0o700) },
			"a file":      func() { err = os.WriteFile(w.dir, nil, 0o600) },
		} {
			if err := os.Rename(w.dir, elsewhere); err != nil {
				t.Fatal(err)
			}
			if away(); err != nil {
				t.Fatal(err)
			}
			w.later(7 * time.Hour)
			if _, err := w.Receive(strings.NewReader("x"), "x", 10); !isAway(err) {
				t.Errorf("%s: an upload: %v", how, err)
			}
			if _, err := w.Keep(t.Context(), waiting); !isAway(err) {
				t.Errorf("%s: an upload that was received: %v", how, err)
			}
			if _, _, err := w.Open(t.Context(), name); !isAway(err) {
				t.Errorf("%s: a file: %v", how, err)
			}
			if err := w.Sweep(t.Context()); !isAway(err) {
				t.Errorf("%s: a sweep: %v", how, err)
			}
			if err := w.Probe(t.Context()); err == nil || errors.Is(err, ErrMisset) {
				t.Errorf("%s: a probe: %v", how, err)
			}
			if err := errors.Join(os.RemoveAll(w.dir), os.Rename(elsewhere, w.dir)); err != nil {
				t.Fatal(err)
			}
			if f, _, err := w.Open(t.Context(), name); err != nil || f.Close() != nil {
				t.Errorf("%s: back: %v", how, err)
			}
			if err := w.Probe(t.Context()); err != nil {
				t.Errorf("%s: back: %v", how, err)
			}
			if _, _, err := w.Open(t.Context(), strings.Repeat("0", 64)+".txt"); !errors.Is(err, db.ErrNotFound) {
				t.Errorf("%s: a file that never was: %v", how, err)
			}
		}
		w.later(7 * time.Hour)
		w.sweep()
		if n := w.loose(); n != 0 || len(w.files()) != 0 {
			t.Errorf("%d rows are left, and %q", n, w.files())
		}
	})
}

// A start finds the folder of before or says so: a disk may have been mounted
// too late.
func TestAFileThatWasCutOffIsAway(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		name, err := w.Keep(t.Context(), w.receive(strings.Repeat("content ", 1000)))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(w.dir, name[:2], name)
		for _, size := range []int64{7999, 1, 0} {
			if err := os.Truncate(path, size); err != nil {
				t.Fatal(err)
			}
			if _, _, err := w.Show(t.Context(), name); !isAway(err) {
				t.Errorf("shown with %d bytes: %v", size, err)
			}
			if _, _, err := w.Whole(t.Context(), name); !isAway(err) {
				t.Errorf("as an archive with %d bytes: %v", size, err)
			}
		}
		if n := w.Failures().Open; n != 6 {
			t.Errorf("%d failures are counted, want 6", n)
		}
	})
}

func TestAFolderThatIsAwayAtStartStaysAway(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		data := t.TempDir()
		uploads, mounted := filepath.Join(data, "uploads"), filepath.Join(data, "mounted")
		start := func() { w.store = NewStores(w.db, data, "", w.live) }
		start()
		name, err := w.Keep(t.Context(), w.receive("content"))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.Rename(uploads, mounted), os.Mkdir(uploads, 0o700)); err != nil {
			t.Fatal(err)
		}
		start()
		if _, _, err := w.Open(t.Context(), name); !isAway(err) {
			t.Errorf("a file: %v", err)
		}
		if _, err := w.Keep(t.Context(), w.receive("more")); !isAway(err) {
			t.Errorf("an upload: %v", err)
		}
		if err := w.Probe(t.Context()); err == nil || !strings.Contains(err.Error(), marker) {
			t.Errorf("a probe: %v", err)
		}
		if err := errors.Join(os.Remove(uploads), os.Rename(mounted, uploads)); err != nil {
			t.Fatal(err)
		}
		if f, _, err := w.Open(t.Context(), name); err != nil || f.Close() != nil {
			t.Errorf("mounted: %v", err)
		}
	})
}
