package backup_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/backup"
	"svc/server/platform/config"
	"svc/server/platform/media"
)

// source is an instance with one account, whose pictures are the files named.
func source(t *testing.T, d *db.DB, files map[string]string, edit func(*config.Settings)) backup.Source {
	t.Helper()
	settings := config.DefaultSettings()
	if edit != nil {
		edit(&settings)
	}
	live, err := config.NewLive(settings)
	if err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	for name, content := range files {
		a := dbtest.Account(t, d, strings.TrimSuffix(name, ".txt"))
		must(t, dbtest.Exec(t, d, "UPDATE accounts SET avatar = ? WHERE id = ?", "/media/"+name, a.ID))
		must(t, dbtest.Exec(t, d, "INSERT INTO stored_files (name, size, hash) VALUES (?, 4, ?)", name, strings.Repeat("0", 64)))
		if content == "" {
			continue
		}
		folder := filepath.Join(data, "uploads", name[:2])
		must(t, os.MkdirAll(folder, 0o700))
		must(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
	}
	return backup.Source{DB: d, Stores: media.NewStores(d, data, "", live), DataDir: data, Database: d.DSN()}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestFilesThatAreMissingOrChangedAreNamed: the backup is complete without them.
func TestFilesThatAreMissingOrChangedAreNamed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		src := source(t, d, map[string]string{"changed.txt": "text", "gone.txt": "", "lost.txt": ""}, nil)
		must(t, dbtest.Exec(t, d, "INSERT INTO loose_files (name, since, doomed_at) VALUES ('gone.txt', 0, 1)"))
		dir := filepath.Join(t.TempDir(), "b")
		r, err := backup.Create(t.Context(), dir, src, backup.Options{})
		must(t, err)
		want := []backup.Missing{
			{Name: "changed.txt", Why: "the file has changed since it was stored; it is in the backup as it is"},
			{Name: "gone.txt", Why: "the file was deleted while the backup was made"},
			{Name: "lost.txt", Why: "the file is missing, as before the backup"},
		}
		if diff := cmp.Diff(want, r.Missing); diff != "" {
			t.Error(diff)
		}
		if v, err := backup.Verify(t.Context(), dir, "", nil); err != nil || v.Faults > 0 {
			t.Errorf("%+v, %v", v, err)
		}
	})
}

// TestFilesInABucketAreNamedOnly: the bucket is not asked, which costs money.
func TestFilesInABucketAreNamedOnly(t *testing.T) {
	d := dbtest.New(t)
	src := source(t, d, map[string]string{"far.txt": ""}, func(s *config.Settings) {
		s.Upload.Uploader = config.S3Uploader
		s.Upload.Bucket = config.S3{Name: "files", Scheme: "http", Host: "127.0.0.1:1", Key: "key", Secret: "secret"}
	})
	r, err := backup.Create(t.Context(), filepath.Join(t.TempDir(), "b"), src, backup.Options{})
	must(t, err)
	if r.Count.Files != 1 || r.Count.InBucket != 1 || r.Count.FileBytes != 0 || len(r.Missing) != 0 {
		t.Errorf("%+v", r)
	}
}

// TestOldBackupsAreKeptByNumberOrAge: by either, and the newest always.
func TestOldBackupsAreKeptByNumberOrAge(t *testing.T) {
	d := dbtest.New(t)
	src := source(t, d, nil, nil)
	for _, tt := range []struct {
		o    backup.Options
		want []string
	}{
		{backup.Options{}, []string{"01", "02", "03", "04", "05"}},
		{backup.Options{Keep: 2}, []string{"04", "05"}},
		{backup.Options{KeepFor: 60 * time.Hour}, []string{"03", "04", "05"}},
		{backup.Options{Keep: 4, KeepFor: 36 * time.Hour}, []string{"02", "03", "04", "05"}},
		{backup.Options{KeepFor: time.Minute}, []string{"05"}},
	} {
		dir := filepath.Join(t.TempDir(), "b")
		for day := 1; day <= 5; day++ {
			o := backup.Options{Now: func() time.Time { return time.Date(2026, 1, day, 4, 0, 0, 0, time.UTC) }}
			if day == 5 {
				o.Keep, o.KeepFor = tt.o.Keep, tt.o.KeepFor
			}
			_, err := backup.Create(t.Context(), dir, src, o)
			must(t, err)
		}
		v, err := backup.List(dir)
		must(t, err)
		var got []string
		for _, b := range v.Backups {
			got = append(got, b.ID[6:8])
		}
		if !slices.Equal(got, tt.want) || v.Unnamed > 0 {
			t.Errorf("%+v keeps %v of January, want %v; %d contents have no backup", tt.o, got, tt.want, v.Unnamed)
		}
	}
}
