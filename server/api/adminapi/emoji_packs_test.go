package adminapi_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc/client"
	"svc/client/api"
)

// zipOf is an archive of files. A name that begins with > is a link.
func (w *world) zipOf(files map[string][]byte) []byte {
	w.t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, content := range files {
		h := &zip.FileHeader{Name: strings.TrimPrefix(name, ">"), Method: zip.Deflate}
		h.SetMode(0o644)
		if strings.HasPrefix(name, ">") {
			h.SetMode(0o777 | fs.ModeSymlink)
		}
		f, err := z.CreateHeader(h)
		w.must(err)
		_, err = f.Write(content)
		w.must(err)
	}
	w.must(z.Close())
	return out.Bytes()
}

func (w *world) importPack(name string, archive []byte) (*api.ImportedPack, error) {
	return w.Admin("root").Admin.Emojis.ImportPack(w.t.Context(), name, client.File{Name: "x.zip", Content: bytes.NewReader(archive)})
}

// TestPacksAreCreatedDescribedSharedAndDeleted over the API, without a log entry.
func TestPacksAreCreatedDescribedSharedAndDeleted(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, emojis, ann := t.Context(), w.Admin("root").Admin.Emojis, w.Client("ann")
		w.must(emojis.CreatePack(ctx, "cats-2.0"))
		if err := emojis.CreatePack(ctx, "cats-2.0"); client.Status(err) != 409 {
			t.Errorf("created twice: %v", err)
		}
		for _, name := range []string{"../x", "a/b", ".git", "a b", "a..b/", strings.Repeat("x", 101)} {
			if err := emojis.CreatePack(ctx, name); client.Status(err) != 422 {
				t.Errorf("%q: %v", name, err)
			}
		}
		_, err := w.addEmoji("cats-2.0", "tom", "t.png", w.pictureOf("png", 4, 4))
		w.must(err)
		if _, err := ann.Emojis.Archive(ctx, "cats-2.0"); client.Status(err) != 403 {
			t.Errorf("an archive that is not shared: %v", err)
		}
		info, err := emojis.DescribePack(ctx, api.EmojiPackForm{Name: "cats-2.0", Metadata: map[string]any{"share-files": true, "license": "CC0", "homepage": "https://cats.example"}})
		if err != nil || !info.CanDownload || info.License != "CC0" || len(info.SHA256) != 64 {
			t.Errorf("described: %+v, %v", info, err)
		}
		info, err = emojis.DescribePack(ctx, api.EmojiPackForm{Name: "cats-2.0", Metadata: map[string]any{"homepage": nil}})
		if err != nil || info.License != "CC0" || info.Homepage != "" || !info.ShareFiles {
			t.Errorf("described again: %+v, %v", info, err)
		}
		if raw, err := ann.Emojis.Archive(ctx, "cats-2.0"); err != nil || len(raw) == 0 {
			t.Errorf("the archive: %v", err)
		}
		w.want("PATCH", "/api/svc/emoji/pack", `{"name":"cats-2.0","metadata":{"license":[1]}}`, 400, `"Invalid parameters"`)
		w.want("PATCH", "/api/svc/emoji/pack", `{"name":"cats-2.0"}`, 400, `"Invalid parameters"`)
		w.want("PATCH", "/api/svc/emoji/pack", `{"name":"none","metadata":{}}`, 404, `{"error":"Pack none does not exist"}`)
		w.want("POST", "/api/svc/emoji/pack", `{}`, 400, `{"error":"pack name cannot be empty"}`)
		w.want("DELETE", "/api/svc/emoji/pack?name=..", "", 404, `{"error":"Pack .. does not exist"}`)
		w.must(emojis.DeletePack(ctx, "cats-2.0"))
		if err := emojis.DeletePack(ctx, "cats-2.0"); !errors.Is(err, client.ErrNotFound) {
			t.Errorf("deleted twice: %v", err)
		}
		if left, err := os.ReadDir(filepath.Join(w.DataDir, "static", "emoji")); err != nil || len(left) > 0 {
			t.Errorf("left %v, %v", left, err)
		}
		w.wantLog()
	})
}

// TestArchivesBecomePacks imports zips, of which only safe files reach the pack.
func TestArchivesBecomePacks(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		small := w.pictureOf("png", 4, 4)
		got, err := w.importPack("listed", w.zipOf(map[string][]byte{
			"cats/pack.json":    []byte(`{"files":{"tom":"../../t.png","kit":"a/k.png","out":"/etc/passwd","link":"l.png","bad name":"a/k.png","bomb":"bomb.png","page":"p.png","gone":"none.png"},"pack":{"license":"CC0","share-files":true}}`),
			"cats/t.png":        small,
			"cats/a/k.png":      w.pictureOf("gif", 4, 4),
			">cats/l.png":       []byte("/etc/passwd"),
			"cats/bomb.png":     append(bytes.Clone(small), make([]byte, 20<<20)...),
			"cats/p.png":        []byte("<html>"),
			"../../evil.png":    small,
			"cats/unlisted.png": small,
		}))
		w.must(err)
		w.same("files", map[string]string{"tom": "tom.png", "kit": "kit.gif"}, got.Files)
		if got.Pack.License != "CC0" || got.Pack.ShareFiles || got.SkippedCount != 6 || len(got.Skipped) != 6 {
			t.Errorf("%+v", got)
		}
		got, err = w.importPack("lines", w.zipOf(map[string][]byte{"emoji.txt": []byte("dog, d.png, Loud\n"), "d.png": small, "e.png": small}))
		w.must(err)
		w.same("of an emoji.txt", map[string]string{"dog": "dog.png"}, got.Files)
		got, err = w.importPack("bare", w.zipOf(map[string][]byte{"x/cow.png": small, "y/elk.webp": small, "readme.txt": nil}))
		w.must(err)
		w.same("of pictures", map[string]string{"cow": "cow.png", "elk": "elk.png"}, got.Files)
		if _, ok := w.emojis(w.Client("ann"))["tom"]; !ok {
			t.Error("the emoji are not there")
		}
		many := map[string][]byte{}
		for i := range 10001 {
			many[strings.Repeat("x", i%50)+string(rune('a'+i%26))+strings.Repeat("y", i/50)] = nil
		}
		before, err := os.ReadDir(filepath.Join(w.DataDir, "static", "emoji"))
		w.must(err)
		for why, archive := range map[string][]byte{
			"no archive": []byte("PK no archive"), "nothing": nil, "no emoji": w.zipOf(map[string][]byte{"a.txt": nil}),
			"a broken list": w.zipOf(map[string][]byte{"pack.json": []byte("{"), "a.png": small}), "many files": w.zipOf(many),
			"a long list": w.zipOf(map[string][]byte{"pack.json": make([]byte, 2<<20)}),
		} {
			if got, err := w.importPack("x", archive); client.Status(err) != 422 {
				t.Errorf("%s: %+v, %v", why, got, err)
			}
		}
		if _, err := w.importPack("listed", w.zipOf(map[string][]byte{"a.png": small})); client.Status(err) != 409 {
			t.Errorf("a pack that is there: %v", err)
		}
		if _, err := w.importPack("../x", w.zipOf(map[string][]byte{"a.png": small})); client.Status(err) != 422 {
			t.Errorf("a name that is none: %v", err)
		}
		after, err := os.ReadDir(filepath.Join(w.DataDir, "static", "emoji"))
		if err != nil || len(after) != len(before) {
			t.Errorf("left behind: %v, %v", after, err)
		}
	})
}

// TestPacksOfOtherServersAreImported from servers like this one, and from those that
// have them elsewhere.
func TestPacksOfOtherServersAreImported(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, emojis := t.Context(), w.Admin("root").Admin.Emojis
		w.must(emojis.CreatePack(ctx, "ours"))
		_, err := w.addEmoji("ours", "tom", "t.png", w.pictureOf("png", 4, 4))
		w.must(err)
		if _, err := emojis.DownloadPack(ctx, api.PackDownload{URL: w.URL, Name: "ours", As: "copy"}); client.Status(err) != 403 {
			t.Errorf("a pack that is not shared: %v", err)
		}
		_, err = emojis.DescribePack(ctx, api.EmojiPackForm{Name: "ours", Metadata: map[string]any{"share-files": true}})
		w.must(err)
		got, err := emojis.DownloadPack(ctx, api.PackDownload{URL: w.URL + "/", Name: "ours", As: "copy"})
		w.must(err)
		w.same("copied", map[string]string{"tom": "tom.png"}, got.Files)
		list, err := emojis.RemotePacks(ctx, api.RemotePackQuery{URL: w.URL, Page: 1, PageSize: 5})
		if err != nil || list.Count != 2 || !list.Packs["ours"].Pack.CanDownload || list.Packs["copy"].Pack.CanDownload {
			t.Errorf("packs of a server: %+v, %v", list, err)
		}
		archive := w.zipOf(map[string][]byte{"elk.png": w.pictureOf("png", 4, 4)})
		other := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/api/v1/pleroma/emoji/pack":
				_, _ = rw.Write([]byte(`{"files":{"elk":"elk.png"},"pack":{"can-download":true,"download-sha256":"` + r.URL.Query().Get("name") + `"}}`))
			case "/api/v1/pleroma/emoji/packs/archive", "/x.zip":
				_, _ = rw.Write(archive)
			default:
				rw.WriteHeader(http.StatusNotFound)
			}
		}))
		defer other.Close()
		for name, status := range map[string]int{"": 400, "0000": 400} {
			if _, err := emojis.DownloadPack(ctx, api.PackDownload{URL: other.URL, Name: name, As: "elks"}); client.Status(err) != status {
				t.Errorf("%q: %v", name, err)
			}
		}
		got, err = emojis.ImportPackFrom(ctx, api.PackArchive{Name: "elks", URL: other.URL + "/x.zip"})
		w.must(err)
		w.same("of an address", map[string]string{"elk": "elk.png"}, got.Files)
		for _, url := range []string{other.URL + "/none.zip", "file:///etc/passwd", "http://127.0.0.1:1/x"} {
			if _, err := emojis.ImportPackFrom(ctx, api.PackArchive{Name: "x", URL: url}); client.Status(err) != 400 {
				t.Errorf("%s: %v", url, err)
			}
		}
		for _, url := range []string{"ftp://far.example", "https://user@far.example", "https://far.example/path", "https://"} {
			if _, err := emojis.RemotePacks(ctx, api.RemotePackQuery{URL: url}); client.Status(err) != 422 {
				t.Errorf("%s: %v", url, err)
			}
		}
	})
}
