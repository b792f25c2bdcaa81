package adminapi_test

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	gifs "image/gif"
	"image/png"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/server/servertest"
)

// pictureOf is a PNG or GIF of this size.
func (w *world) pictureOf(kind string, width, height int) []byte {
	w.t.Helper()
	var out bytes.Buffer
	img := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.Black, color.White})
	if kind == "gif" {
		w.must(gifs.Encode(&out, img, nil))
	} else {
		w.must(png.Encode(&out, img))
	}
	return out.Bytes()
}

// addEmoji adds a picture as root.
func (w *world) addEmoji(pack, code, name string, picture []byte) (map[string]string, error) {
	return w.Admin("root").Admin.Emojis.Add(w.t.Context(), api.NewEmoji{Name: pack, Shortcode: code}, client.File{Name: name, Content: bytes.NewReader(picture)})
}

// listed are the emoji of a query: "shortcode pack/file state".
func (w *world) listed(query api.AdminEmojiQuery) []string {
	w.t.Helper()
	out := []string{}
	for e, err := range w.Admin("root").Admin.Emojis.List(query).All(w.t.Context()) {
		w.must(err)
		out = append(out, strings.TrimSpace(e.Shortcode+" "+e.Pack+"/"+e.File+" "+e.State+" "+e.Host))
	}
	return out
}

func (w *world) same(what string, want, got any) {
	w.t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		w.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// TestEmojiAreAddedDisabledAndRemoved goes through the life of emoji in each kind of
// pack. Posts keep the picture of one that is disabled.
func TestEmojiAreAddedDisabledAndRemoved(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, ann, emojis := t.Context(), w.Client("ann"), w.Admin("root").Admin.Emojis
		w.draw(w.Server, map[string]string{
			"beasts/pack.json": `{"files":{"cat":"cat.png"},"pack":{"license":"CC0"}}`, "beasts/cat.png": "x",
			"lines/emoji.txt": "dog, dog.png, Loud", "lines/dog.png": "x", "plain/cow.png": "x",
		})
		w.must(emojis.Reload(ctx))
		small, animated := w.pictureOf("png", 8, 8), w.pictureOf("gif", 8, 8)
		for _, add := range []struct {
			pack, code, file string
			picture          []byte
			want             map[string]string
		}{
			{"", "blob", "../../etc/x.exe", small, map[string]string{"blob": "blob.png"}},
			{"custom", "", "dance.png", animated, map[string]string{"blob": "blob.png", "dance": "dance.gif"}},
			{"beasts", "owl", "o", small, map[string]string{"cat": "cat.png", "owl": "owl.png"}},
			{"lines", "fox", "f", small, map[string]string{"dog": "dog.png", "fox": "fox.png"}},
			{"plain", "elk", "e", small, map[string]string{"cow": "cow.png", "elk": "elk.png"}},
		} {
			got, err := w.addEmoji(add.pack, add.code, add.file, add.picture)
			w.must(err)
			w.same("added to "+add.pack, add.want, got)
		}
		w.same("offered", map[string]string{
			"blob": "", "dance": "pack:custom", "cat": "pack:beasts", "owl": "pack:beasts", "dog": "Loud,pack:lines", "fox": "pack:lines", "cow": "pack:plain", "elk": "pack:plain",
		}, w.emojis(ann))
		post, err := ann.Statuses.Post(ctx, api.NewStatus{Status: ":blob: :owl:"})
		w.must(err)
		w.same("of a pack", []string{"cat beasts/cat.png enabled", "owl beasts/owl.png enabled"}, w.listed(api.AdminEmojiQuery{Pack: "beasts"}))
		w.same("with a name", []string{"dog lines/dog.png enabled", "fox lines/fox.png enabled", "owl beasts/owl.png enabled"}, w.listed(api.AdminEmojiQuery{Query: "O", PageSize: 2})[2:]) // blob and cow before

		changed, err := emojis.SetEnabled(ctx, false, "blob", "cat")
		if err != nil || len(changed) != 2 || changed[0].State != api.EmojiDisabled {
			t.Errorf("disabled %+v, %v", changed, err)
		}
		w.same("disabled", []string{"blob custom/blob.png disabled", "cat beasts/cat.png disabled"}, w.listed(api.AdminEmojiQuery{State: api.EmojiDisabled}))
		if got := w.emojis(ann); len(got) != 6 {
			t.Errorf("offered %v", got)
		}
		again, err := ann.Statuses.Post(ctx, api.NewStatus{Status: ":blob: :owl:, again"})
		if err != nil || len(again.Emojis) != 1 {
			t.Errorf("a disabled emoji is written: %+v, %v", again, err)
		}
		before, err := ann.Statuses.Get(ctx, post.ID)
		if err != nil || len(before.Emojis) != 2 {
			t.Fatalf("before: %+v, %v", before, err)
		}
		if status, _, _ := w.page(strings.TrimPrefix(before.Emojis[0].URL, w.Base())); status != 200 {
			t.Errorf("the picture of a disabled emoji: %d", status)
		}
		if _, err := w.addEmoji("plain", "cat", "c", small); client.Status(err) != 409 {
			t.Errorf("added one that is disabled: %v", err)
		}
		if _, err = emojis.SetEnabled(ctx, true, "blob", "cat"); err != nil || len(w.emojis(ann)) != 8 {
			t.Errorf("enabled: %v", err)
		}
		if _, err := os.Stat(filepath.Join(w.DataDir, "static", "emoji", "disabled.txt")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("an empty list: %v", err)
		}
		for pack, code := range map[string]string{"custom": "blob", "beasts": "cat", "lines": "dog", "plain": "cow"} {
			w.must(emojis.Remove(ctx, pack, code))
			if err := emojis.Remove(ctx, pack, code); !errors.Is(err, client.ErrNotFound) {
				t.Errorf("removed %s twice: %v", code, err)
			}
		}
		w.same("left", []string{"dance custom/dance.gif enabled", "elk plain/elk.png enabled", "fox lines/fox.png enabled", "owl beasts/owl.png enabled"}, w.listed(api.AdminEmojiQuery{}))
		left, err := filepath.Glob(filepath.Join(w.DataDir, "static", "emoji", "*", "*"))
		w.must(err)
		for i := range left {
			left[i] = strings.TrimPrefix(left[i], filepath.Join(w.DataDir, "static", "emoji")+"/")
		}
		w.same("files", []string{"beasts/owl.png", "beasts/pack.json", "custom/dance.gif", "lines/emoji.txt", "lines/fox.png", "plain/elk.png"}, left)
		w.wantLog()
	})
}

// TestEmojiThatCannotBeAreRefused: each refusal changes no file.
func TestEmojiThatCannotBeAreRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.draw(w.Server, map[string]string{"custom/taken.png": "x", "broken/pack.json": "{", "beasts/cat.png": "x", "beasts/lost.png": "x", "beasts/pack.json": `{"files":{"cat":"cat.png"}}`})
		outside := filepath.Join(w.DataDir, "outside")
		w.must(os.MkdirAll(outside, 0o755))
		w.must(os.Symlink(outside, filepath.Join(w.DataDir, "static", "emoji", "link")))
		w.must(w.Admin("root").Admin.Emojis.Reload(t.Context()))
		files := func() string {
			var names []string
			w.must(filepath.Walk(w.DataDir, func(path string, info os.FileInfo, err error) error {
				if strings.Contains(path, "emoji/") || strings.Contains(path, "outside") {
					names = append(names, path)
				}
				return err
			}))
			return strings.Join(names, "\n")
		}
		before, small := files(), w.pictureOf("png", 8, 8)
		for _, c := range []struct {
			why, pack, code string
			picture         []byte
			status          int
		}{
			{"a known shortcode", "", "taken", small, 409},
			{"a shortcode with a slash", "", "../x", small, 422},
			{"a shortcode with a space", "", "a b", small, 422},
			{"a long shortcode", "", strings.Repeat("x", 101), small, 422},
			{"no pack", "nothing", "x", small, 404},
			{"a pack above", "..", "x", small, 404},
			{"a pack inside", "beasts/../custom", "x", small, 404},
			{"a hidden pack", ".git", "x", small, 404},
			{"a link out of the folder", "link", "x", small, 404},
			{"a pack whose list is broken", "broken", "x", small, 409},
			{"a file that is there", "beasts", "lost", small, 409},
			{"HTML", "", "x", []byte("<html><script>alert(1)</script>"), 422},
			{"an SVG", "", "x", []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), 422},
			{"a JPEG", "", "x", []byte("\xff\xd8\xff\xe0\x00\x10JFIF"), 422},
			{"nothing", "", "x", []byte{}, 422},
			{"a broken PNG", "", "x", small[:20], 422},
			{"a wide picture", "", "x", w.pictureOf("png", 1025, 1), 422},
			{"a high picture", "", "x", w.pictureOf("gif", 1, 1025), 422},
			{"a long file", "", "x", append(bytes.Clone(small), make([]byte, 256<<10)...), 413},
		} {
			if got, err := w.addEmoji(c.pack, c.code, "x.png", c.picture); client.Status(err) != c.status {
				t.Errorf("%s: %v, %v, want %d", c.why, got, err, c.status)
			}
		}
		w.want("POST", "/api/svc/emoji/packs/files?name=custom&shortcode=x", "", 400, `"Invalid parameters"`)
		w.want("DELETE", "/api/svc/emoji/packs/files?name=custom", "", 400, `"Invalid parameters"`)
		w.want("DELETE", "/api/svc/emoji/packs/files?name=..&shortcode=x", "", 404, `{"error":"Pack .. does not exist"}`)
		w.want("DELETE", "/api/svc/emoji/packs/files?name=beasts&shortcode=taken", "", 404, `{"error":"Emoji \"taken\" does not exist in pack beasts"}`)
		w.want("PATCH", "/emoji", `{"shortcodes":["taken","none"],"enabled":false}`, 404, `{"error":"Emoji \"none\" does not exist"}`)
		for _, body := range []string{`{}`, `{"shortcodes":"taken","enabled":false}`, `{"shortcodes":["taken"]}`, `{"shortcodes":["taken"],"enabled":"maybe"}`} {
			if status, text := w.admin("PATCH", "/emoji", body); status != 400 || !strings.Contains(text, `"Invalid value"`) {
				t.Errorf("%s: %d %s", body, status, text)
			}
		}
		many := `["` + strings.Repeat(`taken","`, 1000) + `taken"]`
		w.want("PATCH", "/emoji", `{"shortcodes":`+many+`,"enabled":false}`, 422, `{"error":"Up to 1000 emoji are changed at once"}`)
		if status, text := w.admin("GET", "/emoji?state=other", ""); status != 400 || !strings.Contains(text, "other - Invalid value for enum.") {
			t.Errorf("a state that there is not: %d %s", status, text)
		}
		w.same("files", before, files())
		if got := w.listed(api.AdminEmojiQuery{State: api.EmojiDisabled}); len(got) != 0 {
			t.Errorf("disabled %v", got)
		}
	})
}

// TestEmojiOfOtherServersAreCopied: those of the latest public posts of a host are
// listed, and the server fetches the picture of one.
func TestEmojiOfOtherServersAreCopied(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, emojis := t.Context(), w.Admin("root").Admin.Emojis
		answers := map[string][]byte{"/blob.png": w.pictureOf("png", 8, 8), "/page": []byte("<html>"), "/long": make([]byte, 300<<10)}
		far := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if raw, ok := answers[r.URL.Path]; ok {
				_, _ = rw.Write(raw)
				return
			}
			rw.WriteHeader(http.StatusNotFound)
		}))
		defer far.Close()
		for i, seen := range []struct{ visibility, code, path string }{
			{"public", "blob", "/old.png"}, {"unlisted", "blob", "/blob.png"}, {"public", "party", "/page"}, {"direct", "secret", "/secret.png"},
		} {
			url := far.URL + seen.path
			s := &db.Status{
				ID: w.eve.ID[:len(w.eve.ID)-2] + "y" + string(rune('a'+i)), URI: new(w.eve.URI + "/s/" + seen.path), AccountID: w.eve.ID, Visibility: seen.visibility, CreatedAt: w.eve.CreatedAt,
				Emojis: db.Slice[db.Emoji]{{Shortcode: seen.code, URL: url, StaticURL: url}},
			}
			w.must(w.DB.CreateStatus(ctx, s))
		}
		w.same("of the host", []string{"blob / remote one.example", "party / remote one.example"}, w.listed(api.AdminEmojiQuery{Host: "ONE.example"}))
		w.same("of another", []string{}, w.listed(api.AdminEmojiQuery{Host: "two.example"}))
		page, err := emojis.List(api.AdminEmojiQuery{Host: "one.example", Query: "blob"}).Page(ctx)
		if err != nil || len(page.Items) != 1 || page.Items[0].URL != far.URL+"/blob.png" {
			t.Fatalf("%+v, %v", page, err)
		}
		got, err := emojis.AddFrom(ctx, api.NewEmoji{Shortcode: "ours", File: page.Items[0].URL})
		w.must(err)
		w.same("copied", map[string]string{"ours": "ours.png"}, got)
		for path, status := range map[string]int{far.URL + "/page": 422, far.URL + "/long": 413, far.URL + "/none": 400, "file:///etc/passwd": 400, "nothing": 400} {
			if _, err := emojis.AddFrom(ctx, api.NewEmoji{Shortcode: "x", File: path}); client.Status(err) != status {
				t.Errorf("%s: %v, want %d", path, err, status)
			}
		}
	})
}

// TestEmojiAreRenamed in each kind of pack: posts keep the picture where it can stay.
func TestEmojiAreRenamed(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, emojis := t.Context(), w.Admin("root").Admin.Emojis
		w.draw(w.Server, map[string]string{
			"beasts/pack.json": `{"files":{"cat":"cat.png","puss":"cat.png","cow":"cow.png"},"pack":{"license":"CC0"}}`, "beasts/cat.png": "x", "beasts/cow.png": "x", "beasts/lost.png": "x",
			"lines/emoji.txt": "# ours\ndog, dog.png, Loud, Big\nelk, elk.png\n", "lines/dog.png": "x", "lines/elk.png": "x", "plain/hen.png": "x", "custom/blob.png": "x",
		})
		found, err := emojis.Scan(ctx)
		w.must(err)
		w.same("found", []string{"beasts", "custom", "lines", "plain"}, found)
		_, err = emojis.SetEnabled(ctx, false, "blob")
		w.must(err)
		before := w.listed(api.AdminEmojiQuery{})
		for _, c := range []struct {
			why    string
			form   api.EmojiRenaming
			status int
		}{
			{"no pack", api.EmojiRenaming{Name: "..", Shortcode: "cat", NewShortcode: "x"}, 404},
			{"no emoji", api.EmojiRenaming{Name: "beasts", Shortcode: "none", NewShortcode: "x"}, 404},
			{"one of another pack", api.EmojiRenaming{Name: "beasts", Shortcode: "dog", NewShortcode: "x"}, 404},
			{"a known shortcode", api.EmojiRenaming{Name: "beasts", Shortcode: "cat", NewShortcode: "dog"}, 409},
			{"a shortcode with a slash", api.EmojiRenaming{Name: "beasts", Shortcode: "cat", NewShortcode: "a/b"}, 422},
			{"a file above", api.EmojiRenaming{Name: "beasts", Shortcode: "cat", NewShortcode: "x", NewFilename: "../x.png"}, 422},
			{"a hidden file", api.EmojiRenaming{Name: "beasts", Shortcode: "cat", NewShortcode: "x", NewFilename: ".png"}, 422},
			{"another ending", api.EmojiRenaming{Name: "beasts", Shortcode: "cat", NewShortcode: "x", NewFilename: "x.html"}, 422},
			{"a file that is there", api.EmojiRenaming{Name: "beasts", Shortcode: "cat", NewShortcode: "x", NewFilename: "lost.png"}, 409},
			{"a file that is not named like it", api.EmojiRenaming{Name: "plain", Shortcode: "hen", NewShortcode: "x", NewFilename: "y.png"}, 409},
			{"nothing new", api.EmojiRenaming{Name: "plain", Shortcode: "hen"}, 400},
		} {
			if got, err := emojis.Rename(ctx, c.form); client.Status(err) != c.status {
				t.Errorf("%s: %v, %v, want %d", c.why, got, err, c.status)
			}
		}
		w.same("after refusals", before, w.listed(api.AdminEmojiQuery{}))
		for _, c := range []struct {
			form api.EmojiRenaming
			want map[string]string
		}{
			{api.EmojiRenaming{Name: "beasts", Shortcode: "cat", NewShortcode: "tom"}, map[string]string{"tom": "cat.png", "puss": "cat.png", "cow": "cow.png"}},
			{api.EmojiRenaming{Name: "beasts", Shortcode: "tom", NewShortcode: "tom", NewFilename: "tom.png"}, map[string]string{"tom": "tom.png", "puss": "tom.png", "cow": "cow.png"}},
			{api.EmojiRenaming{Name: "beasts", Shortcode: "puss", NewShortcode: "cow", Force: true}, map[string]string{"tom": "tom.png", "cow": "tom.png"}},
			{api.EmojiRenaming{Name: "lines", Shortcode: "dog", NewShortcode: "hound", NewFilename: "hound.png"}, map[string]string{"hound": "hound.png", "elk": "elk.png"}},
			{api.EmojiRenaming{Name: "plain", Shortcode: "hen", NewShortcode: "chick"}, map[string]string{"chick": "chick.png"}},
			{api.EmojiRenaming{Name: "custom", Shortcode: "blob", NewShortcode: "drop", NewFilename: "blob.png"}, map[string]string{"drop": "drop.png"}},
		} {
			got, err := emojis.Rename(ctx, c.form)
			w.must(err)
			w.same(c.form.Shortcode+" in "+c.form.Name, c.want, got)
		}
		w.same("all", []string{
			"chick plain/chick.png enabled", "cow beasts/tom.png enabled", "drop custom/drop.png disabled", "elk lines/elk.png enabled", "hound lines/hound.png enabled", "tom beasts/tom.png enabled",
		}, w.listed(api.AdminEmojiQuery{}))
		raw, err := os.ReadFile(filepath.Join(w.DataDir, "static", "emoji", "lines", "emoji.txt"))
		w.must(err)
		w.same("lines", "# ours\nhound, hound.png, Loud, Big\nelk, elk.png\n", string(raw))
		found, err = emojis.Scan(ctx)
		w.must(err)
		w.same("found again", []string{}, found)
		w.wantLog()
	})
}

// TestOnlyAdminsChangeEmoji with a token of the scope.
func TestOnlyAdminsChangeEmoji(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for route, body := range map[string]string{
			"PATCH /emoji": `{"shortcodes":[],"enabled":true}`, "POST /api/svc/emoji/packs/files": `{"shortcode":"x","file":"https://far.example/x.png"}`,
			"PATCH /api/svc/emoji/packs/files": `{"name":"custom","shortcode":"x","new_shortcode":"y"}`, "GET /api/svc/emoji/packs/import": "",
			"DELETE /api/svc/emoji/packs/files": `{"name":"custom","shortcode":"x"}`,
		} {
			method, path, _ := strings.Cut(route, " ")
			for token, want := range map[string]string{
				w.Token("root", "admin:read"):          `{"error":"Insufficient permissions: admin:write."}`,
				w.Token("ann", servertest.AdminScopes): `{"error":"User is not an admin."}`,
				"":                                     `{"error":"Invalid credentials."}`,
			} {
				if status, _, text := w.call(token, method, path, body); status != 403 || text != want {
					t.Errorf("%s: %d %s, want %s", route, status, text, want)
				}
			}
		}
		var form bytes.Buffer
		m := multipart.NewWriter(&form)
		part, _ := m.CreateFormFile("file", "x.png")
		_, _ = part.Write(make([]byte, 2<<20))
		_ = m.Close()
		if status, _, _ := w.act("POST", act{"/api/svc/emoji/packs/files", form.String(), m.FormDataContentType()}, ""); status != 413 {
			t.Errorf("a form of two megabytes: %d", status)
		}
	})
}
