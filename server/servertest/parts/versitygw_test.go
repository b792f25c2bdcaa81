package parts_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/backup"
	"svc/server/platform/config"
	"svc/server/platform/media"
	"svc/server/servertest"
	"svc/server/servertest/parts"
)

// inStore returns an edit of the settings to the bucket that docs/media.md quotes.
func inStore(t *testing.T, v *parts.Versity, bucket string, more ...string) func(*config.Settings) {
	t.Helper()
	text := parts.Swap(t, parts.Quote(t, "media.md", "media: s3:"), append([]string{
		"svc-media", bucket, "https://s3.example.org", "http://" + v.Address, "AKEXAMPLE", parts.StoreKey, ": secret", ": " + parts.StoreSecret,
	}, more...)...)
	upload := parts.Configured(t, text).Settings.Upload
	return func(s *config.Settings) { s.Upload = upload }
}

// fetch gets a file, or a part of it.
func fetch(t *testing.T, address, part string) (*http.Response, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	must(t, err)
	if part != "" {
		req.Header.Set("Range", part)
	}
	resp, err := http.DefaultTransport.RoundTrip(req) // follows no redirect
	must(t, err)
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	must(t, err)
	return resp, body
}

func upload(t *testing.T, s *servertest.Server, content []byte) (*api.Attachment, error) {
	t.Helper()
	return s.Client("ann").Media.Upload(t.Context(), client.File{Name: "a.png", Content: bytes.NewReader(content)}, api.MediaForm{})
}

// TestFilesAreKeptInVersity: a large picture is stored, served whole and in parts, and
// removed; while the store is away the answers say so.
func TestFilesAreKeptInVersity(t *testing.T) {
	picture := servertest.Picture5MB(t)
	dbtest.EachReady(t, func(t *testing.T, dsn string) {
		store := parts.StartVersity(t, "files")
		s := servertest.On(t, dsn, inStore(t, store, "files"))
		s.User("ann")
		file, err := upload(t, s, picture)
		must(t, err)
		if names := store.Objects(t, "files"); len(names) != 1 {
			t.Fatalf("the bucket has %v", names)
		}
		whole := func(when string) {
			t.Helper()
			if resp, got := fetch(t, file.URL, ""); resp.StatusCode != http.StatusOK || !bytes.Equal(got, picture) {
				t.Errorf("%s: %s, %d bytes of %d", when, resp.Status, len(got), len(picture))
			}
		}
		whole("at first")
		for part, want := range map[string][]byte{ // as players of films ask
			"bytes=0-1": picture[:2], "bytes=3000000-3099999": picture[3_000_000:3_100_000], "bytes=-500": picture[len(picture)-500:],
		} {
			if resp, got := fetch(t, file.URL, part); resp.StatusCode != http.StatusPartialContent || !bytes.Equal(got, want) {
				t.Errorf("%s: %s, %d bytes of %d", part, resp.Status, len(got), len(want))
			}
		}

		store.End()
		if resp, _ := fetch(t, file.URL, ""); resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" {
			t.Errorf("while it is away: %s", resp.Status)
		}
		if _, err := upload(t, s, picture); client.Status(err) != http.StatusServiceUnavailable {
			t.Errorf("an upload while it is away: %v", err)
		}
		store.Again()
		whole("after its return")
		again, err := upload(t, s, picture)
		must(t, err)
		for _, id := range []string{file.ID, again.ID} {
			must(t, s.Client("ann").Media.Delete(t.Context(), id))
		}
		parts.Until(t, "the file is removed", func() bool { return len(store.Objects(t, "files")) == 0 })
		if resp, _ := fetch(t, file.URL, ""); resp.StatusCode != http.StatusNotFound {
			t.Errorf("a removed file: %s", resp.Status)
		}
	})
}

// TestVersityRefusesWhatIsMisset: wrong keys, and a bucket that is not there.
func TestVersityRefusesWhatIsMisset(t *testing.T) {
	store := parts.StartVersity(t, "files")
	for what, c := range map[string]struct {
		edit   func(*config.Settings)
		reason string
	}{
		"right":      {inStore(t, store, "files"), ""},
		"secret":     {inStore(t, store, "files", parts.StoreSecret, "guess"), "refuses the keys"},
		"key":        {inStore(t, store, "files", parts.StoreKey, "NOBODY"), "refuses the keys"},
		"no bucket":  {inStore(t, store, "nothing"), `there is no bucket "nothing"`},
		"the region": {inStore(t, store, "files", "us-east-1", "eu-west-1"), "refuses the keys"},
	} {
		settings := config.DefaultSettings()
		c.edit(&settings)
		s3, err := media.NewS3(settings.Upload.Bucket, "")
		must(t, err)
		err = s3.Probe(t.Context())
		if (err == nil) != (c.reason == "") || err != nil && (!errors.Is(err, media.ErrMisset) || !strings.Contains(err.Error(), c.reason)) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestVersityServesAPublicBucketItself: people are sent to the bucket.
func TestVersityServesAPublicBucketItself(t *testing.T) {
	store := parts.StartVersity(t, "files")
	edit := inStore(t, store, "files")
	s := servertest.Start(t, edit, func(s *config.Settings) { s.Upload.ProxyRemote = false })
	s.User("ann")
	picture := servertest.Picture5MB(t)
	file, err := upload(t, s, picture)
	must(t, err)
	resp, _ := fetch(t, file.URL, "")
	at := resp.Header.Get("Location")
	if resp.StatusCode != http.StatusFound || !strings.HasPrefix(at, "http://"+store.Address+"/files/") {
		t.Fatalf("%s to %q", resp.Status, at)
	}
	if resp, _ := fetch(t, at, ""); resp.StatusCode != http.StatusForbidden {
		t.Errorf("a bucket that is not public: %s", resp.Status)
	}
	c, err := minio.New(store.Address, &minio.Options{Creds: credentials.NewStaticV4(parts.StoreKey, parts.StoreSecret, ""), Region: "us-east-1"})
	must(t, err)
	must(t, c.SetBucketPolicy(t.Context(), "files", `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::files/*"}]}`))
	if resp, got := fetch(t, at, ""); resp.StatusCode != http.StatusOK || !bytes.Equal(got, picture) || resp.Header.Get("Content-Type") != "image/png" {
		t.Errorf("%s, %d bytes, %s", resp.Status, len(got), resp.Header.Get("Content-Type"))
	}
}

// TestABackupNamesOrCopiesFilesInVersity, and is restored beside another bucket: with
// copies, or with the files copied from bucket to bucket.
func TestABackupNamesOrCopiesFilesInVersity(t *testing.T) {
	store := parts.StartVersity(t, "files", "others")
	s := servertest.Start(t, inStore(t, store, "files"))
	s.User("ann")
	picture := servertest.Picture5MB(t)
	file, err := upload(t, s, picture)
	must(t, err)
	_, err = s.Client("ann").Statuses.Post(t.Context(), api.NewStatus{Status: "look", MediaIDs: []string{file.ID}})
	must(t, err)
	src := backup.Source{DB: s.DB, Stores: media.NewStores(s.DB, s.DataDir, "", s.Settings), DataDir: s.DataDir, Database: s.DSN}
	for _, copied := range []bool{false, true} {
		t.Run(fmt.Sprintf("copied %v", copied), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "backup")
			made, err := backup.Create(t.Context(), dir, src, backup.Options{Bucket: copied})
			must(t, err)
			named, bytesOf := 1, int64(0)
			if copied {
				named, bytesOf = 0, int64(len(picture))
			}
			if made.Count.Files != 1 || made.Count.InBucket != named || made.Count.FileBytes != bytesOf || len(made.Missing) > 0 {
				t.Errorf("%+v", made)
			}
			if v, err := backup.Verify(t.Context(), dir, "", nil); err != nil || v.Faults > 0 {
				t.Errorf("%+v, %v", v, err)
			}
			data := filepath.Join(t.TempDir(), "data")
			dsn := "sqlite:" + filepath.Join(data, "svc.db")
			restored, err := backup.Restore(t.Context(), dir, backup.Target{Database: dsn, DataDir: data, Media: filepath.Join(data, "uploads")})
			must(t, err)
			if restored.Count.InBucket != named || len(restored.Missing) > 0 {
				t.Errorf("%+v", restored)
			}
			there := servertest.Booted(t, dsn, func(c *config.Config) { c.BaseURL, c.DataDir = s.Base(), data }, inStore(t, store, "others"))
			there.Advance(time.Hour) // files may be unfinished for some minutes
			stores := media.NewStores(there.DB, data, "", there.Settings)
			faults := func() (n int) { // as svcd check finds
				must(t, stores.Check(t.Context(), false, func(db.Finding) error { n++; return nil }))
				return n
			}
			address := there.URL + strings.TrimPrefix(file.URL, s.Base())
			if !copied {
				if resp, _ := fetch(t, address, ""); resp.StatusCode != http.StatusNotFound {
					t.Errorf("before the bucket is copied: %s", resp.Status)
				}
				if n := faults(); n != 1 {
					t.Errorf("before the bucket is copied there are %d faults", n)
				}
				for _, name := range store.Objects(t, "files") {
					raw, err := os.ReadFile(filepath.Join(store.Dir, "files", name))
					must(t, err)
					must(t, os.MkdirAll(filepath.Dir(filepath.Join(store.Dir, "others", name)), 0o755))
					must(t, os.WriteFile(filepath.Join(store.Dir, "others", name), raw, 0o644))
				}
			}
			if resp, got := fetch(t, address, ""); resp.StatusCode != http.StatusOK || !bytes.Equal(got, picture) {
				t.Errorf("%s, %d bytes of %d", resp.Status, len(got), len(picture))
			}
			if n := faults(); n != 0 {
				t.Errorf("a whole instance has %d faults", n)
			}
			for _, name := range store.Objects(t, "others") {
				must(t, os.WriteFile(filepath.Join(store.Dir, "others", name), make([]byte, len(picture)), 0o644))
				if n := faults(); n != 1 {
					t.Errorf("with a changed file there are %d faults", n)
				}
				must(t, os.Remove(filepath.Join(store.Dir, "others", name)))
			}
		})
	}
}
