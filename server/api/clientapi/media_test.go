package clientapi_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/server/platform/config"
	"svc/server/servertest"
)

// pngOf is a picture that depends on the seed.
func pngOf(t testing.TB, seed byte) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 8, 8))
	for i := range m.Pix {
		m.Pix[i] = byte(i) ^ seed | 0x80
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func jpegOf(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 16, 16)), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func file(name string, content []byte) client.File {
	return client.File{Name: name, Content: bytes.NewReader(content)}
}

// fetch gets a URL as a browser would, with headers in pairs.
func fetch(t testing.TB, method, url string, headers ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

func headersOf(resp *http.Response, names ...string) map[string]string {
	out := map[string]string{}
	for _, name := range names {
		out[name] = resp.Header.Get(name)
	}
	return out
}

func TestAFileIsUploadedDescribedShownAndFetched(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, bob := s.Client("ann"), s.Client("bob")
		words := "a square"
		content := pngOf(t, 1)
		up, err := ann.Media.Upload(ctx, file("x.html", content), api.MediaForm{Description: &words})
		if err != nil {
			t.Fatal(err)
		}
		url := up.URL
		if !strings.HasPrefix(url, s.Base()+"/media/") || !strings.HasSuffix(url, ".png") || len(url) != len(s.Base())+len("/media/")+64+4 {
			t.Fatalf("URL %s", url)
		}
		want := &api.Attachment{
			ID: up.ID, Type: "image", URL: url, PreviewURL: url, TextURL: url, Description: &words,
			Blurhash: new("LeTIzO~hf7~h~ht4fQt4fQfQfQfQ"), Svc: api.AttachmentSvc{MimeType: "image/png"},
		}
		square := &api.MediaSize{Width: 8, Height: 8, Size: "8x8", Aspect: 1}
		want.Meta = &api.MediaMeta{Original: square, Small: square}
		if diff := cmp.Diff(want, up); diff != "" {
			t.Error(diff)
		}
		again, err := bob.Media.UploadV2(ctx, file("y.jpg", content), api.MediaForm{})
		if err != nil || again.URL != url || again.ID == up.ID || again.Description != nil {
			t.Errorf("the same file again: %+v, %v", again, err)
		}
		if got, err := ann.Media.Get(ctx, up.ID); err != nil || cmp.Diff(up, got) != "" {
			t.Errorf("read back: %+v, %v", got, err)
		}
		_, raw := fetch(t, "GET", s.URL+"/api/v1/media/"+up.ID, "Authorization", "Bearer "+s.Token("ann", servertest.AllScopes))
		golden(t, "attachment", strings.ReplaceAll(strings.Replace(raw, `"id":"`+up.ID+`"`, `"id":"1"`, 1), s.Base(), "https://svc.example"))
		for what, err := range map[string]error{
			"read":     err1(bob.Media.Get(ctx, up.ID)),
			"describe": err1(bob.Media.Update(ctx, up.ID, api.MediaForm{Description: &words})),
		} {
			if status(err) != 404 {
				t.Errorf("bob may %s it: %v", what, err)
			}
		}
		if _, err := ann.Media.Get(ctx, "123456"); status(err) != 404 {
			t.Errorf("an unknown file: %v", err)
		}

		// A file of a posted status can still get another description.
		post, err := ann.Statuses.Post(ctx, api.NewStatus{MediaIDs: []string{up.ID}})
		if err != nil || len(post.MediaAttachments) != 1 || cmp.Diff(*up, post.MediaAttachments[0]) != "" {
			t.Fatalf("%+v, %v", post, err)
		}
		boost, err := bob.Statuses.Reblog(ctx, post.ID, api.NewReblog{})
		if err != nil {
			t.Fatal(err)
		}
		other := "a red square"
		if _, err := ann.Media.Update(ctx, up.ID, api.MediaForm{Description: &other}); err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{post.ID, boost.ID} {
			shown, err := bob.Statuses.Get(ctx, id)
			if err != nil || len(shown.MediaAttachments) != 1 || *shown.MediaAttachments[0].Description != other {
				t.Errorf("%+v, %v", shown, err)
			}
		}
		if _, err := ann.Statuses.Post(ctx, api.NewStatus{Status: "again", MediaIDs: []string{up.ID}}); status(err) != 422 {
			t.Errorf("shown twice: %v", err)
		}
		if _, err := ann.Statuses.Post(ctx, api.NewStatus{Status: "his", MediaIDs: []string{again.ID}}); status(err) != 422 {
			t.Errorf("shown by another: %v", err)
		}

		resp, body := fetch(t, "GET", url)
		shown, err := png.Decode(strings.NewReader(body))
		if resp.StatusCode != 200 || err != nil || shown.Bounds() != image.Rect(0, 0, 8, 8) {
			t.Fatalf("%d, %v", resp.StatusCode, err)
		}
		name := strings.TrimSuffix(url[strings.LastIndex(url, "/")+1:], ".png")
		wantHeaders := map[string]string{
			"Content-Type": "image/png", "X-Content-Type-Options": "nosniff", "Cache-Control": "public, max-age=31536000, immutable",
			"Etag": `"` + name + `"`, "Accept-Ranges": "bytes", "Content-Disposition": "",
			"Content-Security-Policy": "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox",
		}
		names := []string{"Content-Type", "X-Content-Type-Options", "Cache-Control", "Etag", "Accept-Ranges", "Content-Disposition", "Content-Security-Policy"}
		if diff := cmp.Diff(wantHeaders, headersOf(resp, names...)); diff != "" {
			t.Error(diff)
		}
		if resp, got := fetch(t, "GET", url, "Range", "bytes=1-3"); resp.StatusCode != 206 || got != "PNG" {
			t.Errorf("a range: %d %q", resp.StatusCode, got)
		}
		if resp, got := fetch(t, "GET", url, "If-None-Match", `"`+name+`"`); resp.StatusCode != 304 || got != "" {
			t.Errorf("unchanged: %d %q", resp.StatusCode, got)
		}
		if resp, got := fetch(t, "HEAD", url); resp.StatusCode != 200 || got != "" || resp.ContentLength != int64(len(body)) {
			t.Errorf("head: %d %q", resp.StatusCode, got)
		}
		for _, wrong := range []string{"/media/" + strings.Repeat("0", 64) + ".png", "/media/..%2f..%2fsvc.db", "/media/incoming", "/media/" + name + ".html"} {
			if resp, _ := fetch(t, "GET", s.URL+wrong); resp.StatusCode != 404 {
				t.Errorf("%s: %d", wrong, resp.StatusCode)
			}
		}
	})
}

func err1[T any](_ T, err error) error { return err }

// TestAFileThatWasCutOffIsNotGivenOut: a file that lost its end, to a full disk
// or a bad copy, is not sent as the whole: neither an upload nor a file that no
// attachment names.
func TestAFileThatWasCutOffIsNotGivenOut(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann := t.Context(), s.Client("ann")
		up, err := ann.Media.Upload(ctx, file("x.png", pngOf(t, 4)), api.MediaForm{})
		if err != nil {
			t.Fatal(err)
		}
		avatar := "data:image/png;base64," + base64.StdEncoding.EncodeToString(pngOf(t, 5))
		me, err := ann.Accounts.UpdateCredentials(ctx, api.UpdateCredentials{Avatar: &avatar})
		if err != nil {
			t.Fatal(err)
		}
		for what, address := range map[string]string{"an upload": up.URL, "a picture": me.Avatar} {
			name := path.Base(address)
			at := filepath.Join(s.DataDir, "uploads", name[:2], name)
			whole, err := os.ReadFile(at)
			if err != nil {
				t.Fatal(err)
			}
			for how, content := range map[string][]byte{"cut off": whole[:len(whole)/2], "emptied": nil, "longer": append(whole[:len(whole):len(whole)], 'x')} {
				if err := os.WriteFile(at, content, 0o600); err != nil {
					t.Fatal(err)
				}
				resp, body := fetch(t, "GET", address)
				if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" || strings.Contains(resp.Header.Get("Cache-Control"), "public") || len(s.Log.Lines("level=ERROR", name)) == 0 {
					t.Errorf("%s, %s: %d %v %.100q", what, how, resp.StatusCode, resp.Header, body)
				}
			}
			if err := os.WriteFile(at, whole, 0o600); err != nil {
				t.Fatal(err)
			}
			if resp, body := fetch(t, "GET", address); resp.StatusCode != http.StatusOK || body != string(whole) {
				t.Errorf("%s, whole: %d", what, resp.StatusCode)
			}
		}
	})
}

func TestSeveralFilesKeepTheirOrder(t *testing.T) {
	s := servertest.Start(t)
	ann := s.Client("ann")
	var ids, urls []string
	for i := range 6 {
		up, err := ann.Media.Upload(t.Context(), file("x", pngOf(t, byte(i))), api.MediaForm{})
		if err != nil {
			t.Fatal(err)
		}
		ids, urls = append([]string{up.ID}, ids...), append([]string{up.URL}, urls...)
	}
	post, err := ann.Statuses.Post(t.Context(), api.NewStatus{MediaIDs: ids})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range post.MediaAttachments {
		got = append(got, m.URL)
	}
	if diff := cmp.Diff(urls, got); diff != "" {
		t.Error(diff)
	}
}

func TestFilesAreNoLongerThanTheLimitsAllow(t *testing.T) {
	s := servertest.Start(t, func(s *config.Settings) {
		s.Instance.UploadLimit, s.Instance.DescriptionLimit = 2000, 5
	})
	ann := s.Client("ann")
	upload := func(n int, description string) error {
		return err1(ann.Media.Upload(t.Context(), file("x", bytes.Repeat([]byte("x"), n)), api.MediaForm{Description: &description}))
	}
	for name, c := range map[string]struct {
		err    error
		status int
		text   string
	}{
		"as long as allowed":   {upload(2000, "12345"), 0, ""},
		"a byte longer":        {upload(2001, ""), 400, "file_too_large"},
		"longer than any form": {upload(3<<20, ""), 400, "file_too_large"},
		"a long description":   {upload(10, "123456"), 400, "description_too_long"},
		"an empty file":        {upload(0, ""), 422, "The file is empty"},
	} {
		if status(c.err) != c.status || c.status != 0 && !strings.Contains(c.err.Error(), c.text) {
			t.Errorf("%s: %v", name, c.err)
		}
	}
	// A body whose announced length is too long is not read.
	req, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+"/api/v1/media", bytes.NewReader(make([]byte, 4<<20)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.Token("ann", servertest.AllScopes))
	req.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil || resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("%v, %v", resp, err)
	}
	entries, err := os.ReadDir(filepath.Join(s.DataDir, "uploads", "incoming"))
	if err != nil || len(entries) != 0 {
		t.Errorf("%d unfinished files are left, %v", len(entries), err)
	}
}

// hostile are files with a false type.
func hostile(t testing.TB) map[string][]byte {
	var gifs bytes.Buffer
	if err := gif.Encode(&gifs, image.NewPaletted(image.Rect(0, 0, 2, 2), color.Palette{color.Black, color.White}), nil); err != nil {
		t.Fatal(err)
	}
	script := "<script>alert(document.domain)</script>"
	return map[string][]byte{
		"page.png":      []byte("<!DOCTYPE html><html>" + script + "</html>"),
		"page.jpg":      []byte("  \n<html><body onload=alert(1)>"),
		"script.svg":    []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`),
		"document.xml":  []byte(`<?xml version="1.0"?><x:html xmlns:x="http://www.w3.org/1999/xhtml">` + script + `</x:html>`),
		"script.js":     []byte("alert(document.domain)"),
		"style.css":     []byte("body{background:url(//evil.example)}"),
		"document.pdf":  []byte("%PDF-1.7\n1 0 obj<</OpenAction<</S/JavaScript/JS(app.alert(1))>>>>"),
		"archive.zip":   []byte("PK\x03\x04" + strings.Repeat("\x00", 40)),
		"polyglot.gif":  []byte("GIF89a/*" + strings.Repeat("x", 20) + "*/=1;alert(1)//"),
		"tail.gif":      append(gifs.Bytes(), script...),
		"tail.jpg":      append(jpegOf(t), script...),
		"tail.png":      append(pngOf(t, 9), "PK\x03\x04"+script...),
		"mp3.html":      []byte("ID3\x04\x00\x00\x00\x00\x00\x00" + script),
		"flash.swf":     []byte("CWS\x0a" + script),
		"wasm":          []byte("\x00asm\x01\x00\x00\x00"),
		"utf7.txt":      []byte("+ADw-script+AD4-alert(1)+ADw-/script+AD4-"),
		"utf16.txt":     []byte("\xff\xfe<\x00s\x00c\x00r\x00i\x00p\x00t\x00>\x00"),
		"cut.png":       pngOf(t, 3)[:50],
		"cut.webp":      []byte("RIFF\xff\xff\xff\x7fWEBPVP8 "),
		"matroska.webm": []byte("\x1a\x45\xdf\xa3\x9fwebm" + script),
	}
}

func TestHostileFilesComeOutHarmless(t *testing.T) {
	s := servertest.Start(t)
	ann := s.Client("ann")
	for name, content := range hostile(t) {
		up, err := ann.Media.Upload(t.Context(), file(name, content), api.MediaForm{})
		if err != nil {
			if status(err) != 422 || !strings.HasPrefix(name, "cut.") && name != "polyglot.gif" && name != "matroska.webm" {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		resp, body := fetch(t, "GET", up.URL)
		got := headersOf(resp, "Content-Type", "Content-Disposition", "X-Content-Type-Options")
		shown := got["Content-Type"]
		switch {
		case strings.HasPrefix(shown, "image/"), strings.HasPrefix(shown, "audio/"):
			if name != "mp3.html" && strings.Contains(body, "<script") {
				t.Errorf("%s still holds what was behind it", name)
			}
			if !strings.HasPrefix(shown, up.Type+"/") {
				t.Errorf("%s is %s, and served as %s", name, up.Type, shown)
			}
		case shown == "application/octet-stream" && got["Content-Disposition"] == "attachment" && up.Type == "unknown":
		default:
			t.Errorf("%s is served as %v", name, got)
		}
		if strings.Contains(shown, "svg") || strings.Contains(shown, "xml") || strings.Contains(shown, "html") || got["X-Content-Type-Options"] != "nosniff" ||
			!strings.Contains(resp.Header.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%s is served as %v", name, resp.Header)
		}
	}
}

func TestWhereAPhotoWasTakenIsNotKept(t *testing.T) {
	s := servertest.Start(t)
	plain := jpegOf(t)
	photo := append([]byte("\xff\xd8\xff\xe1\x00\x24Exif\x00\x00II*\x00 52.5200N 13.4050E SECRET"), plain[2:]...)
	up, err := s.Client("ann").Media.Upload(t.Context(), file("photo.jpg", photo), api.MediaForm{})
	if err != nil {
		t.Fatal(err)
	}
	if _, body := fetch(t, "GET", up.URL); body != string(plain) {
		t.Errorf("%d bytes became %d", len(photo), len(body))
	}
}

func TestPicturesOfAccountsComeAsFilesOrText(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann := s.Client("ann")
		before, err := ann.Accounts.Verify(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if before.Avatar != s.Base()+"/images/avi.png" || before.Header != s.Base()+"/images/banner.png" || before.Svc.BackgroundImage != nil {
			t.Errorf("default pictures %s %s %v", before.Avatar, before.Header, before.Svc.BackgroundImage)
		}
		one, two, three := file("a.png", pngOf(t, 1)), file("b.png", pngOf(t, 2)), file("c.jpg", jpegOf(t))
		got, err := ann.Accounts.SetPictures(ctx, client.Pictures{Avatar: &one, Header: &two, Background: &three})
		if err != nil {
			t.Fatal(err)
		}
		for url, ending := range map[string]string{got.Avatar: ".png", got.Header: ".png", *got.Svc.BackgroundImage: ".jpg"} {
			if resp, body := fetch(t, "GET", url); resp.StatusCode != 200 || len(body) == 0 || !strings.HasSuffix(url, ending) {
				t.Errorf("%s: %d", url, resp.StatusCode)
			}
		}
		if got.AvatarStatic != got.Avatar || got.HeaderStatic != got.Header || got.Avatar == got.Header {
			t.Errorf("%s %s %s %s", got.Avatar, got.AvatarStatic, got.Header, got.HeaderStatic)
		}
		// Others see it, and only the fields in the request change.
		data := "data:image/gif;base64," + base64.StdEncoding.EncodeToString(pngOf(t, 4))
		after, err := ann.Accounts.UpdateCredentials(ctx, api.UpdateCredentials{Header: &data})
		if err != nil || after.Avatar != got.Avatar || after.Header == got.Header || !strings.HasSuffix(after.Header, ".png") {
			t.Errorf("%+v, %v", after, err)
		}
		seen, err := s.Client("bob").Accounts.Get(ctx, "ann")
		if err != nil || seen.Header != after.Header {
			t.Errorf("bob sees %s, %v", seen.Header, err)
		}
		none := ""
		reset, err := ann.Accounts.UpdateCredentials(ctx, api.UpdateCredentials{Avatar: &none, Header: &none, Background: &none})
		if err != nil || reset.Avatar != before.Avatar || reset.Header != before.Header || reset.Svc.BackgroundImage != nil {
			t.Errorf("%+v, %v", reset, err)
		}
	})
}

func TestPicturesOfAccountsMustBePicturesWithinTheirLimits(t *testing.T) {
	s := servertest.Start(t, func(s *config.Settings) {
		s.Instance.AvatarUploadLimit, s.Instance.BannerUploadLimit, s.Instance.BackgroundUploadLimit = 1000, 100, 1000
	})
	ann := s.Client("ann")
	text := func(v string) error {
		return err1(ann.Accounts.UpdateCredentials(t.Context(), api.UpdateCredentials{Header: &v}))
	}
	page, large := file("me.png", []byte("<html>")), file("me.png", pngOf(t, 1))
	for name, c := range map[string]struct {
		err  error
		text string
	}{
		"a page":          {err1(ann.Accounts.SetPictures(t.Context(), client.Pictures{Avatar: &page})), "Avatar can only be an image"},
		"a large file":    {err1(ann.Accounts.SetPictures(t.Context(), client.Pictures{Header: &large})), "Header is too large (maximum is 100 bytes)"},
		"a large text":    {text("data:image/png;base64," + base64.StdEncoding.EncodeToString(pngOf(t, 1))), "Header is too large"},
		"an address":      {text("https://evil.example/x.png"), "neither a file nor a data: URI"},
		"text that is no": {text("data:image/png;base64,!!!"), "not valid Base64"},
		"text of a page":  {text("data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte("<html>"))), "Header can only be an image"},
		"another URI":     {text("data:text/html,<script>"), "neither a file nor a data: URI"},
	} {
		if status(c.err) != 422 || !strings.Contains(c.err.Error(), c.text) {
			t.Errorf("%s: %v", name, c.err)
		}
	}
	if got, err := ann.Accounts.Verify(t.Context()); err != nil || got.Avatar != s.Base()+"/images/avi.png" || got.Header != s.Base()+"/images/banner.png" {
		t.Errorf("something changed: %+v, %v", got, err)
	}
}

func TestAMascotIsAPicture(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann := s.Client("ann")
		url := s.Base() + "/images/mascot.png"
		want := &api.Attachment{
			ID: "default", Type: "image", URL: url, PreviewURL: url, TextURL: url, Svc: api.AttachmentSvc{MimeType: "image/png"},
		}
		got, err := ann.Media.Mascot(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if resp, body := fetch(t, "GET", url); resp.StatusCode != 200 || !strings.HasPrefix(body, "\x89PNG") {
			t.Errorf("the default mascot: %d", resp.StatusCode)
		}
		if _, err := ann.Media.SetMascot(ctx, file("m.png", []byte("%PDF-"))); status(err) != 415 || !strings.Contains(err.Error(), "mascots can only be images") {
			t.Errorf("no picture: %v", err)
		}
		for seed := range byte(2) {
			set, err := ann.Media.SetMascot(ctx, file("m.png", pngOf(t, seed)))
			if err != nil {
				t.Fatal(err)
			}
			got, err := ann.Media.Mascot(ctx)
			if err != nil || cmp.Diff(set, got) != "" {
				t.Errorf("%+v, %v", got, err)
			}
			if _, err := ann.Statuses.Post(ctx, api.NewStatus{Status: "x", MediaIDs: []string{set.ID}}); status(err) != 422 {
				t.Errorf("a status shows a mascot: %v", err)
			}
		}
		if other, err := s.Client("bob").Media.Mascot(ctx); err != nil || other.ID != "default" {
			t.Errorf("bob's: %+v, %v", other, err)
		}
	})
}

// TestFormsOfAllClientsAreRead sends forms as browsers and libraries do.
func TestFormsOfAllClientsAreRead(t *testing.T) {
	s := servertest.Start(t)
	token := s.Token("ann", servertest.AllScopes)
	send := func(method, path, auth string, build func(*multipart.Writer)) (int, string) {
		t.Helper()
		var b bytes.Buffer
		form := multipart.NewWriter(&b)
		build(form)
		_ = form.Close()
		req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, &b)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", form.FormDataContentType())
		if auth != "" {
			req.Header.Set("Authorization", "Bearer "+auth)
		}
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		body, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(body)
	}
	add := func(form *multipart.Writer, field, name string, content []byte) {
		part, _ := form.CreateFormFile(field, name)
		_, _ = part.Write(content)
	}
	if code, body := send("POST", "/api/v2/media", token, func(f *multipart.Writer) {
		add(f, "thumbnail", "t.png", pngOf(t, 1))
		add(f, "file", "blob", jpegOf(t))
		_ = f.WriteField("description", "after the file")
		_ = f.WriteField("focus", "0.0,0.5")
	}); code != 202 || !strings.Contains(body, `"description":"after the file"`) || !strings.Contains(body, "image/jpeg") {
		t.Errorf("%d %s", code, body)
	}
	if code, body := send("POST", "/api/v1/media", "", func(f *multipart.Writer) {
		_ = f.WriteField("access_token", token)
		add(f, "file", "x.png", bytes.Repeat(pngOf(t, 2), 1))
	}); code != 200 {
		t.Errorf("a token in the form: %d %s", code, body)
	}
	if code, body := send("POST", "/api/v1/media", token, func(f *multipart.Writer) { _ = f.WriteField("description", "x") }); code != 400 || !strings.Contains(body, "Missing field: file.") {
		t.Errorf("no file: %d %s", code, body)
	}
	// A browser sends a file without a name where none was chosen: it changes
	// nothing. Fields come with an index.
	code, body := send("PATCH", "/api/v1/accounts/update_credentials", token, func(f *multipart.Writer) {
		add(f, "avatar", "me.png", pngOf(t, 5))
		add(f, "header", "", nil)
		_ = f.WriteField("fields_attributes[1][name]", "second")
		_ = f.WriteField("fields_attributes[1][value]", "2")
		_ = f.WriteField("fields_attributes[0][name]", "first")
		_ = f.WriteField("fields_attributes[0][value]", "1")
		_ = f.WriteField("source[privacy]", "unlisted")
		_ = f.WriteField("source[sensitive]", "true")
		_ = f.WriteField("bot", "1")
		_ = f.WriteField("display_name", "Ann")
	})
	var got api.Account
	if err := json.Unmarshal([]byte(body), &got); code != 200 || err != nil {
		t.Fatalf("%d %s", code, body)
	}
	fields := api.List[api.SourceField]{{Name: "first", Value: "1"}, {Name: "second", Value: "2"}}
	if diff := cmp.Diff(fields, got.Source.Fields); diff != "" || !got.Bot || got.DisplayName != "Ann" || got.Source.Privacy != "unlisted" || !got.Source.Sensitive ||
		!strings.Contains(got.Avatar, "/media/") || !strings.Contains(got.Header, "/images/") {
		t.Errorf("%s %s", diff, body)
	}
}
