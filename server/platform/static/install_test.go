package static

import (
	"archive/zip"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc/server/platform/config"
)

// packed is an archive of files by their names; a name that ends in @ is a link.
func packed(t *testing.T, files ...[2]string) *zip.Reader {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, file := range files {
		name, link := strings.CutSuffix(file[0], "@")
		h := &zip.FileHeader{Name: name, Method: zip.Deflate}
		if link {
			h.SetMode(fs.ModeSymlink | 0o777)
		}
		to, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := to.Write([]byte(file[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		t.Fatal(err)
	}
	return r
}

func TestFrontEndsAreInstalledWholeOrNotAtAll(t *testing.T) {
	live, err := config.NewLive(config.Defaults().Settings)
	if err != nil {
		t.Fatal(err)
	}
	f := New(nil, t.TempDir(), live)
	has := func(name, want string) {
		t.Helper()
		got, err := os.ReadFile(filepath.Join(f.Path(), "frontends", name))
		if err != nil || string(got) != want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, want)
		}
	}
	if n, err := f.Install(packed(t, [2]string{"index.html", "one"}, [2]string{"a/", ""}, [2]string{"a/b.js", "run()"}), "fe", "v1"); n != 2 || err != nil {
		t.Fatalf("%d files, %v", n, err)
	}
	has("fe/v1/index.html", "one")
	has("fe/v1/a/b.js", "run()")
	// The files of the former are gone with it.
	if n, err := f.Install(packed(t, [2]string{"dist/index.html", "two"}, [2]string{"dist/c.js", "go()"}), "fe", "v1"); n != 2 || err != nil {
		t.Fatalf("%d files, %v", n, err)
	}
	has("fe/v1/index.html", "two")
	has("fe/v1/c.js", "go()")
	if _, err := os.Stat(filepath.Join(f.Path(), "frontends/fe/v1/a")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file of the former is left: %v", err)
	}
	index := [2]string{"index.html", "three"}
	for what, files := range map[string][][2]string{
		"no index":                    {{"readme.txt", ""}},
		"two folders":                 {{"a/index.html", ""}, {"b/index.html", ""}},
		"nothing":                     {},
		"a name outside":              {index, {"../../evil", ""}},
		"a rooted name":               {index, {"/etc/evil", ""}},
		"a name of dots":              {index, {"a/../evil", ""}},
		"a slash of other systems":    {index, {`a\..\evil`, ""}},
		"a link":                      {index, {"link@", "/etc/passwd"}},
		"a file twice":                {index, {"index.html", "four"}},
		"a file in place of a folder": {index, {"a", ""}, {"a/b", ""}},
	} {
		if _, err := f.Install(packed(t, files...), "fe", "v1"); err == nil {
			t.Errorf("%s: installed", what)
		}
		has("fe/v1/index.html", "two")
	}
	large := packed(t, index)
	large.File[0].UncompressedSize64 = frontFile + 1
	if _, err := f.Install(large, "fe", "v1"); !errors.Is(err, ErrNoFrontend) {
		t.Errorf("too large: %v", err)
	}
	lying := packed(t, [2]string{"index.html", "much more than it says"})
	lying.File[0].UncompressedSize64 = 3
	if _, err := f.Install(lying, "fe", "v1"); err == nil {
		t.Error("larger than it says: installed")
	}
	for _, name := range []string{"", "..", ".new", "a/b", "a b"} {
		if _, err := f.Install(packed(t, index), name, "v1"); !errors.Is(err, ErrNoFrontend) {
			t.Errorf("named %q: %v", name, err)
		}
		if _, err := f.Install(packed(t, index), "fe", name); !errors.Is(err, ErrNoFrontend) {
			t.Errorf("version %q: %v", name, err)
		}
	}
	left, err := os.ReadDir(filepath.Join(f.Path(), "frontends", "fe"))
	if err != nil || len(left) != 1 {
		t.Errorf("%v is left, %v", left, err)
	}
}
