package clientapi_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/server/servertest"
)

// withEmoji starts a server with two packs of emoji.
func withEmoji(t *testing.T) *servertest.Server {
	t.Helper()
	s := servertest.Start(t)
	static := filepath.Join(s.DataDir, "static")
	for name, text := range map[string]string{
		"emoji/cats/pack.json":  `{"files":{"cat":"cat.png","kit":"kit.png"},"pack":{"share-files":true,"license":"free","homepage":"https://cats.example"}}`,
		"emoji/cats/cat.png":    "\x89PNG\r\n\x1a\n",
		"emoji/cats/kit.png":    "\x89PNG\r\n\x1a\n2",
		"emoji/cats/page.html":  "<script>1</script>",
		"emoji/dogs/wuff.gif":   "GIF89a",
		"emoji/custom/wave.png": "\x89PNG\r\n\x1a\n3",
	} {
		path := filepath.Join(static, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Emojis.Reload(); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCustomEmojiAreListed(t *testing.T) {
	s, ctx := withEmoji(t), t.Context()
	c := s.Anonymous()
	got, err := c.Emojis.List(ctx)
	if err != nil {
		t.Fatal(err)
	}
	emoji := func(code, path string, category string, tags ...string) api.CustomEmoji {
		return api.CustomEmoji{Shortcode: code, URL: s.Base() + path, StaticURL: s.Base() + path, VisibleInPicker: true, Tags: tags, Category: category}
	}
	want := []api.CustomEmoji{
		emoji("cat", "/emoji/cats/cat.png", "pack:cats", "Custom", "pack:cats"),
		emoji("kit", "/emoji/cats/kit.png", "pack:cats", "Custom", "pack:cats"),
		emoji("wave", "/emoji/custom/wave.png", "", "Custom"),
		emoji("wuff", "/emoji/dogs/wuff.gif", "pack:dogs", "pack:dogs"),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if err := os.Remove(filepath.Join(s.DataDir, "static", "emoji", "custom", "wave.png")); err != nil {
		t.Fatal(err)
	}
	if kept, err := c.Emojis.List(ctx); err != nil || !cmp.Equal(want, kept) {
		t.Errorf("the kept list: %v %v", kept, err)
	}
	if err := s.Emojis.Reload(); err != nil {
		t.Fatal(err)
	}
	if anew, err := c.Emojis.List(ctx); err != nil || len(anew) != 3 {
		t.Errorf("the list anew: %v %v", anew, err)
	}
	pictures, err := c.Emojis.Pictures(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]api.EmojiPicture{
		"cat": {ImageURL: "/emoji/cats/cat.png", Tags: api.List[string]{"Custom", "pack:cats"}}, "kit": {ImageURL: "/emoji/cats/kit.png", Tags: api.List[string]{"Custom", "pack:cats"}},
		"wuff": {ImageURL: "/emoji/dogs/wuff.gif", Tags: api.List[string]{"pack:dogs"}},
	}, pictures); diff != "" {
		t.Error(diff)
	}
}

func TestEmojiPacksArePaged(t *testing.T) {
	s, ctx := withEmoji(t), t.Context()
	c := s.Anonymous()
	pack, err := c.Emojis.Pack(ctx, api.EmojiPageQuery{Name: "cats", Page: 2, PageSize: 1})
	if err != nil {
		t.Fatal(err)
	}
	archive, err := c.Emojis.Archive(ctx, "cats")
	if err != nil || !strings.HasPrefix(string(archive), "PK") {
		t.Fatalf("%q %v", archive, err)
	}
	want := &api.EmojiPack{Files: map[string]string{"kit": "kit.png"}, FilesCount: 2, Pack: api.EmojiPackInfo{
		License: "free", Homepage: "https://cats.example", ShareFiles: true, CanDownload: true, SHA256: pack.Pack.SHA256,
	}}
	if diff := cmp.Diff(want, pack); diff != "" || len(pack.Pack.SHA256) != 64 {
		t.Errorf("%s %s", pack.Pack.SHA256, diff)
	}
	packs, err := c.Emojis.Packs(ctx, api.EmojiPageQuery{Page: 3, PageSize: 1})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&api.EmojiPacks{Count: 3, Packs: map[string]api.EmojiPack{
		"dogs": {Files: map[string]string{"wuff": "wuff.gif"}, FilesCount: 1},
	}}, packs); diff != "" {
		t.Error(diff)
	}
	for path, want := range map[string]string{
		"/api/svc/emoji/pack":                    `400 {"error":"pack name cannot be empty"}`,
		"/api/svc/emoji/pack?name=../cats":       `404 {"error":"Pack ../cats does not exist"}`,
		"/api/svc/emoji/packs/archive?name=dogs": `403 {"error":"Pack dogs cannot be downloaded from this instance"}`,
		"/api/svc/emoji/packs/archive?name=x":    `404 {"error":"Pack x does not exist"}`,
		"/api/svc/emoji/packs?page=99999999":     `200 {"packs":{},"count":3}`,
	} {
		if a := call(t, s, "", "GET", path, "", ""); a.text() != want {
			t.Errorf("%s: %s", path, a.text())
		}
	}
}

func TestEmojiPicturesAreServedAndNothingElse(t *testing.T) {
	s := withEmoji(t)
	a := call(t, s, "", "GET", "/emoji/cats/cat.png", "", "")
	if a.status != 200 || a.header.Get("Content-Type") != "image/png" || a.header.Get("X-Content-Type-Options") != "nosniff" ||
		!strings.Contains(a.header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("%d %v", a.status, a.header)
	}
	for _, path := range []string{"/emoji/cats/page.html", "/emoji/cats/pack.json", "/emoji/cats", "/emoji/", "/emoji/..%2f..%2fsvc.db", "/emoji/cats/../../x.png"} {
		if a := call(t, s, "", "GET", path, "", ""); a.status != 404 {
			t.Errorf("%s: %d", path, a.status)
		}
	}
}

func TestProfilesListTheirEmoji(t *testing.T) {
	s, ctx := withEmoji(t), t.Context()
	name, note := "Ann :cat: :nope:", "I :wave:"
	ann := s.Client("ann")
	got, err := ann.Accounts.UpdateCredentials(ctx, api.UpdateCredentials{
		DisplayName: &name, Note: &note, FieldsAttributes: []api.SourceField{{Name: "dog", Value: ":wuff: :cat:"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	codes := func(list []api.Emoji) string {
		var out []string
		for _, e := range list {
			out = append(out, e.Shortcode+" "+strings.TrimPrefix(e.URL, s.Base()))
		}
		return strings.Join(out, ", ")
	}
	if got := codes(got.Emojis); got != "cat /emoji/cats/cat.png, wave /emoji/custom/wave.png, wuff /emoji/dogs/wuff.gif" {
		t.Error(got)
	}
	body := `{"username":"new","password":"long enough","agreement":true,"email":"new@example.org","fullname":"New :kit:","bio":":wave:"}`
	if a := call(t, s, s.AppToken(), "POST", "/api/v1/accounts", asJSON, body); a.status != 200 {
		t.Fatal(a.text())
	}
	if fresh, err := s.Anonymous().Accounts.Get(ctx, "new"); err != nil || codes(fresh.Emojis) != "kit /emoji/cats/kit.png, wave /emoji/custom/wave.png" {
		t.Errorf("%v %v", fresh, err)
	}
	posted, err := ann.Statuses.Post(ctx, api.NewStatus{Status: ":wuff: :nope:", SpoilerText: ":cat:"})
	if err != nil || codes(posted.Emojis) != "wuff /emoji/dogs/wuff.gif, cat /emoji/cats/cat.png" {
		t.Errorf("%v %v", posted, err)
	}
	plain := "Ann"
	if got, err = ann.Accounts.UpdateCredentials(ctx, api.UpdateCredentials{DisplayName: &plain, FieldsAttributes: []api.SourceField{}}); err != nil {
		t.Fatal(err)
	}
	if got := codes(got.Emojis); got != "wave /emoji/custom/wave.png" {
		t.Error(got)
	}
}

// text is the status and body in one line.
func (a answer) text() string { return strconv.Itoa(a.status) + " " + a.body }
