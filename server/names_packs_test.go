package server_test

import (
	"bytes"
	"encoding/json"
	"mime/multipart"
	"testing"

	"svc/server/servertest"
)

// writePacks changes packs of emoji at the paths, and with the requests, of the family's
// front end for admins.
func (w village) writePacks(t *testing.T) {
	t.Helper()
	var picture bytes.Buffer
	parts := multipart.NewWriter(&picture)
	part, err := parts.CreateFormFile("file", "cat.png")
	if err == nil {
		_, err = part.Write([]byte(servertest.Dot))
	}
	if err != nil || parts.WriteField("shortcode", "cat") != nil || parts.WriteField("filename", "cat.png") != nil || parts.Close() != nil {
		t.Fatal(err)
	}
	const at = "/api/v1/pleroma/emoji/"
	for _, step := range []struct{ method, path, kind, body, want string }{
		{"POST", "pack?name=svc", "", "", `"ok"`},
		{"POST", "packs/files?name=svc", parts.FormDataContentType(), picture.String(), `{"cat":"cat.png"}`},
		{"PATCH", "packs/files?name=svc", "application/json", `{"shortcode":"cat","new_shortcode":"tom","new_filename":"tom.png","force":true}`, `{"tom":"tom.png"}`},
		{"PATCH", "pack?name=svc", "application/json", `{"metadata":{"license":"svc","share-files":true}}`, ""},
		{"GET", "pack?name=svc", "", "", ""},
		{"GET", "packs?page=1&page_size=50", "", "", ""},
		{"GET", "packs/archive?name=svc", "", "", ""},
		{"GET", "packs/import", "", "", `[]`},
		{"DELETE", "packs/files?name=svc&shortcode=tom", "", "", `{}`},
		{"DELETE", "pack?name=svc", "", "", `"ok"`},
	} {
		got := speak(t, w.Server, false, w.root, step.method, at+step.path, step.kind, step.body)
		if got.status != 200 || step.want != "" && string(bytes.TrimSpace(got.raw)) != step.want {
			t.Errorf("%s %s: %d %.200s, want %s", step.method, step.path, got.status, got.raw, step.want)
		}
		if step.path == "pack?name=svc" && step.method == "GET" {
			var pack struct {
				Files map[string]string
				Pack  map[string]any
			}
			if err := json.Unmarshal(got.raw, &pack); err != nil || pack.Files["tom"] != "tom.png" || pack.Pack["license"] != "svc" || pack.Pack["can-download"] != true {
				t.Errorf("the pack is %s", got.raw)
			}
		}
	}
}
