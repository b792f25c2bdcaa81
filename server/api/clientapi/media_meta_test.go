package clientapi_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color/palette"
	"image/gif"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/servertest"
)

func refusedWith(t *testing.T, err error, status int) {
	t.Helper()
	if refused := new(client.Error); !errors.As(err, &refused) || refused.Status != status {
		t.Errorf("%v, want %d", err, status)
	}
}

// Pictures are measured as they are shown, whatever their type.
func TestPicturesAreMeasured(t *testing.T) {
	size := func(w, h int, text string) *api.MediaSize {
		return &api.MediaSize{Width: w, Height: h, Size: text, Aspect: float64(w) / float64(h)}
	}
	var moving bytes.Buffer
	frame := image.NewPaletted(image.Rect(0, 0, 30, 10), palette.Plan9)
	if err := gif.EncodeAll(&moving, &gif.GIF{Image: []*image.Paletted{frame, frame}, Delay: []int{1, 1}}); err != nil {
		t.Fatal(err)
	}
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		for name, c := range map[string]struct {
			content []byte
			want    *api.MediaMeta
			blurred bool
		}{
			"a.png":       {asPNG(t, large(900, 300, true)), &api.MediaMeta{Original: size(900, 300, "900x300"), Small: size(600, 200, "600x200")}, true},
			"small.png":   {pngOf(t, 1), &api.MediaMeta{Original: size(8, 8, "8x8"), Small: size(8, 8, "8x8")}, true},
			"turned.jpg":  {asJPEG(t, large(900, 300, false), 6), &api.MediaMeta{Original: size(300, 900, "300x900"), Small: size(200, 600, "200x600")}, true},
			"moving.gif":  {moving.Bytes(), &api.MediaMeta{Original: size(30, 10, "30x10"), Small: size(30, 10, "30x10")}, true},
			"too big.png": {asPNG(t, image.NewPaletted(image.Rect(0, 0, 6000, 5000), palette.Plan9)), &api.MediaMeta{Original: size(6000, 5000, "6000x5000"), Small: size(6000, 5000, "6000x5000")}, false},
			"a.txt":       {[]byte("text"), &api.MediaMeta{}, false},
		} {
			up, err := s.Client("ann").Media.Upload(t.Context(), file(name, c.content), api.MediaForm{})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if diff := cmp.Diff(c.want, up.Meta); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
			// A hash of 4 by 3 parts has 28 characters, and says so in the first.
			if got := up.Blurhash; (got != nil) != c.blurred || got != nil && (len(*got) != 28 || (*got)[0] != 'L') {
				t.Errorf("%s: blurhash %v", name, got)
			}
		}
	}, withPreviews, func(s *config.Settings) { s.MediaPreview.MinContentLength = 300 })
}

func TestAFocusIsAPairOfNumbers(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann := t.Context(), s.Client("ann")
		focus := func(x, y float64) *api.MediaFocus { return &api.MediaFocus{X: x, Y: y} }
		up, err := ann.Media.Upload(ctx, file("a.png", pngOf(t, 1)), api.MediaForm{Focus: new("-0.5, 1")})
		if err != nil || cmp.Diff(focus(-0.5, 1), up.Meta.Focus) != "" {
			t.Fatalf("%+v, %v", up, err)
		}
		for _, bad := range []string{"x", "1", "1,", ",1", "1,2", "-1.01,0", "NaN,0", "0,0,0", "Inf,0"} {
			_, err := ann.Media.Upload(ctx, file("b.png", pngOf(t, 2)), api.MediaForm{Focus: &bad})
			refusedWith(t, err, http.StatusUnprocessableEntity)
			_, err = ann.Media.Update(ctx, up.ID, api.MediaForm{Focus: &bad, Description: new("changed")})
			refusedWith(t, err, http.StatusUnprocessableEntity)
		}
		if got, err := ann.Media.Get(ctx, up.ID); err != nil || got.Description != nil || cmp.Diff(focus(-0.5, 1), got.Meta.Focus) != "" {
			t.Errorf("a refusal changes %+v, %v", got, err)
		}
		if got, err := ann.Media.Update(ctx, up.ID, api.MediaForm{Focus: new("0.25,-1.0")}); err != nil || cmp.Diff(focus(0.25, -1), got.Meta.Focus) != "" {
			t.Errorf("%+v, %v", got, err)
		}
		if got, err := ann.Media.Update(ctx, up.ID, api.MediaForm{Description: new("x")}); err != nil || cmp.Diff(focus(0.25, -1), got.Meta.Focus) != "" {
			t.Errorf("%+v, %v", got, err)
		}
		post, err := ann.Statuses.Post(ctx, api.NewStatus{Status: "x", MediaIDs: []string{up.ID}})
		if err != nil || cmp.Diff(focus(0.25, -1), post.MediaAttachments[0].Meta.Focus) != "" {
			t.Fatalf("%+v, %v", post, err)
		}
		form := api.StatusForm{Status: "x", MediaIDs: []string{up.ID}, MediaAttributes: []api.MediaAttributes{{ID: up.ID, Focus: new("0,0")}}}
		for range 2 {
			post, err = ann.Statuses.Edit(ctx, post.ID, form)
			if err != nil || cmp.Diff(focus(0, 0), post.MediaAttachments[0].Meta.Focus) != "" || *post.MediaAttachments[0].Description != "x" {
				t.Fatalf("%+v, %v", post, err)
			}
		}
		all, err := ann.Statuses.History(ctx, post.ID)
		if err != nil || len(all) != 2 || cmp.Diff(focus(0.25, -1), all[0].MediaAttachments[0].Meta.Focus) != "" || all[0].MediaAttachments[0].Meta.Original == nil {
			t.Errorf("%+v, %v", all, err)
		}
		form.MediaAttributes[0].Focus = new("9,9")
		_, err = ann.Statuses.Edit(ctx, post.ID, form)
		refusedWith(t, err, http.StatusUnprocessableEntity)
	})
}

func TestAnUnusedUploadCanBeDeleted(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, bob := t.Context(), s.Client("ann"), s.Client("bob")
		put := func(c *client.Client, seed byte) *api.Attachment {
			t.Helper()
			up, err := c.Media.Upload(ctx, file("a.png", pngOf(t, seed)), api.MediaForm{})
			if err != nil {
				t.Fatal(err)
			}
			return up
		}
		shown := func(up *api.Attachment) int { resp, _ := fetch(t, "GET", up.URL); return resp.StatusCode }
		mine, shared, theirs, used := put(ann, 1), put(ann, 2), put(bob, 2), put(ann, 3)
		if _, err := ann.Statuses.Post(ctx, api.NewStatus{MediaIDs: []string{used.ID}}); err != nil {
			t.Fatal(err)
		}
		later, err := ann.Statuses.Schedule(ctx, api.NewStatus{Status: "x", MediaIDs: []string{put(ann, 4).ID}, ScheduledAt: time.Now().Add(time.Hour).UTC().Format(time.RFC3339)})
		if err != nil {
			t.Fatal(err)
		}
		refusedWith(t, ann.Media.Delete(ctx, used.ID), http.StatusUnprocessableEntity)
		refusedWith(t, ann.Media.Delete(ctx, later.MediaAttachments[0].ID), http.StatusUnprocessableEntity)
		for _, id := range []string{theirs.ID, "9999", "x"} {
			refusedWith(t, ann.Media.Delete(ctx, id), http.StatusNotFound)
		}
		for _, up := range []*api.Attachment{mine, shared} {
			if err := ann.Media.Delete(ctx, up.ID); err != nil {
				t.Error(err)
			}
			refusedWith(t, ann.Media.Delete(ctx, up.ID), http.StatusNotFound)
		}
		if got := [3]int{shown(mine), shown(shared), shown(used)}; got != [3]int{404, 200, 200} {
			t.Errorf("the deleted file, one that another has too, one in use: %v", got)
		}
	})
}

// Pictures of earlier releases are measured in the background: where they are shown,
// once, and from where an interrupted job stopped.
func TestOldPicturesAreMeasured(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann := t.Context(), s.Client("ann")
		upload := func(name string, content []byte) *api.Attachment {
			t.Helper()
			up, err := ann.Media.Upload(ctx, file(name, content), api.MediaForm{})
			if err != nil {
				t.Fatal(err)
			}
			return up
		}
		shown, spare, broken, words := upload("a.png", pngOf(t, 1)), upload("b.png", pngOf(t, 2)), upload("c.png", pngOf(t, 3)), upload("d.txt", []byte("text"))
		status := post(t, ann, api.NewStatus{Status: "look", MediaIDs: []string{shown.ID}})
		old := func() {
			t.Helper()
			for _, statement := range []string{
				"UPDATE media_attachments SET width = 0, height = 0, blurhash = ''", "UPDATE statuses SET url = url",
				"DELETE FROM meta WHERE key = 'measure_media'", "INSERT INTO meta (key, value) VALUES ('measure_media', '')",
			} {
				if err := dbtest.Exec(t, s.DB, statement); err != nil {
					t.Fatal(err)
				}
			}
		}
		old()
		if err := dbtest.Exec(t, s.DB, "UPDATE media_attachments SET file = 'gone.png' WHERE id = "+broken.ID); err != nil {
			t.Fatal(err)
		}
		get := func() *api.Attachment {
			t.Helper()
			got, err := ann.Statuses.Get(ctx, status.ID)
			if err != nil {
				t.Fatal(err)
			}
			return &got.MediaAttachments[0]
		}
		if before := get(); before.Meta != nil || before.Blurhash != nil {
			t.Fatalf("not old: %+v", before)
		}
		ended, end := context.WithCancel(ctx)
		end()
		if err := s.Media.MeasureOld(ended); err == nil {
			t.Error("an interrupted job says that it is done")
		}
		if err := s.Media.MeasureOld(ctx); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(shown.Meta, get().Meta); diff != "" || get().Blurhash == nil || *get().Blurhash != *shown.Blurhash {
			t.Errorf("the shown one: %s %v", diff, get().Blurhash)
		}
		if got, err := ann.Media.Get(ctx, spare.ID); err != nil || cmp.Diff(spare.Meta, got.Meta) != "" {
			t.Errorf("the unused one: %v %+v", err, got)
		}
		if got, err := ann.Media.Get(ctx, broken.ID); err != nil || got.Meta != nil || got.Blurhash != nil {
			t.Errorf("the one without a file: %v %+v", err, got)
		}
		if got, err := ann.Media.Get(ctx, words.ID); err != nil || got.Meta == nil || got.Meta.Original != nil {
			t.Errorf("a text: %v %+v", err, got)
		}

		version := func() (n int64) {
			if err := s.DB.Writer().QueryRowContext(ctx, "SELECT version FROM statuses WHERE id = '"+status.ID+"'").Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		was := version()
		if err := s.Media.MeasureOld(ctx); err != nil {
			t.Fatal(err)
		}
		if err := dbtest.Exec(t, s.DB, "INSERT INTO meta (key, value) VALUES ('measure_media', '')"); err != nil {
			t.Errorf("the walk has not ended: %v", err)
		}
		if err := s.Media.MeasureOld(ctx); err != nil || version() != was {
			t.Errorf("what is measured is touched again: %v", err)
		}
	})
}
