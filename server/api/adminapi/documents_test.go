package adminapi_test

import (
	"bytes"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/server/servertest"
)

// page opens an address as a browser would.
func (w *world) page(path string, headers ...string) (status int, body string, header http.Header) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), "GET", w.URL+path, nil)
	w.must(err)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	w.must(err)
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	w.must(err)
	return resp.StatusCode, string(raw), resp.Header
}

func TestDocumentsAreReplacedShownAndGivenUpAgain(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		docs := w.Admin("root").Admin.Documents
		for name, path := range map[string]string{client.InstancePanel: "/instance/panel.html", client.TermsOfService: "/static/terms-of-service.html"} {
			want := &api.Document{URL: w.Base() + path}
			_, before, _ := w.page(path)
			if got, err := docs.Get(ctx, name); err != nil || cmp.Diff(want, got) != "" || !strings.Contains(before, `<a href="/about">`) {
				t.Errorf("%s before: %+v, %v, %q", name, got, err, before)
			}
			if _, err := docs.Delete(ctx, name); !errors.Is(err, client.ErrNotFound) {
				t.Errorf("%s: deleted what is not there: %v", name, err)
			}
			for _, content := range []string{"<h1>" + name + "</h1><script>alert(1)</script>", "", "\xff\x00 no text"} {
				got, err := docs.Set(ctx, name, client.File{Name: "../../x.php", Content: strings.NewReader(content)})
				if err != nil || cmp.Diff(want, got) != "" {
					t.Errorf("%s: %+v, %v", name, got, err)
				}
				status, body, header := w.page(path)
				if status != 200 || body != content || header.Get("Content-Type") != "text/html; charset=utf-8" {
					t.Errorf("%s: %d %q %v", name, status, body, header)
				}
				policy := header.Get("Content-Security-Policy")
				if header.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "; sandbox allow-popups") || strings.Contains(policy, "script") {
					t.Errorf("%s: %v", name, header)
				}
				if status, _, _ := w.page(path, "If-None-Match", header.Get("ETag")); status != 304 {
					t.Errorf("%s unchanged: %d", name, status)
				}
			}
			raw, err := os.ReadFile(filepath.Join(w.DataDir, "static", filepath.FromSlash(path)))
			if err != nil || string(raw) != "\xff\x00 no text" {
				t.Errorf("%s: %q, %v", name, raw, err)
			}
			if got, err := docs.Delete(ctx, name); err != nil || cmp.Diff(want, got) != "" {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
			if _, body, _ := w.page(path); body != before {
				t.Errorf("%s after: %q", name, body)
			}
		}
		left, err := filepath.Glob(filepath.Join(w.DataDir, "static", "*", "*"))
		if err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
		w.wantLog()
	})
}

// form is a multipart form with one file, or with one text.
func form(t *testing.T, field, name, content string) (kind string, body io.Reader) {
	t.Helper()
	var out bytes.Buffer
	m := multipart.NewWriter(&out)
	if name == "" {
		_ = m.WriteField(field, content)
	} else if part, err := m.CreateFormFile(field, name); err != nil {
		t.Fatal(err)
	} else {
		_, _ = io.WriteString(part, content)
	}
	_ = m.Close()
	return m.FormDataContentType(), &out
}

func TestDocumentsOfOtherNamesOrWithoutAFileAreRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const doc = "/api/svc/admin/instance_document/"
		send := func(token, name, field, file, content string) (int, string) {
			t.Helper()
			kind, body := form(t, field, file, content)
			req, err := http.NewRequestWithContext(t.Context(), "PATCH", w.URL+doc+name, body)
			w.must(err)
			req.Header.Set("Content-Type", kind)
			req.Header.Set("Authorization", "Bearer "+token)
			resp, err := http.DefaultTransport.RoundTrip(req)
			w.must(err)
			defer func() { _ = resp.Body.Close() }()
			raw, err := io.ReadAll(resp.Body)
			w.must(err)
			return resp.StatusCode, string(raw)
		}
		admin, reader := w.Token("root", servertest.AdminScopes), w.Token("root", "admin:read")
		noFile := invalid("file", "Missing field: file.")
		for _, c := range []struct {
			token, name, field, file, content string
			status                            int
			answer                            string
		}{
			{admin, "nothing", "file", "x.html", "x", 404, notFound},
			{admin, "panel.html", "file", "x.html", "x", 404, notFound},
			{admin, "..%2f..%2fx", "file", "x.html", "x", 404, notFound},
			{admin, "%00", "file", "x.html", "x", 404, notFound},
			{admin, "instance-panel", "document", "x.html", "x", 400, noFile},
			{admin, "instance-panel", "file", "", "x", 400, noFile},
			{reader, "instance-panel", "other", "x.html", "x", 400, noFile},
			{reader, "instance-panel", "file", "x.html", "x", 403, `{"error":"Insufficient permissions: admin:write."}`},
			{admin, "instance-panel", "file", "x.html", strings.Repeat("x", 1<<20+1), 413, `{"error":"Request body is too large"}`},
		} {
			if status, body := send(c.token, c.name, c.field, c.file, c.content); status != c.status || body != c.answer {
				t.Errorf("%s with %s %s: %d %s", c.name, c.field, c.file, status, body)
			}
		}
		w.want("PATCH", "/instance_document/instance-panel", "", 400, noFile)
		w.want("PATCH", "/instance_document/instance-panel", `{"file":"x"}`, 400, noFile)
		w.want("PATCH", "/instance_document/nothing", "", 400, noFile)
		w.want("GET", "/instance_document/nothing", "", 404, notFound)
		w.want("DELETE", "/instance_document/nothing", "", 404, notFound)
		w.want("DELETE", "/instance_document/terms-of-service", "", 404, notFound)
		if status, _ := send(admin, "instance-panel", "file", "x.html", strings.Repeat("x", 1<<20)); status != 200 {
			t.Errorf("a mebibyte: %d", status)
		}
	})
}

func TestOnlyDocumentsAndPicturesOfTheStaticFolderArePublic(t *testing.T) {
	w := servertest.Start(t)
	folder := filepath.Join(w.DataDir, "static")
	outside := filepath.Join(w.DataDir, "secret.png")
	for name, content := range map[string]string{
		outside: "secret", filepath.Join(folder, "page.html"): "<p>", filepath.Join(folder, "a.png"): "a", filepath.Join(folder, "static", "b.png"): "b",
		filepath.Join(folder, "instance", "other.html"): "<p>",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"link.png": outside, "inner.png": "a.png", "static/terms-of-service.html": outside} {
		if err := os.Symlink(to, filepath.Join(folder, link)); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"/static/a.png": "a", "/static/b.png": "b", "/static/static/b.png": "b", "/static/inner.png": "a",
		"/static/page.html": "", "/static/link.png": "", "/static/../secret.png": "", "/static/%2e%2e/secret.png": "", "/static/..%2fsecret.png": "",
		"/static/": "", "/static/instance/other.html": "", "/instance/other.html": "", "/static/a.png/x.png": "",
	} {
		resp, err := http.Get(w.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(resp.Body)
		if err := resp.Body.Close(); err != nil {
			t.Fatal(err)
		}
		if err != nil || (resp.StatusCode == 200) != (want != "") || want != "" && string(raw) != want {
			t.Errorf("%s: %d %q, %v", path, resp.StatusCode, raw, err)
		}
	}
	// A link out of the folder is no document either: the built-in one stands.
	resp, err := http.Get(w.URL + "/static/terms-of-service.html")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if raw, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(raw), "<h1>Terms of service</h1>") {
		t.Errorf("%d %q, %v", resp.StatusCode, raw, err)
	}
}

func TestSigningUpLeadsToTheTermsThatThereAre(t *testing.T) {
	w := servertest.Start(t)
	const link = `<a href="/static/terms-of-service.html" target="_blank">Terms of service</a>`
	shown := func() bool {
		resp, err := http.Get(w.URL + "/registration")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		raw, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != 200 {
			t.Fatalf("%d, %v", resp.StatusCode, err)
		}
		return strings.Contains(string(raw), link)
	}
	docs := w.Admin("root").Admin.Documents
	if shown() {
		t.Error("a link to terms that nobody wrote")
	}
	if _, err := docs.Set(t.Context(), client.TermsOfService, client.File{Name: "t.html", Content: strings.NewReader("<p>Be kind")}); err != nil {
		t.Fatal(err)
	}
	if !shown() {
		t.Error("no link to the terms")
	}
	if _, err := docs.Delete(t.Context(), client.TermsOfService); err != nil || shown() {
		t.Errorf("still a link: %v", err)
	}
}
