package e2e

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"svc/client"
	"svc/client/api"
	"svc/db/dbtest"
)

// TestADiskForFilesThatIsFullOrAwayLosesNone gives files a small disk of their
// own, fills it, and takes it away, before a start too. Files are refused
// meanwhile, everything else goes on, and acknowledged files are there after.
func TestADiskForFilesThatIsFullOrAwayLosesNone(t *testing.T) {
	t.Parallel()
	dbtest.EachDSN(t, func(t *testing.T, dsn string) {
		disk, uploads := shortDir(t), filepath.Join(shortDir(t), "uploads")
		if err := syscall.Mount("svc-e2e", disk, "tmpfs", 0, "size=4m,mode=0700"); err != nil {
			t.Skipf("no small disk can be mounted here: %v", err)
		}
		must(t, os.Mkdir(uploads, 0o700))
		mounted := false
		away := func() {
			must(t, syscall.Unmount(uploads, syscall.MNT_DETACH))
			mounted = false
		}
		back := func() {
			must(t, syscall.Mount(disk, uploads, "", syscall.MS_BIND, ""))
			mounted = true
		}
		t.Cleanup(func() {
			if mounted {
				away()
			}
			must(t, syscall.Unmount(disk, syscall.MNT_DETACH))
		})
		back()
		p := newProcess(t, shortDir(t), postgresOnly(dsn))
		p.env = append(p.env, "SVC_MEDIA=file:"+uploads, "SVC_LOG=error")
		p.user("alice")
		p.start()
		d := &diskload{t: t, p: p, c: p.client(p.logIn("alice")), kept: map[string]string{}}
		d.upload(0)
		d.post("with its disk")

		fill(t, filepath.Join(disk, "filler"))
		for range 3 {
			d.upload(http.StatusInsufficientStorage)
		}
		d.check(http.StatusOK)
		d.post("on a full disk")
		unfinished, err := os.ReadDir(filepath.Join(uploads, "incoming"))
		if err != nil || len(unfinished) != 0 {
			t.Errorf("of files that had no room, %d are left, %v", len(unfinished), err)
		}
		must(t, os.Remove(filepath.Join(disk, "filler")))
		d.upload(0)

		gone := func(when string) {
			d.upload(http.StatusServiceUnavailable)
			d.check(http.StatusServiceUnavailable)
			d.post("without a disk, " + when)
			var files []string
			must(t, filepath.WalkDir(uploads, func(path string, e os.DirEntry, err error) error {
				if err == nil && !e.IsDir() {
					files = append(files, path)
				}
				return err
			}))
			if len(files) > 0 {
				t.Errorf("%s, there are files where the disk belongs: %q", when, files)
			}
		}
		away()
		gone("running")
		back()
		d.check(http.StatusOK)
		d.upload(0)

		p.kill()
		away()
		p.start()
		d.c = p.client(p.logIn("alice"))
		gone("after a start")
		back()
		d.check(http.StatusOK)
		d.upload(0)
		p.kill()
		p.start()
		d.check(http.StatusOK)
	})
}

// diskload are files and statuses, and their outcomes.
type diskload struct {
	t    *testing.T
	p    *process
	c    *client.Client
	n    int
	kept map[string]string // paths of files, to their content
}

// upload sends a file that is to be refused with a status, or, with 0, taken.
func (d *diskload) upload(status int) {
	d.t.Helper()
	d.n++
	content := strings.Repeat(fmt.Sprintf("file %d ", d.n), 10_000)
	up, err := d.c.Media.Upload(d.t.Context(), client.File{Name: "a.txt", Content: strings.NewReader(content)}, api.MediaForm{})
	if status == 0 {
		must(d.t, err)
		address, err := url.Parse(up.URL)
		must(d.t, err)
		d.kept[address.Path] = content
		return
	}
	var e *client.Error
	if !errors.As(err, &e) || e.Status != status || status == http.StatusServiceUnavailable && e.Header.Get("Retry-After") == "" {
		d.t.Errorf("an upload: %v, not %d", err, status)
	}
}

// check fetches all files that were taken.
func (d *diskload) check(status int) {
	d.t.Helper()
	for path, content := range d.kept {
		resp, err := d.p.http().Get(base + path)
		must(d.t, err)
		body, err := io.ReadAll(resp.Body)
		must(d.t, errors.Join(err, resp.Body.Close()))
		if resp.StatusCode != status || status == http.StatusOK && string(body) != content || status != http.StatusOK && resp.Header.Get("Retry-After") == "" {
			d.t.Errorf("a file: %d with %d bytes, not %d", resp.StatusCode, len(body), status)
		}
	}
}

func (d *diskload) post(text string) {
	d.t.Helper()
	must(d.t, err1(d.c.Statuses.Post(d.t.Context(), api.NewStatus{Status: text})))
}
