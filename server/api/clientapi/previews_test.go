package clientapi_test

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"svc/client/api"
	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/platform/config"
	"svc/server/rules/social/socialtest"
	"svc/server/servertest"
)

func withPreviews(s *config.Settings) {
	s.MediaProxy.Enabled, s.MediaPreview.Enabled = true, true
	s.MediaPreview.MinContentLength = 1000
}

// large draws a picture with a red upper and a blue lower half. hole makes its
// right half transparent.
func large(width, height int, hole bool) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			c := color.NRGBA{R: 0xff, A: 0xff}
			if y >= height/2 {
				c = color.NRGBA{B: 0xff, A: 0xff}
			}
			if hole && x >= width/2 {
				c.A = 0
			}
			c.G = uint8((x*x*7919 + y*y*104729) >> 4 & 3) // so that it packs less well
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

func asPNG(t testing.TB, img image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// asJPEG is a photo that lies on its side.
func asJPEG(t testing.TB, img image.Image, turn byte) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, nil); err != nil {
		t.Fatal(err)
	}
	exif := "Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00" + string(turn) + "\x00\x00\x00\x00\x00\x00"
	n := len(exif) + 2
	head := append([]byte{0xff, 0xd8, 0xff, 0xe1, byte(n >> 8), byte(n)}, exif...)
	return append(head, out.Bytes()[2:]...)
}

// bomb returns a PNG of few bytes that claims to be huge.
func bomb(t testing.TB) []byte {
	raw := asPNG(t, large(64, 64, false))
	copy(raw[16:], "\x00\x00\x7f\xff\x00\x00\x7f\xff")
	sum := crc32.ChecksumIEEE(raw[12:29])
	copy(raw[29:], []byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)})
	return append(raw, make([]byte, 5000)...)
}

func TestPreviewsAreSmallCopiesOfPicturesOfOtherServers(t *testing.T) {
	var moving bytes.Buffer
	frame := image.NewPaletted(image.Rect(0, 0, 700, 700), color.Palette{color.Black, color.White})
	for i := range frame.Pix {
		frame.Pix[i] = uint8(i * 7 % 11 % 2)
	}
	if err := gif.EncodeAll(&moving, &gif.GIF{Image: []*image.Paletted{frame, frame}, Delay: []int{1, 1}}); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{
		"/wide.png": asPNG(t, large(1200, 400, false)), "/hole.png": asPNG(t, large(400, 1200, true)), "/turned.jpg": asJPEG(t, large(1200, 800, false), 6),
		"/moving.gif": moving.Bytes(), "/small.png": asPNG(t, large(4, 4, false)), "/bomb.png": bomb(t), "/broken.png": asPNG(t, large(900, 900, false))[:3000],
		"/tall.png": asPNG(t, large(20, 20000, false)),
	}
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		var asked atomic.Int32
		origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			if files[r.URL.Path] == nil {
				http.NotFound(w, r)
				return
			}
			_, _ = w.Write(files[r.URL.Path])
		}))
		t.Cleanup(origin.Close)
		posts := 0
		far := remote(t, s, "", "")
		shown := func(path string) api.Attachment {
			t.Helper()
			posts++
			status := socialtest.Post(t, s.Social, far, db.Public, activitypub.Post{
				ID: fmt.Sprintf("https://far.example/%d", posts), Content: "<p>look</p>",
				Attachments: []activitypub.Attachment{{Kind: "image", URL: origin.URL + path}},
			})
			got, err := s.Anonymous().Statuses.Get(t.Context(), status.ID)
			if err != nil {
				t.Fatal(err)
			}
			return got.MediaAttachments[0]
		}
		for path, want := range map[string]struct {
			kind          string
			width, height int
		}{"/wide.png": {"image/jpeg", 600, 200}, "/hole.png": {"image/png", 200, 600}, "/turned.jpg": {"image/jpeg", 400, 600}, "/tall.png": {"image/jpeg", 1, 600}} {
			m := shown(path)
			if !strings.HasPrefix(m.PreviewURL, s.Base()+"/proxy/preview/") || !strings.HasSuffix(m.PreviewURL, path) || m.URL == m.PreviewURL {
				t.Errorf("%s: %+v", path, m)
			}
			for range 2 {
				resp, body := fetch(t, "GET", m.PreviewURL)
				img, _, err := image.Decode(strings.NewReader(body))
				if err != nil {
					t.Errorf("%s: %d %v %.60q, %v", path, resp.StatusCode, resp.Header, body, err)
					continue
				}
				if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != want.kind || resp.Header.Get("X-Content-Type-Options") != "nosniff" ||
					resp.Header.Get("Cache-Control") != "public, max-age=1209600" || img.Bounds() != image.Rect(0, 0, want.width, want.height) {
					t.Errorf("%s: %d %v %v", path, resp.StatusCode, resp.Header, img.Bounds())
					continue
				}
				// The upper half is red; turned to the right, the right half is.
				x, y := 0, 0
				if path == "/turned.jpg" {
					x = want.width - 1
				}
				if r, _, b, _ := img.At(x, y).RGBA(); r < 0xe000 || b > 0x2000 {
					t.Errorf("%s: the upper half is %v", path, img.At(x, y))
				}
				if _, _, _, a := img.At(want.width-1, 0).RGBA(); (a == 0) != (path == "/hole.png") {
					t.Errorf("%s: seen through: %v", path, a)
				}
			}
		}
		if n := asked.Load(); n != 4 {
			t.Errorf("asked %d times for four files", n)
		}
		for path := range map[string]bool{"/moving.gif": true, "/small.png": true, "/bomb.png": true, "/broken.png": true} {
			m := shown(path)
			for range 2 {
				if resp, _ := fetch(t, "GET", m.PreviewURL); resp.StatusCode != 302 || resp.Header.Get("Location") != m.URL {
					t.Errorf("%s: %d to %s, want %s", path, resp.StatusCode, resp.Header.Get("Location"), m.URL)
				}
			}
		}
		m := shown("/wide.png?2")
		if resp, _ := fetch(t, "GET", strings.Replace(m.PreviewURL, "/proxy/preview/", "/proxy/preview/A", 1)); resp.StatusCode != 404 {
			t.Errorf("forged: %d", resp.StatusCode)
		}
		if resp, _ := fetch(t, "GET", shown("/none.png").PreviewURL); resp.StatusCode != 404 {
			t.Errorf("not there: %d", resp.StatusCode)
		}

		// A ban of a file bans its preview, cached or not.
		admin := s.Admin("root").Admin
		if err := admin.Media.Purge(t.Context(), true, origin.URL+"/wide.png"); err != nil {
			t.Fatal(err)
		}
		if resp, body := fetch(t, "GET", shown("/wide.png").PreviewURL); resp.StatusCode != 404 || body != "Not Found" {
			t.Errorf("banned: %d %s", resp.StatusCode, body)
		}

		// A setting takes effect with the next request.
		set(t, s, ":media_preview_proxy", ":thumbnail_max_width", 50, ":thumbnail_max_height", 50, ":image_quality", 1)
		resp, body := fetch(t, "GET", shown("/turned.jpg").PreviewURL)
		if c, _, err := image.DecodeConfig(strings.NewReader(body)); err != nil || c.Width != 33 || c.Height != 50 {
			t.Errorf("smaller: %d %+v, %v", resp.StatusCode, c, err)
		}
		set(t, s, ":media_preview_proxy", ":min_content_length", 10_000_000)
		set(t, s, ":media_preview_proxy", ":thumbnail_max_width", 51)
		if resp, _ := fetch(t, "GET", shown("/turned.jpg").PreviewURL); resp.StatusCode != 302 {
			t.Errorf("short enough to be shown itself: %d", resp.StatusCode)
		}
		before := shown("/turned.jpg").PreviewURL
		set(t, s, ":media_preview_proxy", ":enabled", false)
		if m := shown("/turned.jpg"); m.PreviewURL != m.URL {
			t.Errorf("switched off: %+v", m)
		}
		if resp, _ := fetch(t, "GET", before); resp.StatusCode != 302 || resp.Header.Get("Location") != shown("/turned.jpg").URL {
			t.Errorf("switched off: %d", resp.StatusCode)
		}
	}, withPreviews)
}

// set saves settings of a key of the group :svc, as an admin does.
func set(t *testing.T, s *servertest.Server, key string, pairs ...any) {
	t.Helper()
	list := make([]any, 0, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, map[string]any{"tuple": []any{pairs[i], pairs[i+1]}})
	}
	setIn(t, s, ":svc", key, list)
}

func setIn(t *testing.T, s *servertest.Server, group, key string, value any) {
	t.Helper()
	if _, err := s.Admin("root").Admin.Config.Set(t.Context(), group, key, value); err != nil {
		t.Fatal(err)
	}
}

func TestPreviewsAreMadeOfOurOwnPicturesToo(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ann := s.Client("ann").Media
		up, err := ann.Upload(t.Context(), file("x.png", asPNG(t, large(900, 300, false))), api.MediaForm{})
		if err != nil || !strings.HasPrefix(up.PreviewURL, s.Base()+"/proxy/preview/") || !strings.HasPrefix(up.URL, s.Base()+"/media/") {
			t.Fatalf("%+v, %v", up, err)
		}
		resp, body := fetch(t, "GET", up.PreviewURL)
		if c, kind, err := image.DecodeConfig(strings.NewReader(body)); err != nil || c.Width != 600 || c.Height != 200 || kind != "jpeg" {
			t.Errorf("%d %+v %s, %v", resp.StatusCode, c, kind, err)
		}
		small, err := ann.Upload(t.Context(), file("x.png", pngOf(t, 1)), api.MediaForm{})
		if resp, _ := fetch(t, "GET", small.PreviewURL); err != nil || resp.StatusCode != 302 || resp.Header.Get("Location") != small.URL {
			t.Errorf("%d %s, %v", resp.StatusCode, resp.Header.Get("Location"), err)
		}
		if err := s.Admin("root").Admin.Media.Purge(t.Context(), true, up.URL); err != nil {
			t.Fatal(err)
		}
		for _, url := range []string{up.URL, up.PreviewURL} {
			if resp, body := fetch(t, "GET", url); resp.StatusCode != 404 || body != "Not Found" {
				t.Errorf("%s banned: %d", url, resp.StatusCode)
			}
		}
		list, err := s.Admin("root").Admin.Media.Bans(api.MediaBanQuery{}).Page(t.Context())
		if got := fmt.Sprint(list.Items); err != nil || got != fmt.Sprint([]string{up.URL, up.PreviewURL}) {
			t.Errorf("bans %s, %v", got, err)
		}
	}, withPreviews, func(s *config.Settings) { s.MediaPreview.MinContentLength = 300 })
}
