package adminapi_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/server/servertest"
)

// draw writes files into a service's emoji folder.
func (w *world) draw(s *servertest.Server, files map[string]string) {
	w.t.Helper()
	for name, text := range files {
		path := filepath.Join(s.DataDir, "static", "emoji", name)
		w.must(os.MkdirAll(filepath.Dir(path), 0o755))
		w.must(os.WriteFile(path, []byte(text), 0o644))
	}
}

// emojis returns the public shortcodes and their categories.
func (w *world) emojis(c *client.Client) map[string]string {
	w.t.Helper()
	list, err := c.Emojis.List(w.t.Context())
	w.must(err)
	out := map[string]string{}
	for _, e := range list {
		out[e.Shortcode] = e.Category
	}
	return out
}

// TestReloadedEmojiAreWrittenFromThenOn: lists, packs and new statuses have the
// emoji on disk; earlier statuses keep theirs.
func TestReloadedEmojiAreWrittenFromThenOn(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, ann, root := t.Context(), w.Client("ann"), w.Admin("root")
		say := func() []string {
			t.Helper()
			s, err := ann.Statuses.Post(ctx, api.NewStatus{Status: "hello :wave: :cat: :none:"})
			w.must(err)
			got, err := ann.Statuses.Get(ctx, s.ID)
			w.must(err)
			out := []string{}
			for _, e := range got.Emojis {
				out = append(out, e.Shortcode)
			}
			return out
		}
		if got := say(); len(got) != 0 {
			t.Errorf("before there were any: %v", got)
		}
		w.draw(w.Server, map[string]string{
			"custom/wave.png": "a picture", "beasts/cat.png": "another",
			"beasts/pack.json": `{"files":{"cat":"cat.png","dog":"dog.png"},"pack":{"license":"CC0"}}`,
		})
		if got := w.emojis(ann); len(got) != 0 {
			t.Errorf("before it was reloaded: %v", got)
		}
		w.want("POST", "/reload_emoji", "", 200, `"ok"`)
		if diff := cmp.Diff(map[string]string{"wave": "", "cat": "pack:beasts"}, w.emojis(ann)); diff != "" {
			t.Errorf("then: %s", diff)
		}
		packs, err := ann.Emojis.Packs(ctx, api.EmojiPageQuery{})
		if err != nil || packs.Count != 2 || packs.Packs["beasts"].Pack.License != "CC0" {
			t.Errorf("packs %+v, %v", packs, err)
		}
		if diff := cmp.Diff([]string{"wave", "cat"}, say()); diff != "" {
			t.Errorf("written: %s", diff)
		}
		w.must(os.Remove(filepath.Join(w.DataDir, "static", "emoji", "custom", "wave.png")))
		w.must(root.Admin.Emojis.Reload(ctx))
		if diff := cmp.Diff([]string{"cat"}, say()); diff != "" {
			t.Errorf("written without: %s", diff)
		}
		list, err := ann.Accounts.Statuses(w.ann.ID, api.AccountStatusQuery{}).Page(ctx)
		if err != nil || len(list.Items) != 3 || len(list.Items[1].Emojis) != 2 || len(list.Items[2].Emojis) != 0 {
			t.Errorf("what was written before changed: %v", err)
		}
		w.wantLog()
		for token, want := range map[string]string{
			w.Token("root", "admin:read"): `{"error":"Insufficient permissions: admin:write."}`,
			w.Token("ann", "write"):       `{"error":"User is not an admin."}`,
		} {
			if status, _, text := w.call(token, "POST", "/reload_emoji", ""); status != 403 || text != want {
				t.Errorf("refused: %d %s, want %s", status, text, want)
			}
		}
	})
}

// TestEveryProcessReloadsItsEmoji: each process reads its own folder, as
// several servers of one site do.
func TestEveryProcessReloadsItsEmoji(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		if w.DB.Dialect() != db.Postgres {
			return // one process serves a SQLite file
		}
		second := w.Second(t)
		anonymous := second.Anonymous()
		for round := 1; round <= 2; round++ {
			w.draw(second, map[string]string{fmt.Sprintf("custom/n%d.png", round): "a picture"})
			for end := time.Now().Add(20 * time.Second); len(w.emojis(anonymous)) != round; {
				w.must(w.Admin("root").Admin.Emojis.Reload(t.Context()))
				if time.Now().After(end) {
					t.Fatalf("round %d: the other process has %v", round, w.emojis(anonymous))
				}
			}
		}
	})
}
