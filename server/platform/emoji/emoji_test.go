package emoji_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/platform/emoji"
)

const base = "https://svc.example"

// open lays files out in a static folder, and reads it.
func open(t *testing.T, files map[string]string) (*emoji.Live, string) {
	t.Helper()
	static := filepath.Join(t.TempDir(), "static")
	lay(t, static, files)
	settings, err := config.NewLive(config.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	l, err := emoji.New(filepath.Dir(static), base, settings, dbtest.New(t), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return l, static
}

func lay(t *testing.T, static string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(static, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEmojiAreReadFromGlobsAndPacks(t *testing.T) {
	l, _ := open(t, map[string]string{
		"emoji/custom/wave.png":      "a",
		"emoji/custom/deep/er/x.png": "b",
		"emoji/custom/no.gif":        "c",
		"emoji/cats/one.png":         "d",
		"emoji/cats/sub/two.gif":     "e",
		"emoji/cats/three.webp":      "f",
		"emoji/cats/bad name.png":    "g",
		"emoji/cats/run.html":        "h",
		"emoji/dogs/emoji.txt":       "wuff, d.gif, Loud, Loud\n# nothing\nwave, d.gif\ngone, nothing.png",
		"emoji/dogs/d.gif":           "i",
		"emoji/dogs/unlisted.png":    "j",
		"emoji/fish/pack.json":       `{"files":{"fish":"a b.png","out":"../cats/one.png","abs":"/etc/passwd"},"pack":{"license":"free"}}`,
		"emoji/fish/a b.png":         "k",
		"emoji/broken/pack.json":     `{`,
		"emoji/broken/z.png":         "l",
		"emoji/loose.png":            "m",
	})
	want := []emoji.Emoji{
		{Shortcode: "fish", Path: "/emoji/fish/a%20b.png", Tags: []string{"Custom", "pack:fish"}, Pack: "fish", File: "a b.png"},
		{Shortcode: "no", Path: "/emoji/custom/no.gif", Tags: []string{"pack:custom"}, Pack: "custom", File: "no.gif"},
		{Shortcode: "one", Path: "/emoji/cats/one.png", Tags: []string{"Custom", "pack:cats"}, Pack: "cats", File: "one.png"},
		{Shortcode: "two", Path: "/emoji/cats/sub/two.gif", Tags: []string{"pack:cats"}, Pack: "cats", File: "sub/two.gif"},
		{Shortcode: "wave", Path: "/emoji/custom/wave.png", Tags: []string{"Custom"}, Pack: "custom", File: "wave.png"},
		{Shortcode: "wuff", Path: "/emoji/dogs/d.gif", Tags: []string{"Loud", "pack:dogs"}, Pack: "dogs", File: "d.gif"},
		{Shortcode: "x", Path: "/emoji/custom/deep/er/x.png", Tags: []string{"Custom"}, Pack: "custom", File: "deep/er/x.png"},
	}
	if diff := cmp.Diff(want, l.Load().All()); diff != "" {
		t.Error(diff)
	}
	packs := []emoji.Pack{
		{Name: "cats", Files: map[string]string{"one": "one.png", "two": "sub/two.gif"}},
		{Name: "custom", Files: map[string]string{"no": "no.gif", "wave": "wave.png", "x": "deep/er/x.png"}},
		{Name: "dogs", Files: map[string]string{"wuff": "d.gif", "wave": "d.gif"}},
		{Name: "fish", Files: map[string]string{"fish": "a b.png"}, Info: map[string]any{"license": "free"}, Listed: true},
	}
	if diff := cmp.Diff(packs, l.Load().Packs(), cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

func TestTextsListTheEmojiInThem(t *testing.T) {
	l, _ := open(t, map[string]string{"emoji/p/cat.png": "x", "emoji/p/dog.png": "x"})
	of := func(code string) db.Emoji {
		url := base + "/emoji/p/" + code + ".png"
		return db.Emoji{Shortcode: code, URL: url, StaticURL: url}
	}
	for _, tt := range []struct {
		texts []string
		want  []db.Emoji
	}{
		{nil, nil},
		{[]string{"cat :cow: ::", ": cat:"}, nil},
		{[]string{":dog::cat:", ":dog:"}, []db.Emoji{of("dog"), of("cat")}},
		{[]string{"", "a:cat:b"}, []db.Emoji{of("cat")}},
	} {
		if diff := cmp.Diff(tt.want, l.In(tt.texts...)); diff != "" {
			t.Errorf("%q: %s", tt.texts, diff)
		}
	}
	if got := (*emoji.Live)(nil).In(":cat:"); got != nil {
		t.Errorf("nothing knows %v", got)
	}
}

func TestReloadingFindsWhatIsNew(t *testing.T) {
	l, static := open(t, nil)
	if n := len(l.Load().All()); n != 0 {
		t.Fatalf("%d emoji", n)
	}
	before := l.Load()
	lay(t, static, map[string]string{"emoji/p/cat.png": "x"})
	if err := l.Reload(); err != nil {
		t.Fatal(err)
	}
	if len(l.Load().All()) != 1 || len(before.All()) != 0 {
		t.Errorf("%v, before %v", l.Load().All(), before.All())
	}
}

func TestSharedPacksAreArchivedAsTold(t *testing.T) {
	l, static := open(t, map[string]string{
		"emoji/open/pack.json":   `{"files":{"a":"a.png","b":"sub/b.png","c":"a.png"},"pack":{"share-files":true}}`,
		"emoji/open/a.png":       "first",
		"emoji/open/sub/b.png":   "second",
		"emoji/open/secret.png":  "third",
		"emoji/closed/pack.json": `{"files":{"d":"d.png"},"pack":{"share-files":false}}`,
		"emoji/closed/d.png":     "x",
	})
	p, ok := l.Load().Pack("open")
	if !ok {
		t.Fatal("no pack")
	}
	var zipped bytes.Buffer
	if err := l.Archive(&zipped, p); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(zipped.Bytes())
	if got := hex.EncodeToString(sum[:]); got != p.Archive {
		t.Errorf("sum %s, told %s", got, p.Archive)
	}
	z, err := zip.NewReader(bytes.NewReader(zipped.Bytes()), int64(zipped.Len()))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		got[f.Name] = string(raw)
	}
	want := map[string]string{"a.png": "first", "sub/b.png": "second", "pack.json": `{
  "files": {
    "a": "a.png",
    "b": "sub/b.png",
    "c": "a.png"
  },
  "pack": {
    "share-files": true
  }
}`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	closed, _ := l.Load().Pack("closed")
	if err := l.Archive(io.Discard, closed); !errors.Is(err, emoji.ErrNotShared) {
		t.Errorf("a pack that is not shared: %v", err)
	}
	if err := os.RemoveAll(filepath.Join(static, "emoji")); err != nil {
		t.Fatal(err)
	}
	if err := l.Archive(io.Discard, p); err == nil {
		t.Error("an archive of nothing")
	}
	if _, ok := l.Load().Pack("absent"); ok {
		t.Error("a pack that is not there")
	}
}

func TestLinksOutOfTheFolderAreNotFollowed(t *testing.T) {
	static := filepath.Join(t.TempDir(), "static")
	outside := filepath.Join(t.TempDir(), "secret.png")
	if err := os.WriteFile(outside, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	lay(t, static, map[string]string{"emoji/p/cat.png": "x"})
	if err := os.Symlink(outside, filepath.Join(static, "emoji", "p", "link.png")); err != nil {
		t.Fatal(err)
	}
	settings, err := config.NewLive(config.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	l, err := emoji.New(filepath.Dir(static), base, settings, dbtest.New(t), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if got := l.Load().All(); len(got) != 1 || got[0].Shortcode != "cat" {
		t.Errorf("%v", got)
	}
}
