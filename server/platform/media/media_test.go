package media

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/platform/fault"
)

// world is a Service over a folder, and a clock that can be set.
type world struct {
	*Service
	t    *testing.T
	dsn  string
	dir  string
	who  *db.Account
	live *config.Live

	mu  sync.Mutex
	add time.Duration
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Now().Add(w.add)
}

func (w *world) later(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.add += d
}

func each(t *testing.T, fn func(t *testing.T, w *world), edit ...func(*config.Settings)) {
	dbtest.EachReady(t, func(t *testing.T, dsn string) {
		w := &world{t: t, dsn: dsn, dir: t.TempDir()}
		d, err := db.Open(t.Context(), dsn, db.Options{Now: w.now})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = d.Close() })
		settings := config.DefaultSettings()
		for _, e := range edit {
			e(&settings)
		}
		if w.live, err = config.NewLive(settings); err != nil {
			t.Fatal(err)
		}
		store, err := NewDisk(w.dir)
		if err != nil {
			t.Fatal(err)
		}
		if w.Service, err = New(d, store, w.live, filepath.Join(w.dir, "incoming"), w.now); err != nil {
			t.Fatal(err)
		}
		w.who = dbtest.Account(t, d, "ann")
		fn(t, w)
	})
}

func (w *world) receive(content string) *Draft {
	w.t.Helper()
	d, err := w.Receive(strings.NewReader(content), "x", 1<<20)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(d.Close)
	return d
}

func (w *world) upload(content string) *db.MediaAttachment {
	w.t.Helper()
	row, err := w.Upload(w.t.Context(), w.who, w.receive(content), nil, nil, "")
	if err != nil {
		w.t.Fatal(err)
	}
	return row
}

// files are the names of finished files in the folder.
func (w *world) files() []string {
	w.t.Helper()
	var names []string
	err := filepath.WalkDir(w.dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && e.Name() != marker {
			names = append(names, e.Name())
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	slices.Sort(names)
	return names
}

func (w *world) sweep() {
	w.t.Helper()
	if err := w.Sweep(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// show posts a status with a file; it is deleted by delete.
func (w *world) show(m *db.MediaAttachment) *db.Status {
	w.t.Helper()
	s := &db.Status{ID: w.db.NewID(), AccountID: w.who.ID, Local: true, Visibility: db.Public, CreatedAt: w.db.Now(), HasMedia: true}
	err := w.db.Tx(w.t.Context(), func(tx *db.DB) error {
		if err := tx.CreateStatus(w.t.Context(), s); err != nil {
			return err
		}
		return tx.AttachMedia(w.t.Context(), w.who.ID, s.ID, []int64{m.ID})
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *world) delete(s *db.Status) {
	w.t.Helper()
	if err := w.db.Tx(w.t.Context(), func(tx *db.DB) error { _, err := tx.DeleteStatus(w.t.Context(), s, 10); return err }); err != nil {
		w.t.Fatal(err)
	}
}

// TestADeletedAccountUploadsNothing deletes an account while it sends a file.
func TestADeletedAccountUploadsNothing(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		draft := w.receive("x")
		deleted := *w.who
		deleted.Deactivated = true
		if err := w.db.UpdateAccount(t.Context(), &deleted, "deactivated"); err != nil {
			t.Fatal(err)
		}
		if row, err := w.Upload(t.Context(), w.who, draft, nil, nil, ""); !errors.Is(err, db.ErrNotFound) {
			t.Errorf("%+v %v", row, err)
		}
	})
}

func TestUnusedUploadsAreSweptAfterADay(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		shown, unused, scheduled := w.upload("shown"), w.upload("unused"), w.upload("scheduled")
		w.show(shown)
		if err := dbtest.Exec(t, w.db, "UPDATE media_attachments SET scheduled_status_id = 7 WHERE id = ?", scheduled.ID); err != nil {
			t.Fatal(err)
		}
		mascot, err := w.SetMascot(ctx, w.who, w.receive(string(plainJPEG(t))))
		if err != nil {
			t.Fatal(err)
		}
		avatar, err := w.Picture(ctx, w.receive(string(riff(pixel))))
		if err != nil {
			t.Fatal(err)
		}
		w.who.Avatar = avatar
		if err := w.db.UpdateAccount(ctx, w.who, "avatar"); err != nil {
			t.Fatal(err)
		}
		stray, err := w.Keep(ctx, w.receive("stored just before a crash"))
		if err != nil {
			t.Fatal(err)
		}
		all := []string{shown.File, unused.File, scheduled.File, mascot.File, strings.TrimPrefix(avatar, db.MediaPath), stray}
		slices.Sort(all)
		w.sweep()
		if diff := cmp.Diff(all, w.files()); diff != "" {
			t.Error("at once:", diff)
		}
		w.later(7 * time.Hour)
		w.sweep()
		kept := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return name == stray })
		if diff := cmp.Diff(kept, w.files()); diff != "" {
			t.Error("after some hours:", diff)
		}
		w.later(18 * time.Hour)
		w.sweep()
		kept = slices.DeleteFunc(kept, func(name string) bool { return name == unused.File })
		if diff := cmp.Diff(kept, w.files()); diff != "" {
			t.Error("after a day:", diff)
		}
		if _, err := w.db.Attachment(ctx, unused.ID); !errors.Is(err, db.ErrNotFound) {
			t.Error("its row is still there:", err)
		}
		// Another picture or mascot makes the one before go.
		if _, err := w.SetMascot(ctx, w.who, w.receive(string(riff(pixel)))); err != nil {
			t.Fatal(err)
		}
		w.who.Avatar = ""
		if err := w.db.UpdateAccount(ctx, w.who, "avatar"); err != nil {
			t.Fatal(err)
		}
		w.later(7 * time.Hour)
		w.sweep()
		kept = slices.DeleteFunc(kept, func(name string) bool { return name == mascot.File })
		if diff := cmp.Diff(kept, w.files()); diff != "" {
			t.Error("after a change:", diff) // the old avatar is the new mascot
		}
	})
}

func TestFilesStayWithoutTheirStatusesUnlessToBeCleaned(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		one, same, other := w.upload("one"), w.upload("one"), w.upload("other")
		if one.File != same.File {
			t.Fatalf("%s and %s", one.File, same.File)
		}
		first, second, third := w.show(one), w.show(same), w.show(other)
		clean := func(on bool) {
			s := *w.live.Load()
			s.Instance.CleanupAttachments = on
			if err := w.live.Swap(s); err != nil {
				t.Fatal(err)
			}
			w.later(7 * time.Hour)
			w.sweep()
		}
		both := []string{one.File, other.File}
		slices.Sort(both)
		w.delete(first)
		w.delete(third)
		clean(false)
		if diff := cmp.Diff(both, w.files()); diff != "" {
			t.Error("they were removed:", diff)
		}
		clean(true)
		if diff := cmp.Diff([]string{one.File}, w.files()); diff != "" {
			t.Error("cleaned:", diff)
		}
		w.delete(second)
		clean(true)
		if diff := cmp.Diff([]string(nil), w.files()); diff != "" {
			t.Error("cleaned again:", diff)
		}
	})
}

// TestAFileIsNotLostWhileOthersRemoveIt keeps a file again and again while
// others remove it whenever it has been loose for long.
func TestAFileIsNotLostWhileOthersRemoveIt(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		var wg sync.WaitGroup
		stop := make(chan struct{})
		for range 2 {
			wg.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					if err := w.Sweep(ctx); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		defer wg.Wait()
		defer close(stop)
		for range 25 {
			name, err := w.Keep(ctx, w.receive("the same"))
			if err != nil {
				t.Fatal(err)
			}
			row := []db.MediaAttachment{{AccountID: w.who.ID, Type: "unknown", URL: db.MediaPath + name, File: name}}
			if err := w.db.CreateAttachments(ctx, row); err != nil {
				t.Fatal(err)
			}
			f, _, err := w.Open(ctx, name)
			if err != nil {
				t.Fatal(err)
			}
			_ = f.Close()
			for _, query := range []string{"DELETE FROM media_attachments", "UPDATE loose_files SET since = 0"} {
				if err := dbtest.Exec(t, w.db, query); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

func TestDefaultDescriptionsAndNames(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		d := w.receive("x")
		d.Name = "my notes.txt"
		row, err := w.Upload(t.Context(), w.who, d, nil, nil, "")
		if err != nil || row.Description != "my notes.txt" || row.URL != db.MediaPath+row.File+"?name=my+notes.txt" {
			t.Errorf("%+v, %v", row, err)
		}
		none := ""
		if row, err = w.Upload(t.Context(), w.who, w.receive("y"), &none, nil, ""); err != nil || row.Description != "" {
			t.Errorf("%+v, %v", row, err)
		}
	}, func(s *config.Settings) { s.Upload.DefaultDescription, s.Upload.LinkName = ":filename", true })
}

// endless is a file that never ends; it counts the bytes read of it.
type endless struct{ n int64 }

func (e *endless) Read(p []byte) (int, error) {
	e.n += int64(len(p))
	return len(p), nil
}

func TestNoMoreIsReadThanIsTaken(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		e := &endless{}
		if _, err := w.Receive(e, "x", 100_000); !errors.Is(err, ErrTooLarge) || e.n > 200_000 {
			t.Errorf("%d bytes read, %v", e.n, err)
		}
		broken := io.MultiReader(strings.NewReader("begins"), &failing{})
		if _, err := w.Receive(broken, "x", 100); !errors.Is(err, errBroken) {
			t.Error(err)
		}
		if _, err := w.Receive(bytes.NewReader(photo(t, 1)[:60]), "x", 1000); !fault.Is(err, fault.KindInvalid) {
			t.Error(err)
		}
		if diff := cmp.Diff([]string(nil), w.files()); diff != "" {
			t.Error("something is left:", diff)
		}
	})
}

var errBroken = errors.New("broken")

type failing struct{}

func (*failing) Read([]byte) (int, error) { return 0, errBroken }

func TestUnfinishedFilesOfTheDeadAreTidiedUp(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for name, age := range map[string]time.Duration{"draft-old": 3 * time.Hour, "draft-new": time.Minute} {
			path := filepath.Join(w.dir, "incoming", name)
			if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, time.Time{}, time.Now().Add(-age))); err != nil {
				t.Fatal(err)
			}
		}
		w.sweep()
		if diff := cmp.Diff([]string{"draft-new"}, w.files()); diff != "" {
			t.Error(diff)
		}
	})
}

// holdStore tests the promises of every Store.
func holdStore(t *testing.T, store Store, receive func(content string) *Draft) {
	t.Helper()
	ctx := t.Context()
	content := strings.Repeat("content ", 1000)
	d := receive(content)
	name := d.Hash + ".txt"
	if _, err := store.Open(ctx, name); !errors.Is(err, db.ErrNotFound) {
		t.Errorf("before: %v", err)
	}
	for range 2 { // the second time it is there already
		if err := store.Put(ctx, name, d); err != nil {
			t.Fatal(err)
		}
		d = receive(content)
	}
	f, err := store.Open(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	if f.Size() != int64(len(content)) {
		t.Errorf("size %d", f.Size())
	}
	got, err := io.ReadAll(f)
	if err != nil || string(got) != content {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if at, err := f.Seek(8*10, io.SeekStart); at != 80 || err != nil {
		t.Errorf("at %d, %v", at, err)
	}
	some := make([]byte, 7)
	if _, err := io.ReadFull(f, some); err != nil || string(some) != "content" {
		t.Errorf("%q, %v", some, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	for range 2 { // the second time it is gone already
		if err := store.Delete(ctx, name); err != nil {
			t.Error(err)
		}
	}
	if _, err := store.Open(ctx, name); !errors.Is(err, db.ErrNotFound) {
		t.Errorf("after: %v", err)
	}
}

func TestADiskKeepsFiles(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		holdStore(t, w.store, w.receive)
		elsewhere, err := NewDisk(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		holdStore(t, elsewhere, w.receive)
	})
}

func TestTypesAreToldFromContent(t *testing.T) {
	for want, head := range map[string]string{
		"image/jpeg": "\xff\xd8\xff\xe0", "image/png": pngMagic, "image/gif": "GIF89a", "image/webp": "RIFF\x00\x00\x00\x00WEBPVP8 ",
		"image/avif": "\x00\x00\x00\x1cftypavif\x00\x00\x00\x00mif1miaf", "image/heic": "\x00\x00\x00\x1cftypmif1\x00\x00\x00\x00mif1heic",
		"image/jxl": jxlMagic, "image/bmp": "BM\x00\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00",
		"video/mp4": "\x00\x00\x00\x18ftypisom\x00\x00\x00\x00mp42", "video/quicktime": "\x00\x00\x00\x14ftypqt  \x00\x00\x00\x00", "video/3gpp": "\x00\x00\x00\x14ftyp3gp5\x00\x00\x00\x00",
		"audio/mp4": "\x00\x00\x00\x14ftypM4A \x00\x00\x00\x00", "video/webm": "\x1a\x45\xdf\xa3\x9f\x42\x82\x84webm",
		"audio/webm": "\x1a\x45\xdf\xa3\x9f\x42\x82\x84webm" + strings.Repeat("\x00", 50) + "\x86\x86A_OPUS", "video/x-matroska": "\x1a\x45\xdf\xa3\x9f\x42\x82\x88matroska",
		"audio/ogg": "OggS" + strings.Repeat("\x00", 24) + "OpusHead", "video/ogg": "OggS" + strings.Repeat("\x00", 24) + "\x80theora",
		"audio/flac": "fLaC\x00\x00\x00\x22", "audio/wav": "RIFF\x00\x00\x00\x00WAVEfmt ", "video/x-msvideo": "RIFF\x00\x00\x00\x00AVI LIST",
		"audio/mpeg": "ID3\x04\x00\x00", "audio/midi": "MThd\x00\x00\x00\x06", "audio/aiff": "FORM\x00\x00\x00\x00AIFF", "audio/amr": "#!AMR\n",
		"video/mpeg": "\x00\x00\x01\xba", "application/pdf": "%PDF-1.4", "application/zip": "PK\x03\x04", "application/gzip": "\x1f\x8b\x08",
		"text/plain": "BMW is a car", "application/octet-stream": "<html><body>",
	} {
		if got := Sniff([]byte(head)); got.Mime != want {
			t.Errorf("%q is %s, not %s", head, got.Mime, want)
		}
	}
	mp3 := "\xff\xfb\x90\x00" + strings.Repeat("\x00", 413)
	for content, want := range map[string]string{mp3 + mp3: "audio/mpeg", mp3 + "no": "application/octet-stream", "\xff\xfe<\x00": "text/plain"} {
		if got := Sniff([]byte(content)); got.Mime != want {
			t.Errorf("%.10q is %s, not %s", content, got.Mime, want)
		}
	}
	endings := map[string]bool{}
	for _, kind := range types {
		if endings[kind.Ext] {
			t.Errorf("%s stands for two types", kind.Ext)
		}
		endings[kind.Ext] = true
		if shown := kind.Shown(); strings.Contains(shown, "svg") || strings.Contains(shown, "xml") || strings.HasPrefix(shown, "text/") || strings.Contains(shown, "pdf") {
			t.Errorf("%s is shown as %s", kind.Mime, shown)
		}
	}
}

func BenchmarkReceive(b *testing.B) {
	for _, size := range []int{100 << 10, 4 << 20} {
		jpeg := cleanedPhoto(b, 1)
		scan := append(bytes.Clone(jpeg[:len(jpeg)-2]), bytes.Repeat([]byte("scan data\xff\x00"), size/11)...)
		b.Run(fmt.Sprintf("jpeg of %d kB", size>>10), func(b *testing.B) {
			store, err := NewDisk(b.TempDir())
			if err != nil {
				b.Fatal(err)
			}
			s, err := New(nil, store, nil, b.TempDir(), time.Now)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(scan)))
			for b.Loop() {
				d, err := s.Receive(bytes.NewReader(scan), "x", 1<<30)
				if err != nil {
					b.Fatal(err)
				}
				d.Close()
			}
		})
	}
}
